/* fetch_server.c - one thread, one epoll: the door, the owner, and readers. See fetch_server.h. */
#include "remote/fetch/fetch_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "exec/process/sys.h"
#include "remote/fetch/fetch_store.h"
#include "remote/wire/frames.h"

enum {
    SERVER_EVENTS = 64,
    SERVER_BACKLOG = 1024,
    SERVER_WAITING_MAX = PACKET_OUTPUT_MAX, /* bytes of one reader that wait to be sent */
    SERVER_PIECES = 16,                     /* to one reader before others get their turn */
    SERVER_REST_US = 100000,                /* without descriptors there is no use in listening */
};

enum { TAG_OWNER, TAG_DOOR, TAG_READERS }; /* of epoll: and what follows */

/* One that wants something. */
struct server_reader {
    struct frames frames;
    int fd;              /* what it gets; -1: nothing now */
    int64_t offset;      /* of its partition in the file, */
    int64_t sent, bytes; /* of which so much was sent */
    int64_t until_us;
    bool more; /* there is room for more of it */
};

struct fetch_server {
    const char *dir;
    struct tls_side *side;
    int epoll_fd, listen_fd;
    bool listens;      /* epoll tells of the door */
    int64_t listen_us; /* not before, as nobody can be accepted, */
    int64_t full_us;   /* or there is no place */
    struct server_reader *readers[FETCH_SERVER_READERS]; /* NULL: free */
};

/* ---- readers ---- */

static void drop(struct fetch_server *s, uint32_t i)
{
    struct server_reader *r = s->readers[i];

    frames_fini(&r->frames);
    sys_close(&r->fd);
    mem_free(r);
    s->readers[i] = NULL;
}

/* Answers what it wants, up to the bytes. False: it wants what no reader wants. */
static bool answer(struct fetch_server *s, struct server_reader *r, const struct packet *want)
{
    struct packet m = {.type = PACKET_PARTITION, .handle = want->handle};

    if (want->type != PACKET_WANT || r->fd >= 0)
        return false;
    r->fd = fetch_store_find(s->dir, want->handle, want->u.partition, &m.u.found, &r->offset);
    r->sent = 0;
    r->bytes = m.u.found.bytes;
    frames_send(&r->frames, &m);
    if (r->bytes == 0)
        sys_close(&r->fd);
    return true;
}

/* Hands the next piece to the stream. False: it cannot be read, or the file has become shorter. */
static bool send_piece(struct server_reader *r)
{
    struct packet m = {.type = PACKET_OUTPUT};
    int64_t left = r->bytes - r->sent;

    m.u.output.length = (uint32_t)(left < PACKET_OUTPUT_MAX ? left : PACKET_OUTPUT_MAX);
    char *piece = frames_place(&r->frames, &m);
    ssize_t n = sys_pread(r->fd, piece, m.u.output.length, r->offset + r->sent);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    m.u.output.length = (uint32_t)n;
    m.u.output.bytes = piece;
    m.u.output.offset = r->sent;
    frames_send(&r->frames, &m);
    r->sent += n;
    if (r->sent == r->bytes)
        sys_close(&r->fd);
    return true;
}

static bool takes_more(const struct server_reader *r)
{
    return r->fd >= 0 && frames_waiting(&r->frames) <= SERVER_WAITING_MAX;
}

/* Sends as much as the stream takes and is fair. False: the conversation is over. */
static bool send_more(struct server_reader *r)
{
    for (int i = 0; i < SERVER_PIECES && takes_more(r); i++)
        if (!send_piece(r) || frames_flush(&r->frames) < 0)
            return false;
    if (frames_flush(&r->frames) < 0)
        return false;
    r->more = takes_more(r); /* also if there was no room a moment ago: nobody will tell of it */
    return true;
}

