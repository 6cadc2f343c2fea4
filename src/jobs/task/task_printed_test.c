/* Outputs that are read as they were printed, one after the other. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_state.h"
#include "tests/unit/test.h"

enum { LINE = 1000, LINES = 300, PIECE = 1 << 18 };

static void write_output(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "we");

    expect(f && fwrite(text, 1, length, f) == length && fclose(f) == 0);
}

/* Three outputs: many lines, the last of which has no end; nothing; and one line. The reader has an
 * end for each line, and how far it has come is told in pieces. */
TEST(task_printed_has_all_lines_and_tells_how_far_it_is)
{
    struct task_plan plan = {.job = NULL};
    struct task_attempt t = {.number = 0, .first = 4, .last = 6};
    struct packet_socket told;
    struct err err = {.text = ""};
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], text[200] = "", want[200];
    char *lines = mem_zalloc(1, LINE * LINES);
    const char *contents[] = {lines, "", "end\n"}, *at = NULL;
    size_t lengths[] = {LINE * LINES - 1, 0, 4}, bytes = 0;
    int fds[2], progress[2];

    memset(lines, 'x', LINE * LINES);
    for (int i = 1; i <= LINES; i++)
        lines[i * LINE - 1] = '\n';
    test_folder(dir);
    plan_add_phase(&plan, "map", "cat");
    plan_add_phase(&plan, "all", "cat")->above = 0;
    t.plan = &plan;
    t.phase = &plan.phases.at[1];
    t.scratch = dir;
    expect(pipe2(progress, O_CLOEXEC | O_NONBLOCK) == 0);
    t.progress = progress[1];
    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    packet_socket_init(&told, fds[0]);
    t.control = task_control_open(fds[1]);
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%u", dir, i);
        write_output(path, contents[i], lengths[i]);
        struct packet m = {.type = PACKET_READ, .u.read = {.task = 4 + i, .path = path}};
        expect(packet_socket_send(&told, &m) == 0);
    }
    struct task_input *in = task_printed_open(&t, &err);
    expect(in && !err.text[0]);
    for (int64_t n; in && (n = in->feed(in, &at, &err)) != 0; bytes += (size_t)n) {
        bool is_end = bytes == LINE * LINES - 1;
        expect(n > 0 && n <= PIECE);
        if (n <= 0)
            break;
        for (int64_t i = 0; i < n; i++)
            if (at[i] != (bytes < LINE * LINES ? lines[bytes + (size_t)i] : "end\n"[i])) {
                expect(false);
                break;
            }
        expect(!is_end || (n == 1 && *at == '\n'));
    }
    expect(bytes == LINE * LINES + 4 && in && in->read == LINES + 1);
    ssize_t n = read(progress[0], text, sizeof text - 1);
    int total = LINE * LINES - 1 + 4;
    snprintf(want, sizeof want, "%d %d\n%d %d\n", PIECE, total, LINE * LINES - 1, total);
    expect(n > 0 && strcmp(text, want) == 0);
    if (in)
        in->close(in);
    task_control_close(t.control);
    packet_socket_fini(&told);
    plan_fini(&plan);
    close(progress[0]);
    close(progress[1]);
    mem_free(lines);
    tree_remove(dir);
}
