/* task_control.c - an attempt's end of its control socket. See task_control.h. */
#include "jobs/task/task_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "base/os/clock.h"
#include "exec/process/packet_socket.h"

struct task_control {
    struct packet_socket socket;
};

struct task_control *task_control_open(int fd)
{
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return NULL;
    struct task_control *c = mem_zalloc(1, sizeof *c);
    packet_socket_init(&c->socket, fd);
    return c;
}

void task_control_close(struct task_control *c)
{
    if (!c)
        return;
    packet_socket_fini(&c->socket);
    mem_free(c);
}

static int hung_up(struct err *err)
{
    return err_system(err, "the coordinator does not answer: %s",
                      errno ? strerror(errno) : "it has hung up");
}

static int wait_for(const struct task_control *c, short events, int64_t until_us, struct err *err)
{
    struct pollfd p = {c->socket.fd, events, 0};

    if (poll(&p, 1, clock_timeout_ms(clock_now_us(), until_us)) < 0 && errno != EINTR)
        return err_system(err, "poll: %s", strerror(errno));
    return 0;
}

int task_control_send(struct task_control *c, const struct packet *m, struct err *err)
{
    if (packet_socket_send(&c->socket, m) < 0)
        return hung_up(err);
    while (c->socket.full) {
        if (wait_for(c, POLLOUT, INT64_MAX, err) < 0)
            return -1;
        if (packet_socket_flush(&c->socket) < 0)
            return hung_up(err);
    }
    return 0;
}

int task_control_receive(struct task_control *c, int64_t until_us, struct packet *m,
                         struct err *err)
{
    for (;;) {
        int got = packet_socket_receive(&c->socket, m);
        if (got < 0)
            return hung_up(err);
        if (got > 0 || clock_now_us() >= until_us)
            return got;
        if (wait_for(c, POLLIN, until_us, err) < 0)
            return -1;
    }
}
