#include "jobs/task/task_control.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/packet_socket.h"
#include "tests/unit/test.h"

static struct task_control *open_pair(int *theirs)
{
    int fds[2];
    expect(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
    struct task_control *c = task_control_open(fds[0]);
    expect(c && fcntl(fds[0], F_GETFD) == FD_CLOEXEC && fcntl(fds[0], F_GETFL) & O_NONBLOCK);
    *theirs = fds[1];
    return c;
}

/* Waits until the process sleeps; gives up after half a minute, as it may never do. */
static bool sleeps(pid_t pid)
{
    char path[40], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    for (int i = 0; i < 30000 && state != 'S'; i++) {
        FILE *f = fopen(path, "re");
        if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
            state = 0;
        if (f)
            fclose(f);
        usleep(1000);
    }
    return state == 'S';
}

/* A packet that its peer sends once the receiver sleeps: it neither spins nor gives up. */
TEST(task_control_sleeps_until_a_packet_comes)
{
    struct err err;
    struct packet m;
    int theirs;
    struct task_control *c = open_pair(&theirs);
    pid_t self = getpid(), peer = fork();
    if (peer == 0) {
        struct packet_socket s;
        packet_socket_init(&s, theirs);
        struct packet said = {.type = PACKET_NO_SPACE, .handle = sleeps(self) ? 7 : 8};
        _exit(packet_socket_send(&s, &said) < 0);
    }
    expect(task_control_receive(c, INT64_MAX, &m, &err) == 1);
    expect(m.type == PACKET_NO_SPACE && m.handle == 7);
    int status = -1;
    expect(waitpid(peer, &status, 0) == peer && status == 0);
    close(theirs);
    expect(task_control_receive(c, INT64_MAX, &m, &err) < 0);
    expect(strcmp(err.text, "the coordinator does not answer: it has hung up") == 0);
    task_control_close(c);
    task_control_close(NULL);
}

TEST(task_control_waits_no_longer_than_asked)
{
    struct err err;
    struct packet m;
    int theirs;
    struct task_control *c = open_pair(&theirs);
    expect(task_control_receive(c, 0, &m, &err) == 0);
    int64_t until_us = clock_now_us() + 20000;
    expect(task_control_receive(c, until_us, &m, &err) == 0 && clock_now_us() >= until_us);
    task_control_close(c);
    close(theirs);
    expect(!task_control_open(-1));
}

/* The socket has room for some hundred packets: the peer reads once the sender sleeps. All arrive,
 * in their order. */
TEST(task_control_waits_until_all_of_it_is_written)
{
    enum { PACKETS = 5000 };
    struct err err;
    int theirs;
    struct task_control *c = open_pair(&theirs);
    pid_t self = getpid(), peer = fork();
    if (peer == 0) {
        task_control_close(c);
        bool slept = sleeps(self);
        struct task_control *r = task_control_open(theirs);
        struct packet m;
        for (uint32_t i = 0; i < PACKETS; i++)
            if (task_control_receive(r, clock_now_us() + 60000000, &m, &err) != 1 || m.handle != i)
                _exit(1);
        _exit(slept ? 0 : 2);
    }
    close(theirs);
    int failed = 0;
    for (uint32_t i = 0; i < PACKETS; i++)
        failed +=
            task_control_send(c, &(struct packet){.type = PACKET_NO_SPACE, .handle = i}, &err);
    int status = -1;
    expect(failed == 0 && waitpid(peer, &status, 0) == peer && status == 0);
    expect(task_control_send(c, &(struct packet){.type = PACKET_NO_SPACE}, &err) < 0);
    expect(strstr(err.text, "the coordinator does not answer: "));
    task_control_close(c);
}
