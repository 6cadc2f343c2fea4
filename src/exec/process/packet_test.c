#include "exec/process/packet.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "exec/process/packet_socket.h"
#include "exec/process/sys.h"
#include "tests/unit/test.h"

static struct packet launch_sample(const char *command)
{
    struct packet m = {.type = PACKET_LAUNCH, .handle = 0x01020304};

    m.u.launch.command = command;
    m.u.launch.stdin_path = "";
    m.u.launch.dir = "/d";
    m.u.launch.reuse = "/e";
    m.u.launch.env = "A=1\0B=two";
    m.u.launch.env_bytes = 10;
    m.u.launch.extra = 1;
    m.u.launch.slow_milli = 8000;
    return m;
}

TEST(packet_launch_comes_back_as_it_was)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = launch_sample("echo x"), back;
    size_t n = packet_encode(&m, out);

    expect(packet_decode(out, n, &back) == 0);
    expect(back.type == PACKET_LAUNCH && back.handle == 0x01020304);
    expect(strcmp(back.u.launch.command, "echo x") == 0);
    expect(strcmp(back.u.launch.stdin_path, "") == 0);
    expect(strcmp(back.u.launch.dir, "/d") == 0 && strcmp(back.u.launch.reuse, "/e") == 0);
    expect(back.u.launch.slow_milli == 8000 && back.u.launch.extra == 1);
    expect(back.u.launch.env_bytes == 10 && memcmp(back.u.launch.env, "A=1\0B=two", 10) == 0);
    mem_free(out);
}

#define FIELD(t, field)                                                                            \
    {                                                                                              \
        PACKET_##t, offsetof(struct packet, u.field), sizeof((struct packet *)0)->u.field          \
    }
