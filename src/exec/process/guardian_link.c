/* guardian_link.c - the coordinator's end of the conversation with a guardian.
 *
 * The coordinator is a subreaper as well: if the guardian is killed, main processes die with it and
 * their descendants become our children, which are ended before the loss is reported. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "exec/process/descendants.h"
#include "exec/process/guardian.h"
#include "exec/process/packet_socket.h"
#include "exec/process/sys.h"

struct guardian_link {
    struct runner_link link; /* first */
    struct runner_options options;
    pid_t pid; /* 0: none */
    struct packet_socket socket;
    struct descendants descendants;
    char fatal[160]; /* what the guardian reported before it left */
};

static struct guardian_link *link_of(struct runner_link *r)
{
    return (struct guardian_link *)(void *)r;
}

__attribute__((format(printf, 2, 3))) static void link_lost(struct guardian_link *g,
                                                            const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    g->options.on_lost(g->options.ctx, text);
}

/* Ends the conversation, and with it the guardian and all that is left after it. Returns the
 * guardian's wait status. */
static int link_end(struct guardian_link *g)
{
    int status = 0;

    packet_socket_fini(&g->socket);
    while (g->pid > 0 && wait4(g->pid, &status, 0, NULL) < 0 && errno == EINTR)
        ;
    g->pid = 0;
    if (g->descendants.self)
        descendants_end_all(&g->descendants);
    return status;
}

/* After a failed send. These two errors come with an end of the conversation that says more. */
static void link_check_send(struct guardian_link *g)
{
    if (errno != EPIPE && errno != ECONNRESET)
        link_lost(g, "cannot send to the guardian process: %s", strerror(errno));
}

static int guardian_link_order(struct runner_link *r, const struct packet *p)
{
    struct guardian_link *g = link_of(r);

    if (g->socket.fd < 0 || packet_socket_send(&g->socket, p) == 0)
        return 0;
    if (errno == EMSGSIZE)
        return -1;
    link_check_send(g);
    return 0;
}

/* The conversation has ended although we did not end it. */
static void link_broke(struct guardian_link *g, int error)
{
    int status = link_end(g);

    if (error)
        link_lost(g, "the connection to the guardian process broke: %s", strerror(error));
    else if (g->fatal[0])
        link_lost(g, "the guardian process failed: %s; every attempt was ended", g->fatal);
    else if (WIFSIGNALED(status))
        link_lost(g, "the guardian process was killed by signal %d; every attempt was ended",
                  WTERMSIG(status));
    else
        link_lost(g, "the guardian process exited with status %d; every attempt was ended",
                  WEXITSTATUS(status));
}

static void guardian_link_event(struct runner_link *r, uint32_t tag)
{
    struct guardian_link *g = link_of(r);
    struct packet p;
    int got;

    (void)tag;
    if (g->socket.fd < 0)
        return;
    if (packet_socket_flush(&g->socket) < 0)
        link_check_send(g);
    while ((got = packet_socket_receive(&g->socket, &p)) > 0) {
        if (p.type == PACKET_FATAL)
            snprintf(g->fatal, sizeof g->fatal, "%s", p.u.text);
        else
            g->options.on_packet(g->options.ctx, &p);
    }
    if (got < 0)
        link_broke(g, errno == ECONNRESET ? 0 : errno);
}

static int link_watch(struct guardian_link *g)
{
    return packet_socket_watch(&g->socket, g->options.epoll_fd, g->options.epoll_tag);
}

static int64_t guardian_link_turn(struct runner_link *r)
{
    struct guardian_link *g = link_of(r);

    if (g->socket.fd >= 0 && link_watch(g) < 0)
        link_lost(g, "cannot wait for events: %s", strerror(errno));
    return INT64_MAX;
}

static void guardian_link_close(struct runner_link *r)
{
    struct guardian_link *g = link_of(r);

    link_end(g);
    descendants_fini(&g->descendants);
    mem_free(g);
}

struct runner_link *guardian_link_open(const struct runner_options *options, struct err *err)
{
    struct guardian_link *g = mem_zalloc(1, sizeof *g);
    int fd = -1;

    *g = (struct guardian_link){.link = {guardian_link_order, guardian_link_event,
                                         guardian_link_turn, guardian_link_close, NULL},
                                .options = *options,
                                .socket.fd = -1,
                                .descendants.list_fd = -1};
    bool ready = descendants_init(&g->descendants) == 0;
    if (ready)
        descendants_spare(&g->descendants);
    else
        err_system(err, "cannot prepare for orphans: %s", strerror(errno));
    if (ready && (g->pid = guardian_start(options, &fd, err)) >= 0) {
        packet_socket_init(&g->socket, fd);
        if (link_watch(g) == 0)
            return &g->link;
        err_system(err, "cannot wait for events: %s", strerror(errno));
    }
    guardian_link_close(&g->link);
    return NULL;
}
