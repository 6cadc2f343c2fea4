/* What another machine may send: frames, what an agent says of itself, and what readers and agents
 * say about outputs that stay with agents. */
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "remote/coordinator/admission.h"
#include "remote/coordinator/agent_list.h"
#include "remote/coordinator/coordinator_state.h"
#include "remote/fetch/fetch_places.h"
#include "remote/fetch/fetch_store.h"
#include "tests/fuzz/fuzz.h"

void fuzz_frames(const uint8_t *at, size_t length)
{
    struct agent_pulls pulls = {0};
    struct packet launch = {.type = PACKET_LAUNCH, .handle = 1}, m;
    int64_t size;

    launch.u.launch.dir = "/nowhere";
    launch.u.launch.reuse = "";
    agent_pulls_launch(&pulls, &launch);
    for (; (size = frames_measure(at, length)) > 0; at += size, length -= (size_t)size) {
        check((size_t)size <= length);
        if (packet_decode(at + FRAMES_LENGTH_BYTES, (size_t)size - FRAMES_LENGTH_BYTES, &m) < 0)
            break;
        if (m.type == PACKET_OUTPUT || m.type == PACKET_OUTPUT_END)
            (void)agent_pulls_take(&pulls, &m);
        else if (m.type == PACKET_KILLED || m.type == PACKET_LAUNCH_FAILED)
            agent_pulls_end(&pulls, &m, 0);
    }
    agent_pulls_clear(&pulls);
}

/* Whatever is wanted lies in the folder; whatever is answered and told can be used. */
void fuzz_fetch(const uint8_t *at, size_t length)
{
    struct fetch_places places = {.first = 2, .count = 3, .scratch = "/nowhere"};
    struct packet_partition part;
    struct packet m;
    struct err err;
    int64_t size, offset;

    for (; (size = frames_measure(at, length)) > 0; at += size, length -= (size_t)size) {
        if (packet_decode(at + FRAMES_LENGTH_BYTES, (size_t)size - FRAMES_LENGTH_BYTES, &m) < 0)
            break;
        if (m.type == PACKET_WANT)
            check(fetch_store_find("/nowhere", m.handle, m.u.partition, &part, &offset) < 0 &&
                  part.error > 0);
        else if (m.type == PACKET_PARTITION && !fetch_client_judge(&m, 5, 1) && !m.u.found.error)
            check(m.u.found.partitions > 1 && m.u.found.bytes >= 0);
        else if ((m.type == PACKET_PLACE || m.type == PACKET_KEY) &&
                 fetch_places_take(&places, &m, &err) == 0 && m.type == PACKET_PLACE)
            check(fetch_places_find(&places, m.u.place.task, m.u.place.attempt, &err));
    }
    fetch_places_fini(&places);
}

/* Whatever is let in can be written to the list of agents and read from it. */
void fuzz_hello(const uint8_t *at, size_t length)
{
    struct packet m;
    char text[256];

    if (packet_decode(at, length, &m) < 0 || m.type != PACKET_HELLO)
        return;
    check(packet_measure(&m) == length);
    admission_judge(&m.u.hello, "00ff", text);
    m.u.hello.version = PACKET_VERSION; /* seeds are older than the next one */
    if (admission_judge(&m.u.hello, "00ff", text))
        return;
    struct str line = {0};
    struct agent_list_row row;
    str_addf(&line, "%s\there\thost\t%d\t0\t0\tshared\tscratch\taddress\n", m.u.hello.name,
             m.u.hello.cores_milli / 1000);
    check(agent_list_parse(line.text, &row) && strcmp(row.name, m.u.hello.name) == 0);
    str_free(&line);
}