struct field_place {
    uint8_t type;
    size_t at, size;
};
static const struct field_place packet_numbers[] = {FIELD(LAUNCH, launch.late),
                                                    FIELD(LAUNCH, launch.extra),
                                                    FIELD(LAUNCH, launch.slow_milli),
                                                    FIELD(LAUNCH, launch.control),
                                                    FIELD(LAUNCH, launch.keep),
                                                    FIELD(KILL, grace_us),
                                                    FIELD(STARTED, started_us),
                                                    FIELD(LAUNCH_FAILED, error),
                                                    FIELD(LAUNCH_FAILED, ours),
                                                    FIELD(PROGRESS, progress.done),
                                                    FIELD(PROGRESS, progress.total),
                                                    FIELD(EXITED, end.status),
                                                    FIELD(EXITED, end.wall_us),
                                                    FIELD(EXITED, end.cpu_us),
                                                    FIELD(EXITED, end.peak_rss_kib),
                                                    FIELD(EXITED, end.read_bytes),
                                                    FIELD(EXITED, end.left),
                                                    FIELD(KILLED, end.status),
                                                    FIELD(KILLED, end.wall_us),
                                                    FIELD(KILLED, end.cpu_us),
                                                    FIELD(KILLED, end.peak_rss_kib),
                                                    FIELD(KILLED, end.read_bytes),
                                                    FIELD(KILLED, end.left),
                                                    FIELD(CORES, cores.spare),
                                                    FIELD(CORES, cores.each),
                                                    FIELD(PRESSURE, pressure.disk),
                                                    FIELD(PRESSURE, pressure.memory),
                                                    FIELD(REFUSED, refused.for_good),
                                                    FIELD(HELLO, hello.version),
                                                    FIELD(HELLO, hello.cores_milli),
                                                    FIELD(HELLO, hello.memory_mib),
                                                    FIELD(HELLO, hello.clock_us),
                                                    FIELD(WELCOME, welcome.pull),
                                                    FIELD(WELCOME, welcome.keep),
                                                    FIELD(WELCOME, welcome.nice),
                                                    FIELD(WELCOME, welcome.lease_us),
                                                    FIELD(READY, ready.shared),
                                                    FIELD(READY, ready.port),
                                                    FIELD(BEAT, beat.sent_us),
                                                    FIELD(BEAT, beat.free_bytes),
                                                    FIELD(BEAT, beat.running),
                                                    FIELD(BEAT, beat.told_us),
                                                    FIELD(BEAT, beat.lease_us),
                                                    FIELD(OUTPUT, output.file),
                                                    FIELD(OUTPUT, output.offset),
                                                    FIELD(OUTPUT_END, output_end.file),
                                                    FIELD(OUTPUT_END, output_end.bytes),
                                                    FIELD(OUTPUT_END, output_end.checksum),
                                                    FIELD(READ, read.phase),
                                                    FIELD(READ, read.task),
                                                    FIELD(READ, read.attempt),
                                                    FIELD(READ, read.slow_us),
                                                    FIELD(FETCH_STARTED, fetch.phase),
                                                    FIELD(FETCH_STARTED, fetch.task),
                                                    FIELD(FETCH_STARTED, fetch.attempt),
                                                    FIELD(FETCH_STARTED, fetch.bytes),
                                                    FIELD(FETCH_STARTED, fetch.took_us),
                                                    FIELD(FETCH_STARTED, fetch.culprit),
                                                    FIELD(FETCH_STARTED, fetch.error),
                                                    FIELD(FETCH_DONE, fetch.phase),
                                                    FIELD(FETCH_DONE, fetch.task),
                                                    FIELD(FETCH_DONE, fetch.attempt),
                                                    FIELD(FETCH_DONE, fetch.bytes),
                                                    FIELD(FETCH_DONE, fetch.took_us),
                                                    FIELD(FETCH_DONE, fetch.culprit),
                                                    FIELD(FETCH_DONE, fetch.error),
                                                    FIELD(FETCH_FAILED, fetch.phase),
                                                    FIELD(FETCH_FAILED, fetch.task),
                                                    FIELD(FETCH_FAILED, fetch.attempt),
                                                    FIELD(FETCH_FAILED, fetch.bytes),
                                                    FIELD(FETCH_FAILED, fetch.took_us),
                                                    FIELD(FETCH_FAILED, fetch.culprit),
                                                    FIELD(FETCH_FAILED, fetch.error),
                                                    FIELD(SOURCE_LOST, fetch.phase),
                                                    FIELD(SOURCE_LOST, fetch.task),
                                                    FIELD(SOURCE_LOST, fetch.attempt),
                                                    FIELD(SOURCE_LOST, fetch.bytes),
                                                    FIELD(SOURCE_LOST, fetch.took_us),
                                                    FIELD(SOURCE_LOST, fetch.culprit),
                                                    FIELD(SOURCE_LOST, fetch.error),
                                                    FIELD(RESULT, result.bytes),
                                                    FIELD(RESULT, result.checksum),
                                                    FIELD(PLACE, place.phase),
                                                    FIELD(PLACE, place.task),
                                                    FIELD(PLACE, place.attempt),
                                                    FIELD(PLACE, place.output),
                                                    FIELD(PLACE, place.checksum),
                                                    FIELD(FILE, file.offset),
                                                    FIELD(WANT, partition),
                                                    FIELD(PARTITION, found.error),
                                                    FIELD(PARTITION, found.partitions),
                                                    FIELD(PARTITION, found.form),
                                                    FIELD(PARTITION, found.bytes),
                                                    FIELD(PARTITION, found.records),
                                                    FIELD(PARTITION, found.checksum),
                                                    FIELD(PARTITION, found.index_checksum),
                                                    FIELD(HOLD, still),
                                                    FIELD(SETTLED, settled),
                                                    FIELD(LEASE, lease_us)};
