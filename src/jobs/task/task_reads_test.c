#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "core/model/id.h"
#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"
#include "tests/unit/test.h"

/* An attempt that reads tasks 4 to 6, and the other end of its control socket. */
struct desk {
    struct task_attempt task;
    struct packet_socket told;
    struct str got; /* "at:path " of each fetch */
};

static void desk_open(struct desk *d)
{
    int fds[2] = {-1, -1};

    *d = (struct desk){.task = {.first = 4, .last = 6}};
    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    packet_socket_init(&d->told, fds[0]);
    d->task.control = task_control_open(fds[1]);
    expect(fcntl(fds[1], F_GETFD) == FD_CLOEXEC);
}

static void desk_close(struct desk *d)
{
    task_control_close(d->task.control);
    packet_socket_fini(&d->told);
    str_free(&d->got);
}

static int64_t desk_fetch(void *ctx, uint32_t at, int folder, const char *path, struct err *err)
{
    struct desk *d = ctx;

    (void)folder;
    if (strstr(path, "bad"))
        return err_set(err, "%s: not a sorted file", path);
    str_addf(&d->got, "%u:%s ", at, path);
    return 10 + at;
}

static void say(struct desk *d, uint8_t type, uint32_t task, uint32_t attempt, const char *path,
                int64_t slow_us)
{
    struct packet m = {
        .type = type,
        .u.read = {.phase = 1, .task = task, .attempt = attempt, .path = path, .slow_us = slow_us}};

    expect(packet_socket_send(&d->told, &m) == 0);
}

static int gather(struct desk *d, struct err *err)
{
    return task_reads_gather(&d->task, &(struct task_reader){.ctx = d, .fetch = desk_fetch}, err);
}

/* The next answer. */
static struct packet hear(struct desk *d)
{
    struct packet m = {0};

    expect(packet_socket_receive(&d->told, &m) == 1);
    return m;
}

static bool is(struct packet m, uint8_t type, uint32_t task, uint32_t attempt, int64_t bytes)
{
    return m.type == type && m.u.fetch.phase == 1 && m.u.fetch.task == task &&
           m.u.fetch.attempt == attempt && m.u.fetch.bytes == bytes && m.u.fetch.took_us >= 0;
}

TEST(task_reads_gets_what_it_is_told_in_any_order)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, 6, 0, "c", 0);
    say(&d, PACKET_READ, 4, 2, "a", 0);
    say(&d, PACKET_READ, 5, 0, "b", 0);
    expect(gather(&d, &err) == 0 && strcmp(d.got.text, "2:c 0:a 1:b ") == 0);
    expect(is(hear(&d), PACKET_FETCH_STARTED, 6, 0, 0) &&
           is(hear(&d), PACKET_FETCH_DONE, 6, 0, 12));
    expect(is(hear(&d), PACKET_FETCH_STARTED, 4, 2, 0) &&
           is(hear(&d), PACKET_FETCH_DONE, 4, 2, 10));
    desk_close(&d);
}

/* An output that was made again is read again, and the others are still waited for. */
TEST(task_reads_takes_a_source_again_and_waits_for_the_rest)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, 4, 0, "a", 0);
    say(&d, PACKET_READ, 4, 1, "again", 0);
    say(&d, PACKET_READ, TASK_ALL, 0, "dir", 0);
    expect(gather(&d, &err) == 0);
    expect(strcmp(d.got.text, "0:a 0:again 0:dir/4 1:dir/5 2:dir/6 ") == 0);
    desk_close(&d);
}

TEST(task_reads_gets_a_whole_phase_at_once)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, TASK_ALL, 0, "dir", 0);
    expect(gather(&d, &err) == 0 && strcmp(d.got.text, "0:dir/4 1:dir/5 2:dir/6 ") == 0);
    expect(is(hear(&d), PACKET_FETCH_STARTED, TASK_ALL, 0, 0));
    expect(is(hear(&d), PACKET_FETCH_DONE, TASK_ALL, 0, 33));
    desk_close(&d);
}

TEST(task_reads_takes_another_source_for_one_of_no_use)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, 4, 1, "other", 0);
    say(&d, PACKET_READ, 5, 0, "/nowhere/bad", 0);
    say(&d, PACKET_READ, 5, 3, "good", 0);
    say(&d, PACKET_READ, 6, 0, "last", 0);
    expect(gather(&d, &err) == 0 && strcmp(d.got.text, "0:other 1:good 2:last ") == 0);
    expect(is(hear(&d), PACKET_FETCH_STARTED, 4, 1, 0) &&
           is(hear(&d), PACKET_FETCH_DONE, 4, 1, 10));
    expect(is(hear(&d), PACKET_FETCH_STARTED, 5, 0, 0));
    struct packet m = hear(&d);
    expect(is(m, PACKET_FETCH_FAILED, 5, 0, 0) && m.u.fetch.culprit == 5 &&
           m.u.fetch.error == ENOENT);
    desk_close(&d);
}

TEST(task_reads_names_all_who_spoil_a_whole_phase)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, TASK_ALL, 0, "/nowhere/bad", 0);
    for (uint32_t t = 4; t <= 6; t++)
        say(&d, PACKET_READ, t, 0, "good", 0);
    expect(gather(&d, &err) == 0);
    hear(&d);
    for (uint32_t t = 4; t <= 6; t++) { /* the last one with the end of the read */
        struct packet m = hear(&d);
        expect(is(m, t < 6 ? PACKET_SOURCE_LOST : PACKET_FETCH_FAILED, TASK_ALL, 0, 0));
        expect(m.u.fetch.culprit == t && m.u.fetch.error == ENOENT);
    }
    desk_close(&d);
}

TEST(task_reads_ends_when_nobody_tells_it_anything_any_more)
{
    struct desk d;
    struct err err;

    desk_open(&d);
    say(&d, PACKET_READ, 4, 0, "a", 0);
    shutdown(d.told.fd, SHUT_WR);
    expect(gather(&d, &err) == -1 && strstr(err.text, "coordinator"));
    desk_close(&d);
    for (uint32_t task = 3; task <= 7; task += 4) { /* beside 4 to 6 */
        char want[64];
        desk_open(&d);
        say(&d, PACKET_READ, task, 0, "a", 0);
        snprintf(want, sizeof want, "asked to read task %u, which is not an input of this phase",
                 task);
        expect(gather(&d, &err) == -1 && strcmp(err.text, want) == 0 && !d.got.text);
        desk_close(&d);
    }
}
