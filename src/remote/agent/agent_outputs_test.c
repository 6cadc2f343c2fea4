/* A long output on its way through a stream that is full now and then. */
#include "remote/agent/agent_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"
#include "tests/test.h"

enum { OUTPUT_BYTES = 4 << 20 };

static void ends_open(struct frames ends[2], struct tls_side *sides[2])
{
    struct secret key;
    struct err err;
    int fds[2], done = 0;

    memset(&key, 1, sizeof key);
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    for (int i = 0; i < 2; i++) {
        sides[i] = tls_side_create(&key, i == 1, &err);
        frames_init(&ends[i], sides[i], fds[i]);
    }
    for (int i = 0; i < 100 && done < 2; i++)
        done = frames_greet(&ends[0]) + frames_greet(&ends[1]);
    expect(done == 2);
}

static void write_output(char dir[64])
{
    static const char piece[OUTPUT_BYTES];
    static const char *const names[] = {"stdout", "stderr"};
    char path[96];

    test_folder(dir);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        FILE *f = fopen(path, "w");
        expect(f && (i > 0 || fwrite(piece, 1, sizeof piece, f) == sizeof piece));
        expect(fclose(f) == 0);
    }
}

/* Takes all that there is; the bytes of outputs. The last packet stays in *m. */
static int64_t take_all(struct frames *f, struct packet *m)
{
    int64_t bytes = 0;

    while (frames_receive(f, m) > 0)
        bytes += m->type == PACKET_OUTPUT ? m->u.output.length : 0;
    return bytes;
}

static void count_sent(void *ctx, uint32_t handle)
{
    *(int *)ctx += handle == 7;
}

/* The stream is full, then the other end takes what there is, and then an owner flushes what else
 * it has to say: epoll will never tell of that room. */
TEST(agent_outputs_are_due_when_a_flush_has_made_room)
{
    struct packet m = {0}, end = {.type = PACKET_EXITED, .handle = 7};
    struct tls_side *sides[2];
    struct frames ends[2];
    int64_t got = 0;
    int sent = 0, rounds = 0;
    char dir[64];

    ends_open(ends, sides);
    write_output(dir);
    struct agent_outputs o = {
        .frames = &ends[0], .pull = true, .ctx = &sent, .on_sent = count_sent};
    o.pace.window = AGENT_PACE_MOST; /* a quick link */
    expect(!agent_outputs_due(&o));
    agent_outputs_add(&o, dir, PACKET_KEEP_NOT, &end);
    expect(agent_outputs_due(&o) && sent == 0);
    while (!sent && rounds++ < 1000) {
        while (agent_outputs_due(&o))
            agent_outputs_turn(&o);
        expect(sent || ends[0].full);
        while (ends[0].full) {
            got += take_all(&ends[1], &m);
            expect(frames_flush(&ends[0]) == 0);
        }
        expect(sent || agent_outputs_due(&o));
    }
    got += take_all(&ends[1], &m);
    expect(sent == 1 && rounds > 1 && got == OUTPUT_BYTES && m.type == PACKET_EXITED);
    agent_outputs_fini(&o);
    for (int i = 0; i < 2; i++) {
        frames_fini(&ends[i]);
        tls_side_destroy(sides[i]);
    }
    run_dir_remove(dir);
}

/* More than a window travels only when beats behind it were answered. */
TEST(agent_outputs_keep_the_pace)
{
    struct packet m = {0}, end = {.type = PACKET_EXITED, .handle = 7};
    struct tls_side *sides[2];
    struct frames ends[2];
    int64_t got = 0;
    int sent = 0, rounds = 0;
    char dir[64];

    ends_open(ends, sides);
    write_output(dir);
    struct agent_outputs o = {
        .frames = &ends[0], .pull = true, .ctx = &sent, .on_sent = count_sent};
    for (int times = 1; times <= 2; times++) { /* the second when none waits any more */
        agent_outputs_add(&o, dir, PACKET_KEEP_NOT, &end);
        expect(sent == times - 1);
        while (sent < times && rounds++ < 1000) {
            int64_t window = o.pace.window ? o.pace.window : AGENT_PACE_FIRST, before = got;
            for (int i = 0; i < 1000 && (agent_outputs_due(&o) || frames_waiting(&ends[0])); i++) {
                agent_outputs_turn(&o);
                got += take_all(&ends[1], &m);
                expect(frames_flush(&ends[0]) == 0);
            }
            got += take_all(&ends[1], &m);
            expect(o.pace.total == got && (sent == times || got - before == window));
            expect(sent == times || !agent_outputs_due(&o));
            agent_pace_mark(&o.pace, rounds);
            agent_pace_answered(&o.pace, rounds, rounds);
        }
    }
    expect(sent == 2 && rounds > 2 && got == 2 * OUTPUT_BYTES);
    agent_outputs_fini(&o);
    for (int i = 0; i < 2; i++) {
        frames_fini(&ends[i]);
        tls_side_destroy(sides[i]);
    }
    run_dir_remove(dir);
}