static const struct field_place packet_texts[] = {FIELD(LAUNCH, launch.command),
                                                  FIELD(LAUNCH, launch.stdin_path),
                                                  FIELD(LAUNCH, launch.dir),
                                                  FIELD(LAUNCH, launch.reuse),
                                                  FIELD(FATAL, text),
                                                  FIELD(STATUS, text),
                                                  FIELD(REFUSED, refused.text),
                                                  FIELD(HELLO, hello.program),
                                                  FIELD(HELLO, hello.name),
                                                  FIELD(HELLO, hello.host),
                                                  FIELD(HELLO, hello.rack),
                                                  FIELD(HELLO, hello.boot),
                                                  FIELD(HELLO, hello.scratch),
                                                  FIELD(HELLO, hello.credential),
                                                  FIELD(WELCOME, welcome.dir),
                                                  FIELD(WELCOME, welcome.probe),
                                                  FIELD(WELCOME, welcome.token),
                                                  FIELD(WELCOME, welcome.shell),
                                                  FIELD(WELCOME, welcome.workdir),
                                                  FIELD(WELCOME, welcome.credential),
                                                  FIELD(READ, read.path),
                                                  FIELD(PLACE, place.where)};

/* A packet of the type in which every number is 0 and every text empty. */
static struct packet plain(uint8_t type)
{
    struct packet m = {.type = type};
    const char *text = "";

    for (size_t i = 0; i < sizeof packet_texts / sizeof *packet_texts; i++)
        if (packet_texts[i].type == type)
            memcpy((char *)&m + packet_texts[i].at, &text, sizeof text);
    return m;
}

/* A field that is forgotten on the way is 0 at the other end, and nothing else tells. */
TEST(packet_has_every_field_of_its_type)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet back;

    for (size_t i = 0; i < sizeof packet_numbers / sizeof *packet_numbers; i++) {
        const struct field_place *f = &packet_numbers[i];
        struct packet m = plain(f->type);
        memset((char *)&m + f->at, 0xa5, f->size);
        size_t n = packet_encode(&m, out);
        expect(n > 0 && n == packet_measure(&m) && packet_decode(out, n, &back) == 0);
        expect(memcmp((char *)&back + f->at, (char *)&m + f->at, f->size) == 0);
    }
    for (size_t i = 0; i < sizeof packet_texts / sizeof *packet_texts; i++) {
        const struct field_place *f = &packet_texts[i];
        struct packet m = plain(f->type);
        const char *text = "a text", *had = NULL;
        memcpy((char *)&m + f->at, &text, sizeof text);
        size_t n = packet_encode(&m, out);
        expect(n > 0 && n == packet_measure(&m) && packet_decode(out, n, &back) == 0);
        memcpy(&had, (char *)&back + f->at, sizeof had);
        expect(had && strcmp(had, text) == 0);
    }
    mem_free(out);
}

static size_t bytes_of_numbers(uint8_t type)
{
    size_t bytes = 0;

    for (size_t i = 0; i < sizeof packet_numbers / sizeof *packet_numbers; i++)
        bytes += packet_numbers[i].type == type ? packet_numbers[i].size : 0;
    return bytes;
}

/* Of packets of numbers alone. */
TEST(packet_has_no_fields_but_those_of_its_type)
{
    static const uint8_t types[] = {
        PACKET_STARTED,      PACKET_LAUNCH_FAILED, PACKET_PROGRESS,      PACKET_EXITED,
        PACKET_KILLED,       PACKET_CORES,         PACKET_PRESSURE,      PACKET_READY,
        PACKET_BEAT,         PACKET_OUTPUT_END,    PACKET_FETCH_STARTED, PACKET_FETCH_DONE,
        PACKET_FETCH_FAILED, PACKET_SOURCE_LOST,   PACKET_RESULT,        PACKET_WANT,
        PACKET_PARTITION,    PACKET_SETTLED,       PACKET_LEASE};
    size_t head = packet_measure(&(struct packet){.type = PACKET_LEAVE});

    for (size_t i = 0; i < sizeof types; i++)
        expect(packet_measure(&(struct packet){.type = types[i]}) ==
               head + bytes_of_numbers(types[i]));
}

