#include "jobs/task/task_report.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

/* Hands texts over as a command writes them. Returns true if this came out on standard error. */
static bool passes(struct task_report *r, const char *const *pieces, const char *expected)
{
    struct capture c;

    capture_begin(&c, STDERR_FILENO);
    for (; *pieces; pieces++)
        task_report_note(r, *pieces, strlen(*pieces));
    task_report_note_end(r);
    char *passed = capture_end(&c);
    bool same = strcmp(passed, expected) == 0;
    mem_free(passed);
    return same;
}

TEST(task_report_takes_what_is_said_in_pieces)
{
    struct task_report r = {0};

    expect(passes(&r,
                  (const char *const[]){
                      "one\nrepor", "ter:counter:lin", "es,bad,2\nreporter:counter:lines,a,b,",
                      "40\nreporter:status:half way\nreporter:progress\nrepo", "man\nlast", NULL},
                  "one\nrepoman\nlast"));
    expect(r.counters.at.count == 2 && strcmp(r.status, "half way") == 0);
    expect(strcmp(r.counters.at.at[0].name, "a,b") == 0 && r.counters.at.at[0].sum == 40);
    expect(strcmp(r.counters.at.at[1].name, "bad") == 0 && r.counters.at.at[1].sum == 2);
    task_report_fini(&r);
}

TEST(task_report_passes_on_what_it_does_not_understand)
{
    struct task_report r = {0};

    expect(passes(&r,
                  (const char *const[]){"reporter:counter:a,b\n", "reporter:counter:a,b,c\n",
                                        "reporter:counter:a,1\nreporter:counter:1\n",
                                        " reporter:\n", "report", NULL},
                  "reporter:counter:a,b\nreporter:counter:a,b,c\nreporter:counter:a,1\n"
                  "reporter:counter:1\n reporter:\nreport"));
    expect(r.counters.at.count == 0);

    /* The last line counts without a newline, too. */
    expect(passes(&r, (const char *const[]){"reporter:counter:a,b,-1", NULL}, ""));
    expect(r.counters.at.count == 1 && r.counters.at.at[0].sum == -1);
    task_report_fini(&r);
}

TEST(task_report_passes_on_lines_that_come_in_pieces)
{
    struct task_report r = {0};

    expect(passes(&r,
                  (const char *const[]){"plain", " and", " long\n", "reporter:counter:a,b,1\n", "x",
                                        "reporter:counter:a,b,1\n", NULL},
                  "plain and long\nxreporter:counter:a,b,1\n"));
    expect(r.counters.at.count == 1 && r.counters.at.at[0].sum == 1);
    task_report_fini(&r);
}

TEST(task_report_tells_statuses_and_not_all_of_a_flood)
{
    enum { FLOOD = 1000 };
    struct packet_socket other;
    struct packet m;
    int fds[2], told = 0;

    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
    packet_socket_init(&other, fds[0]);
    struct task_report r = {.control = task_control_open(fds[1])};
    task_report_status(&r, "begins");
    expect(packet_socket_receive(&other, &m) == 1 && m.type == PACKET_STATUS);
    expect(strcmp(m.u.text, "begins") == 0);
    for (int i = 0; i < FLOOD; i++) {
        task_report_status(&r, "goes on");
        told += packet_socket_receive(&other, &m);
    }
    expect(told > 0 && told < FLOOD);
    task_report_status(&r, "ends"); /* and that is told, but later */
    expect(packet_socket_receive(&other, &m) == 0 && task_report_due_ms(&r) > 0);
    r.told_us = 0;
    expect(task_report_due_ms(&r) == -1 && packet_socket_receive(&other, &m) == 1);
    expect(strcmp(m.u.text, "ends") == 0 && task_report_due_ms(&r) == -1);
    task_control_close(r.control);
    packet_socket_fini(&other);
    task_report_fini(&r);
}

TEST(task_report_warns_once_of_too_many_counters)
{
    enum { MOST = 10000 };
    struct task_report r = {0};
    struct capture c;
    char name[16];

    capture_begin(&c, STDERR_FILENO);
    for (int i = 0; i < MOST + 2; i++) {
        snprintf(name, sizeof name, "n%05d", i);
        task_report_count(&r, "mine", name, 1);
    }
    task_report_count(&r, "mine", "n00000", 1); /* it was there before */
    char *warned = capture_end(&c);
    expect(strcmp(warned, "dolly: there are too many counters; new ones are not counted\n") == 0);
    expect(r.counters.at.count == MOST && r.counters.at.at[0].sum == 2);
    mem_free(warned);
    task_report_fini(&r);
}