/* Something may have come of it, or there is room. */
static void serve(struct fetch_server *s, uint32_t i)
{
    struct server_reader *r = s->readers[i];
    struct packet m;
    int got = frames_greet(&r->frames);
    int64_t before = r->sent + frames_waiting(&r->frames);

    while (got > 0 && (got = frames_receive(&r->frames, &m)) > 0) {
        r->until_us = clock_now_us() + FETCH_SERVER_QUIET_US;
        if (!answer(s, r, &m))
            got = -1;
    }
    if (got < 0 || !send_more(r) || frames_watch(&r->frames, s->epoll_fd, TAG_READERS + i) < 0) {
        drop(s, i);
        return;
    }
    if (r->sent + frames_waiting(&r->frames) != before)
        r->until_us = clock_now_us() + FETCH_SERVER_QUIET_US;
}

/* ---- the door ---- */

static void listen_again(struct fetch_server *s, bool on)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_DOOR};

    if (s->listens != on &&
        epoll_ctl(s->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, s->listen_fd, &e) == 0)
        s->listens = on;
}

/* A free place; if there is none, that of the reader that has been there longest without showing
 * that it has the key, if that is too long; else FETCH_SERVER_READERS. */
static uint32_t some_place(struct fetch_server *s)
{
    uint32_t oldest = FETCH_SERVER_READERS;

    for (uint32_t i = 0; i < FETCH_SERVER_READERS; i++) {
        const struct server_reader *r = s->readers[i];
        if (!r)
            return i;
        if (!r->frames.greeted &&
            (oldest == FETCH_SERVER_READERS || r->until_us < s->readers[oldest]->until_us))
            oldest = i;
    }
    if (oldest == FETCH_SERVER_READERS ||
        s->readers[oldest]->until_us - FETCH_SERVER_GREET_US + FETCH_SERVER_MUTE_US >
            clock_now_us())
        return FETCH_SERVER_READERS;
    drop(s, oldest);
    return oldest;
}

static void open_door(struct fetch_server *s)
{
    int on = 1;

    for (uint32_t i; (i = some_place(s)) < FETCH_SERVER_READERS;) {
        int fd = accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
                listen_again(s, false);
                s->listen_us = clock_now_us() + SERVER_REST_US;
            }
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct server_reader *r = s->readers[i] = mem_zalloc(1, sizeof *r);
        r->fd = -1;
        r->until_us = clock_now_us() + FETCH_SERVER_GREET_US;
        frames_init(&r->frames, s->side, fd);
        serve(s, i);
    }
    listen_again(s, false);
    s->full_us = clock_now_us() + FETCH_SERVER_MUTE_US; /* then one may have to make room */
}

/* ---- the loop ---- */

/* What is due; when the next thing is. */
static int64_t turn(struct fetch_server *s)
{
    int64_t now_us = clock_now_us(), next_us = INT64_MAX;
    bool room = false;

    for (uint32_t i = 0; i < FETCH_SERVER_READERS; i++) {
        struct server_reader *r = s->readers[i];
        if (r && r->more)
            serve(s, i);
        else if (r && now_us >= r->until_us)
            drop(s, i);
        room |= !s->readers[i];
        if (!(r = s->readers[i]))
            continue;
        int64_t due_us = r->more ? now_us : r->until_us;
        next_us = due_us < next_us ? due_us : next_us;
    }
    if (!s->listens && now_us >= s->listen_us && (now_us >= s->full_us || room))
        listen_again(s, true);
    int64_t wake_us = s->listen_us > now_us ? s->listen_us : s->full_us;
    return !s->listens && wake_us > now_us && wake_us < next_us ? wake_us : next_us;
}

/* False: the owner has ended. */
static bool wait_for(struct fetch_server *s, int64_t until_us)
{
    struct epoll_event events[SERVER_EVENTS];
    int n = sys_epoll_wait(s->epoll_fd, events, SERVER_EVENTS,
                           clock_timeout_ms(clock_now_us(), until_us));

    if (n < 0 && errno != EINTR)
        return false;
    for (int i = 0; i < n; i++) {
        uint64_t tag = events[i].data.u64;
        if (tag == TAG_OWNER)
            return false;
        if (tag == TAG_DOOR)
            open_door(s);
        else if (s->readers[tag - TAG_READERS])
            serve(s, (uint32_t)(tag - TAG_READERS));
    }
    return true;
}

