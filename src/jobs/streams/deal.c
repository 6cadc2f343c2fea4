/* deal.c - passes a stream to running tasks. See deal.h.
 *
 * A pipe is open at both ends here until its task has opened it: else what is in it would be lost,
 * and who opens it would wait. From then on only the end for writing is, so that the task sees the
 * end of its stdin when that is closed. Its name is gone then, too: an attempt that came after it
 * would read the rest. */
#include "jobs/streams/deal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"
#include "exec/process/sys.h"

enum { PIPE_BYTES = 1 << 18 }; /* wanted; a system may allow less */

struct deal_hand {
    int fd; /* to write to; -1: closed */
    int in; /* the other end, until its task has opened it; then -1 */
    bool watched;
    VEC(char) waits; /* what is not in the pipe yet, */
    uint32_t from;   /* ... from here on */
};

static bool is_empty(const struct deal_hand *h)
{
    return h->from == h->waits.count;
}

static void watch(const struct deal *d, int fd, bool in, uint32_t for_what)
{
    struct epoll_event e = {.events = for_what, .data.fd = fd};

    epoll_ctl(d->fd, in ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e);
}

int deal_init(struct deal *d, const char *dir, int stream, uint32_t most, struct err *err)
{
    *d = (struct deal){.dir = dir, .stream = stream, .most = most, .reads = true};
    d->fd = epoll_create1(EPOLL_CLOEXEC);
    if (d->fd < 0)
        return err_system(err, "cannot watch standard input: %s", strerror(errno));
    watch(d, stream, true, EPOLLIN);
    return 0;
}

static struct path hand_name(const struct deal *d, uint32_t hand)
{
    return path_of("%s/%u", d->dir, hand);
}

static void hand_watch(const struct deal *d, struct deal_hand *h, bool wanted)
{
    if (wanted != h->watched)
        watch(d, h->fd, wanted, EPOLLOUT);
    h->watched = wanted;
}

/* Before the pipe is closed its name goes: who opened it then would wait for another end. */
static void hand_close(const struct deal *d, uint32_t hand)
{
    struct deal_hand *h = &d->hands.at[hand];

    if (h->fd < 0)
        return;
    unlink(hand_name(d, hand).text);
    hand_watch(d, h, false);
    sys_close(&h->fd);
    sys_close(&h->in);
    vec_free(&h->waits);
}

void deal_fini(struct deal *d)
{
    for (uint32_t i = 0; i < d->hands.count; i++)
        hand_close(d, i);
    vec_free(&d->hands);
    close(d->fd);
}

bool deal_stream_is_due(const struct deal *d)
{
    struct epoll_event events[8];
    int n = d->reads ? epoll_wait(d->fd, events, 8, 0) : 0;

    for (int i = 0; i < n; i++)
        if (events[i].data.fd == d->stream)
            return true;
    return false;
}

static int hand_open(struct deal *d, struct err *err)
{
    struct deal_hand h = {.fd = -1, .in = -1};
    struct path path = hand_name(d, d->hands.count);

    if (mkfifo(path.text, 0600) == 0)
        h.in = open(path.text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (h.in >= 0)
        h.fd = open(path.text, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (h.fd < 0) {
        err_system(err, "%s: cannot make a pipe: %s", path.text, strerror(errno));
        sys_close(&h.in);
        unlink(path.text);
        return -1;
    }
    fcntl(h.fd, F_SETPIPE_SZ, PIPE_BYTES);
    vec_push(&d->hands, h);
    return 0;
}

int64_t deal_next(struct deal *d, bool *is_new, struct err *err)
{
    int64_t found = -1;

    *is_new = d->hands.count < d->most;
    if (*is_new)
        return hand_open(d, err) < 0 ? -1 : (int64_t)d->hands.count - 1;
    for (uint32_t i = 0; i < d->most; i++) {
        uint32_t hand = (d->next + i) % d->most;
        const struct deal_hand *h = &d->hands.at[hand];
        if (h->fd >= 0 && (found < 0 || is_empty(h)))
            found = hand;
        if (h->fd >= 0 && is_empty(h))
            break;
    }
    if (found >= 0)
        d->next = ((uint32_t)found + 1) % d->most;
    return found;
}

void deal_give(struct deal *d, int64_t hand, const char *at, size_t length)
{
    struct deal_hand *h = &d->hands.at[hand];

    vec_append(&h->waits, at, length);
}

static void hand_flush(const struct deal *d, uint32_t hand)
{
    struct deal_hand *h = &d->hands.at[hand];
    ssize_t n = 1;

    while (h->fd >= 0 && n > 0 && !is_empty(h)) {
        n = write(h->fd, h->waits.at + h->from, h->waits.count - h->from);
        h->from += n > 0 ? (uint32_t)n : 0;
    }
    if (h->fd < 0)
        return;
    if (n < 0 && errno != EAGAIN && errno != EINTR) { /* it closed its stdin */
        hand_close(d, hand);
        return;
    }
    if (is_empty(h))
        h->waits.count = h->from = 0;
    hand_watch(d, h, !is_empty(h));
    if (d->is_over && h->in < 0 && is_empty(h))
        hand_close(d, hand);
}

void deal_turn(struct deal *d)
{
    bool room = d->hands.count < d->most;

    for (uint32_t i = 0; i < d->hands.count; i++) {
        hand_flush(d, i);
        room |= d->hands.at[i].fd >= 0 && is_empty(&d->hands.at[i]);
    }
    bool reads = room && !d->is_over;
    if (reads != d->reads)
        watch(d, d->stream, reads, EPOLLIN);
    d->reads = reads;
}

void deal_end(struct deal *d)
{
    d->is_over = true;
    deal_turn(d);
}

void deal_started(struct deal *d, uint32_t hand)
{
    if (hand >= d->hands.count || d->hands.at[hand].in < 0)
        return;
    unlink(hand_name(d, hand).text);
    sys_close(&d->hands.at[hand].in);
    deal_turn(d);
}

void deal_left(struct deal *d, uint32_t hand)
{
    if (hand < d->hands.count)
        hand_close(d, hand);
    deal_turn(d);
}

bool deal_is_done(const struct deal *d)
{
    if (!d->is_over && d->hands.count < d->most)
        return false;
    for (uint32_t i = 0; i < d->hands.count; i++)
        if (d->hands.at[i].fd >= 0)
            return false;
    return true;
}
