#include "jobs/task/task_report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exec/process/packet_socket.h"
#include "jobs/task/task_control.h"
#include "tests/test.h"

/* Hands texts over as a command writes them, and says what came out on standard error. */
static void hear(struct task_report *r, const char *const *pieces, char passed[200])
{
    char path[] = "/tmp/dolly-report.XXXXXX";
    int fd = mkstemp(path), before = dup(STDERR_FILENO);

    dup2(fd, STDERR_FILENO);
    for (; *pieces; pieces++)
        task_report_note(r, *pieces, strlen(*pieces));
    task_report_note_end(r);
    dup2(before, STDERR_FILENO);
    ssize_t n = pread(fd, passed, 199, 0);
    passed[n > 0 ? n : 0] = 0;
    close(fd);
    close(before);
    unlink(path);
}

TEST(task_report_takes_what_is_said_in_pieces)
{
    struct task_report r = {0};
    char passed[200];

    hear(&r,
         (const char *const[]){
             "one\nrepor", "ter:counter:lin", "es,bad,2\nreporter:counter:lines,a,b,",
             "40\nreporter:status:half way\nreporter:progress\nrepo", "man\nlast", NULL},
         passed);
    expect(strcmp(passed, "one\nrepoman\nlast") == 0);
    expect(r.counters.at.count == 2 && strcmp(r.status, "half way") == 0);
    expect(strcmp(r.counters.at.at[0].name, "a,b") == 0 && r.counters.at.at[0].sum == 40);
    expect(strcmp(r.counters.at.at[1].name, "bad") == 0 && r.counters.at.at[1].sum == 2);
    task_report_fini(&r);
}

TEST(task_report_passes_on_what_it_does_not_understand)
{
    struct task_report r = {0};
    char passed[200];

    hear(&r,
         (const char *const[]){"reporter:counter:a,b\n", "reporter:counter:a,b,c\n", " reporter:\n",
                               "report", NULL},
         passed);
    expect(strcmp(passed, "reporter:counter:a,b\nreporter:counter:a,b,c\n reporter:\nreport") == 0);
    expect(r.counters.at.count == 0);

    /* The last line counts without a newline, too. */
    hear(&r, (const char *const[]){"reporter:counter:a,b,-1", NULL}, passed);
    expect(passed[0] == 0 && r.counters.at.count == 1 && r.counters.at.at[0].sum == -1);
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