/* The process itself: hands out until `owner` is closed at its other end. */
static void serve_all(const char *dir, const struct secret *secret, int listen_fd, int owner)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = TAG_OWNER};
    struct fetch_server s = {.dir = dir, .listen_fd = listen_fd, .epoll_fd = sys_epoll_create()};
    struct err err;

    s.side = tls_side_create(secret, true, &err);
    if (s.side && s.epoll_fd >= 0 && sys_epoll_ctl(s.epoll_fd, EPOLL_CTL_ADD, owner, &e) == 0)
        while (wait_for(&s, turn(&s)))
            ;
    for (uint32_t i = 0; i < FETCH_SERVER_READERS; i++)
        if (s.readers[i])
            drop(&s, i);
    tls_side_destroy(s.side);
    sys_close(&s.epoll_fd);
}

/* ---- starting ---- */

/* A socket that listens on our address of the connection, at any port. */
static int listen_beside(int connected, uint16_t *port)
{
    struct sockaddr_storage at = {0};
    socklen_t size = sizeof at;

    if (getsockname(connected, (struct sockaddr *)&at, &size) < 0)
        return -1;
    in_port_t *own = at.ss_family == AF_INET6 ? &((struct sockaddr_in6 *)(void *)&at)->sin6_port
                                              : &((struct sockaddr_in *)(void *)&at)->sin_port;
    *own = 0;
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &(int){FETCH_SERVER_GREET_US / 1000000},
                   sizeof(int));
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, SERVER_BACKLOG) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &size) == 0) {
        *port = ntohs(*own);
        return fd;
    }
    sys_close(&fd);
    return -1;
}

/* In the process of the server. It keeps nothing that is its parent's. */
__attribute__((noreturn)) static void begin(const char *dir, const struct secret *secret,
                                            int listen_fd, int owner)
{
    enum { OWNER = 3, DOOR };
    int null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

    /* Out of the way of where they are going to be. */
    listen_fd = fcntl(listen_fd, F_DUPFD_CLOEXEC, DOOR + 1);
    owner = fcntl(owner, F_DUPFD_CLOEXEC, DOOR + 1);
    for (int i = 0; i < OWNER; i++)
        dup2(null, i);
    if (listen_fd < 0 || owner < 0 || dup2(owner, OWNER) < 0 || dup2(listen_fd, DOOR) < 0)
        _exit(1);
    close_range(DOOR + 1, ~0u, 0);
    serve_all(dir, secret, DOOR, OWNER);
    _exit(0);
}

/* A child of a child that has ended is not ours. */
static int start_beside(const char *dir, const struct secret *secret, int listen_fd, int owner)
{
    int status = 1;
    pid_t between = sys_fork();

    if (between == 0) {
        pid_t server = fork();
        if (server == 0)
            begin(dir, secret, listen_fd, owner);
        _exit(server < 0);
    }
    if (between < 0)
        return -1;
    while (waitpid(between, &status, 0) < 0 && errno == EINTR)
        ;
    errno = EAGAIN;
    return status == 0 ? 0 : -1;
}

int fetch_server_start(const char *dir, const struct secret *secret, int connected, uint16_t *port,
                       struct err *err)
{
    int ends[2] = {-1, -1};
    int listen_fd = listen_beside(connected, port);

    if (listen_fd >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 &&
        start_beside(dir, secret, listen_fd, ends[1]) == 0) {
        sys_close(&listen_fd);
        sys_close(&ends[1]);
        return ends[0];
    }
    err_system(err, "cannot hand out outputs: %s", strerror(errno));
    sys_close(&listen_fd);
    sys_close(&ends[0]);
    sys_close(&ends[1]);
    return -1;
}
