/* Outputs that come from another agent are those that were committed, or are made again. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"
#include "remote/fetch/fetch_server.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

#include "remote/fetch/fetch_keep_test.h"

enum { RUN = 5, LINES = 6 }; /* outputs of the agent */

/* An agent with outputs, and an attempt that reads one of them as that of task 4. */
struct shelf {
    char dir[TEST_FOLDER], where[32];
    int server_fd;
    struct task_plan plan;
    struct task_attempt task;
    struct packet_socket told;
};

static void start_server(struct shelf *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct secret key;
    struct err err;
    uint16_t port;

    memset(key.bytes, 7, sizeof key.bytes);
    expect(bind(door, (struct sockaddr *)&at, size) == 0 && listen(door, 1) == 0);
    expect(getsockname(door, (struct sockaddr *)&at, &size) == 0);
    expect(connect(fd, (struct sockaddr *)&at, size) == 0);
    s->server_fd = fetch_server_start(s->dir, &key, fd, &port, &err);
    expect(s->server_fd >= 0);
    snprintf(s->where, sizeof s->where, "127.0.0.1:%u", port);
    close(door);
    close(fd);
    struct packet m = {.type = PACKET_KEY,
                       .u.key = {(const char *)key.bytes, (uint32_t)sizeof key.bytes}};
    expect(packet_socket_send(&s->told, &m) == 0);
}

static void shelf_open(struct shelf *s)
{
    int fds[2] = {-1, -1};

    *s = (struct shelf){.task = {.number = 1, .first = 4, .last = 4, .progress = -1}};
    test_folder(s->dir);
    expect(fetch_store_make(s->dir) == 0);
    keep_run(s->dir, RUN, 1);
    keep_file(s->dir, LINES, "some\nlines\n", 11);
    plan_add_phase(&s->plan, "map", "cat")->partitions = 2;
    plan_add_phase(&s->plan, "reduce", "cat")->above = 0;
    s->task.plan = &s->plan;
    s->task.phase = &s->plan.phases.at[1];
    s->task.scratch = s->dir;
    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    packet_socket_init(&s->told, fds[0]);
    s->task.control = task_control_open(fds[1]);
    start_server(s);
}

static void shelf_close(struct shelf *s)
{
    close(s->server_fd);
    task_control_close(s->task.control);
    packet_socket_fini(&s->told);
    plan_fini(&s->plan);
    tree_remove(s->dir);
}

/* Has the attempt read this output, which was committed with this checksum. */
static void offer(struct shelf *s, uint32_t output, uint64_t checksum)
{
    struct packet m = {
        .type = PACKET_PLACE,
        .u.place = {.task = 4, .output = output, .checksum = checksum, .where = s->where}};

    expect(packet_socket_send(&s->told, &m) == 0);
    m = (struct packet){.type = PACKET_READ, .u.read = {.task = 4, .path = ""}};
    expect(packet_socket_send(&s->told, &m) == 0);
}

/* Offers the output with a wrong checksum, then with the right one. The first is refused for this
 * reason, and what the attempt reads begins with `text`. */
static void check_refused_once(struct task_input *(*open_input)(const struct task_attempt *t,
                                                                struct err *err),
                               uint32_t output, const char *why, const char *text)
{
    static const uint8_t answers[] = {PACKET_FETCH_STARTED, PACKET_FETCH_FAILED,
                                      PACKET_FETCH_STARTED, PACKET_FETCH_DONE};
    struct shelf s;
    struct task_sum sum = {0};
    struct capture said;
    struct err err;
    char want[128];
    const char *at;

    shelf_open(&s);
    expect(task_result_look(fetch_store_path(s.dir, output).text, output == RUN, &sum, &err) == 0);
    offer(&s, output, sum.of.checksum + 1);
    offer(&s, output, sum.of.checksum);
    capture_begin(&said, STDERR_FILENO);
    struct task_input *in = open_input(&s.task, &err);
    char *have = capture_end(&said);
    snprintf(want, sizeof want, "dolly: %s: %s; it will be made again\n", s.where, why);
    expect(strcmp(have, want) == 0);
    mem_free(have);
    for (int i = 0; i < 4; i++) {
        struct packet m = {0};
        expect(packet_socket_receive(&s.told, &m) == 1 && m.type == answers[i]);
        expect(m.u.fetch.error == (i == 1 ? EBADMSG : 0) && m.u.fetch.culprit == 4);
    }
    expect(in && in->feed(in, &at, &err) == (int64_t)strlen(text) &&
           strncmp(at, text, strlen(text)) == 0);
    in->close(in);
    shelf_close(&s);
}

TEST(task_merged_reads_what_was_committed)
{
    check_refused_once(task_merged_open, RUN, "the output changed since it was committed",
                       "b\tv\n");
}

TEST(task_printed_reads_what_was_committed)
{
    check_refused_once(task_printed_open, LINES, "an output has a wrong checksum",
                       "some\nlines\n");
}