TEST(packet_end_keeps_its_numbers)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_KILLED, .handle = 9}, back;

    m.u.end = (struct packet_end){.status = -7,
                                  .wall_us = INT64_MAX,
                                  .cpu_us = -1,
                                  .peak_rss_kib = 1234567890123,
                                  .read_bytes = 42,
                                  .seen = true};
    size_t n = packet_encode(&m, out);
    expect(packet_decode(out, n, &back) == 0);
    expect(back.u.end.status == -7 && back.u.end.wall_us == INT64_MAX);
    expect(back.u.end.cpu_us == -1 && back.u.end.peak_rss_kib == 1234567890123);
    expect(back.u.end.read_bytes == 42 && !back.u.end.seen);
    mem_free(out);
}

TEST(packet_cores_come_back_as_they_were)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_CORES, .u.cores = {1750, 250}}, back;

    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.type == PACKET_CORES && back.u.cores.spare == 1750 && back.u.cores.each == 250);
    m = (struct packet){.type = PACKET_PRESSURE, .u.pressure = {900, 50}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0 && back.type == PACKET_PRESSURE);
    expect(back.u.pressure.disk == 900 && back.u.pressure.memory == 50);
    mem_free(out);
}

TEST(packet_reads_and_fetches_come_back_as_they_were)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_READ, .u.read = {1, 2, 3, "/out", 500}}, back;

    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.read.phase == 1 && back.u.read.task == 2 && back.u.read.attempt == 3);
    expect(strcmp(back.u.read.path, "/out") == 0 && back.u.read.slow_us == 500);
    m = (struct packet){.type = PACKET_FETCH_FAILED, .u.fetch = {1, 2, 3, 4, 5, 6, -7}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.fetch.attempt == 3 && back.u.fetch.bytes == 4 && back.u.fetch.took_us == 5);
    expect(back.u.fetch.culprit == 6 && back.u.fetch.error == -7);
    m.type = PACKET_SOURCE_LOST;
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0 && back.u.fetch.culprit == 6);
    m = (struct packet){.type = PACKET_STATUS, .u.text = "reads"};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(strcmp(back.u.text, "reads") == 0);
    m = (struct packet){.type = PACKET_RESULT, .u.result = {8, UINT64_MAX}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.result.bytes == 8 && back.u.result.checksum == UINT64_MAX);
    mem_free(out);
}

TEST(packet_places_and_partitions_come_back_as_they_were)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_PLACE, .u.place = {1, 2, 3, 4, 5, "[::1]:6", 7}}, back;

    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.place.phase == 1 && back.u.place.task == 2 && back.u.place.attempt == 3);
    expect(back.u.place.output == 4 && back.u.place.checksum == 5 && back.u.place.group == 0);
    expect(strcmp(back.u.place.where, "[::1]:6") == 0);
    m = (struct packet){.type = PACKET_KEY, .u.key = {"a\0b", 3}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.key.length == 3 && memcmp(back.u.key.bytes, "a\0b", 3) == 0);
    m = (struct packet){.type = PACKET_FILE, .u.file = {1LL << 40, "xyz", 2}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.file.offset == 1LL << 40 && back.u.file.length == 2);
    m = (struct packet){.type = PACKET_WANT, .handle = 8, .u.partition = PACKET_WHOLE};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.handle == 8 && back.u.partition == PACKET_WHOLE);
    m = (struct packet){.type = PACKET_PARTITION, .u.found = {-1, 2, 3, 4, -5, 6, 7}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.found.error == -1 && back.u.found.partitions == 2 && back.u.found.form == 3);
    expect(back.u.found.bytes == 4 && back.u.found.records == -5 && back.u.found.checksum == 6);
    expect(back.u.found.index_checksum == 7);
    m = (struct packet){.type = PACKET_NO_SPACE, .handle = 9};
    expect(packet_encode(&m, out) == 5 && packet_decode(out, 5, &back) == 0 && back.handle == 9);
    m = (struct packet){.type = PACKET_HOLD, .u.still = 1};
    expect(packet_encode(&m, out) == 6 && packet_decode(out, 6, &back) == 0 && back.u.still == 1);
    m = (struct packet){.type = PACKET_LEASE, .u.lease_us = 1LL << 40};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.lease_us == 1LL << 40);
    m = (struct packet){.type = PACKET_BEAT, .u.beat = {1, 2, 3, 4, 5}};
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.beat.running == 3 && back.u.beat.told_us == 4 && back.u.beat.lease_us == 5);
    m = (struct packet){.type = PACKET_FORGET, .handle = 9};
    expect(packet_encode(&m, out) == 5 && packet_decode(out, 5, &back) == 0 && back.handle == 9);
    mem_free(out);
}

/* Strings that the other end reads until their NUL have one. */
TEST(packet_refuses_an_environment_without_an_end)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = launch_sample("true"), back;

    m.u.launch.env = "A=b\0C=d";
    m.u.launch.env_bytes = sizeof "A=b\0C=d";
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    m.u.launch.env_bytes--;
    expect(packet_decode(out, packet_encode(&m, out), &back) == -1);
    m.u.launch.env_bytes = 0;
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    mem_free(out);
}

/* No prefix of a packet is a packet, nor is a packet with a byte too many. */
TEST(packet_refuses_cut_and_padded_packets)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = launch_sample("true"), back;
    size_t n = packet_encode(&m, out), accepted = 0;

    for (size_t cut = 0; cut < n; cut++)
        accepted += packet_decode(out, cut, &back) == 0;
    expect(accepted == 0);
    expect(packet_decode(out, n + 1, &back) == -1);
    out[0] = PACKET_TYPE_END;
    expect(packet_decode(out, n, &back) == -1);
    mem_free(out);
}

TEST(packet_refuses_what_does_not_fit)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    char *longest = mem_zalloc(PACKET_BYTES_MAX + 8, 1);
    struct packet m = launch_sample(longest);
    size_t fixed = packet_encode(&m, out);

    memset(longest, 'x', PACKET_BYTES_MAX - fixed);
    expect(packet_encode(&m, out) == PACKET_BYTES_MAX);
    longest[PACKET_BYTES_MAX - fixed] = 'x';
    expect(packet_encode(&m, out) == 0);
    mem_free(longest);
    mem_free(out);
}

TEST(packet_hello_and_welcome_come_back_as_they_were)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_HELLO}, back;

    m.u.hello = (struct packet_hello){7,        "00ff", "n1.local", "n1", "s0.s1",   "boot",
                                      "/tmp/x", 2500,   1 << 20,    -5,   "MUNGE:x:"};
    size_t n = packet_encode(&m, out);
    expect(n > 0 && n == packet_measure(&m));
    expect(packet_decode(out, n, &back) == 0);
    expect(back.u.hello.version == 7 && back.u.hello.cores_milli == 2500);
    expect(back.u.hello.memory_mib == 1 << 20 && back.u.hello.clock_us == -5);
    expect(strcmp(back.u.hello.program, "00ff") == 0 && strcmp(back.u.hello.rack, "s0.s1") == 0);
    expect(strcmp(back.u.hello.credential, "MUNGE:x:") == 0);
    for (size_t i = 0; i < n; i++)
        expect(packet_decode(out, i, &back) < 0);

    m = (struct packet){.type = PACKET_WELCOME};
    m.u.welcome = (struct packet_welcome){"/run", "probe", "abc",      1,      1, "/bin/sh",
                                          "/w",   -3,      "MUNGE:c:", "k\0y", 3, 99};
    n = packet_encode(&m, out);
    expect(packet_decode(out, n, &back) == 0);
    expect(strcmp(back.u.welcome.token, "abc") == 0 && back.u.welcome.pull == 1 &&
           back.u.welcome.keep == 1);
    expect(strcmp(back.u.welcome.workdir, "/w") == 0 && back.u.welcome.nice == -3);
    expect(strcmp(back.u.welcome.credential, "MUNGE:c:") == 0);
    expect(back.u.welcome.store_length == 3 && memcmp(back.u.welcome.store, "k\0y", 3) == 0);
    expect(back.u.welcome.lease_us == 99);
    mem_free(out);
}

TEST(packet_output_may_hold_any_bytes)
{
    unsigned char *out = mem_zalloc(PACKET_BYTES_MAX, 1);
    struct packet m = {.type = PACKET_OUTPUT, .handle = 5}, back;

    m.u.output.file = PACKET_STDERR;
    m.u.output.offset = 1ll << 40;
    m.u.output.bytes = "a\0\nb";
    m.u.output.length = 4;
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.handle == 5 && back.u.output.file == PACKET_STDERR);
    expect(back.u.output.offset == 1ll << 40 && back.u.output.length == 4);
    expect(memcmp(back.u.output.bytes, "a\0\nb", 4) == 0);

    m = (struct packet){.type = PACKET_OUTPUT_END, .handle = 5};
    m.u.output_end.bytes = 77;
    m.u.output_end.checksum = 0x8000000000000001;
    expect(packet_decode(out, packet_encode(&m, out), &back) == 0);
    expect(back.u.output_end.bytes == 77 && back.u.output_end.checksum == 0x8000000000000001);
    mem_free(out);
}

/* Neither end waits for the other to read, and a socket that is renewed has nothing of the past. */
TEST(packet_socket_keeps_what_does_not_fit_until_it_is_renewed)
{
    enum { MANY = 5000 };
    struct packet_socket ours, theirs;
    struct packet m = {.type = PACKET_READ, .u.read = {.path = "/a/path/that/is/not/short"}}, got;
    uint32_t seen = 0;
    int fds[2];

    expect(sys_socketpair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, fds) == 0);
    packet_socket_init(&ours, fds[0]);
    packet_socket_init(&theirs, fds[1]);
    for (m.u.read.task = 0; m.u.read.task < MANY; m.u.read.task++)
        expect(packet_socket_send(&ours, &m) == 0);
    expect(ours.full);
    for (int turn = 0; seen < MANY / 2 && turn < MANY; turn++) {
        expect(packet_socket_flush(&ours) == 0);
        while (packet_socket_receive(&theirs, &got) == 1)
            seen += got.u.read.task == seen;
    }
    expect(seen >= MANY / 2);
    expect(sys_socketpair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, fds) == 0);
    packet_socket_renew(&ours, fds[0]);
    packet_socket_renew(&theirs, fds[1]);
    expect(packet_socket_receive(&theirs, &got) == 0);
    m.u.read.task = 7;
    expect(packet_socket_send(&ours, &m) == 0 && packet_socket_receive(&theirs, &got) == 1);
    expect(got.u.read.task == 7);
    packet_socket_fini(&ours);
    packet_socket_fini(&theirs);
}

/* A descriptor that another process holds, too, is in the epoll after it was closed. */
TEST(packet_socket_that_is_closed_brings_no_events)
{
    int epoll_fd = sys_epoll_create(), fds[2];
    struct packet_socket ours;
    struct epoll_event e;

    expect(sys_socketpair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, fds) == 0);
    int copy = dup(fds[0]);
    packet_socket_init(&ours, fds[0]);
    expect(packet_socket_watch(&ours, epoll_fd, 7) == 0 && send(fds[1], "x", 1, 0) == 1);
    expect(epoll_wait(epoll_fd, &e, 1, 0) == 1 && e.data.u64 == 7);
    packet_socket_fini(&ours);
    expect(epoll_wait(epoll_fd, &e, 1, 0) == 0);
    close(copy);
    close(fds[1]);
    close(epoll_fd);
}
