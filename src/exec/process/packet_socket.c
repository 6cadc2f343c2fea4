/* Packets over a socket, several in one call.
 *
 * A small task is a launch, a start and an end, and each packet in a call of its own, with another
 * call to learn that it was the last, was a tenth of what such a task cost us. So what is to be
 * sent is always queued first, and one call takes all that waits; and receiving asks for as many as
 * fit, so that fewer than asked for mean that there are no more. A stream of bytes with one buffer
 * would do the same, but a packet keeps its boundary even if one side is killed while it writes. */
#include "exec/process/packet_socket.h"

#include <errno.h>
#include <string.h>

#include "exec/process/sys.h"

void packet_socket_init(struct packet_socket *s, int fd)
{
    /* Room for the longest of packets, hardly any of which is ever touched. */
    *s = (struct packet_socket){.fd = fd,
                                .packet = mem_resize(NULL, PACKET_BYTES_MAX, 1),
                                .in = mem_resize(NULL, PACKET_SOCKET_BATCH, PACKET_BYTES_MAX)};
}

/* Epoll forgets a descriptor that is closed, but not while another process holds a copy of it, and
 * a new attempt does for a moment. */
static void packet_socket_close(struct packet_socket *s)
{
    if (s->fd >= 0 && s->watched)
        epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
    sys_close(&s->fd);
}

void packet_socket_fini(struct packet_socket *s)
{
    packet_socket_close(s);
    vec_free(&s->waiting);
    mem_free(s->packet);
    mem_free(s->in);
    s->packet = s->in = NULL;
}

void packet_socket_renew(struct packet_socket *s, int fd)
{
    packet_socket_close(s);
    vec_clear(&s->waiting);
    s->fd = fd;
    s->sent = 0;
    s->full = s->last = false;
    s->watched = 0;
    s->count = s->next = 0;
}

int packet_socket_watch(struct packet_socket *s, int epoll_fd, uint64_t data)
{
    struct epoll_event e = {.events = EPOLLIN | (s->full ? EPOLLOUT : 0u), .data.u64 = data};
    int want = s->full ? 2 : 1, op = s->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (want == s->watched)
        return 0;
    s->watched = want;
    s->epoll_fd = epoll_fd;
    return sys_epoll_ctl(epoll_fd, op, s->fd, &e);
}

/* ---- sending ---- */

/* Sends packets; returns how many were sent, 0 when the socket is full, -1 when it is broken. */
static int packet_socket_put(struct packet_socket *s, struct mmsghdr *packets, uint32_t count)
{
    int n;

    do
        n = sys_sendmmsg(s->fd, packets, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    s->full = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS);
    return s->full ? 0 : n;
}

int packet_socket_later(struct packet_socket *s, const struct packet *m)
{
    uint32_t size = (uint32_t)packet_encode(m, s->packet);

    if (size == 0) {
        errno = EMSGSIZE;
        return -1;
    }
    vec_append(&s->waiting, &size, sizeof size);
    vec_append(&s->waiting, s->packet, size);
    return 0;
}

int packet_socket_flush(struct packet_socket *s)
{
    while (s->sent < s->waiting.count) {
        struct iovec at[PACKET_SOCKET_BATCH];
        struct mmsghdr packets[PACKET_SOCKET_BATCH] = {0};
        uint32_t count = 0, size;

        for (size_t from = s->sent; from < s->waiting.count && count < PACKET_SOCKET_BATCH;
             count++) {
            memcpy(&size, s->waiting.at + from, sizeof size);
            at[count] = (struct iovec){s->waiting.at + from + sizeof size, size};
            packets[count].msg_hdr = (struct msghdr){.msg_iov = &at[count], .msg_iovlen = 1};
            from += sizeof size + size;
        }
        int gone = packet_socket_put(s, packets, count);
        if (gone <= 0)
            return gone;
        for (int i = 0; i < gone; i++)
            s->sent += sizeof size + at[i].iov_len;
    }
    vec_clear(&s->waiting);
    s->sent = 0;
    return 0;
}

int packet_socket_send(struct packet_socket *s, const struct packet *m)
{
    if (packet_socket_later(s, m) < 0)
        return -1;
    return s->full ? 0 : packet_socket_flush(s);
}

/* ---- receiving ---- */

/* 1 when something has come, 0 when nothing has, -1 when the socket is broken. */
static int packet_socket_fill(struct packet_socket *s)
{
    struct iovec at[PACKET_SOCKET_BATCH];
    struct mmsghdr packets[PACKET_SOCKET_BATCH] = {0};
    int n;

    for (uint32_t i = 0; i < PACKET_SOCKET_BATCH; i++) {
        at[i] = (struct iovec){s->in + (size_t)i * PACKET_BYTES_MAX, PACKET_BYTES_MAX};
        packets[i].msg_hdr = (struct msghdr){.msg_iov = &at[i], .msg_iovlen = 1};
    }
    do
        n = sys_recvmmsg(s->fd, packets, PACKET_SOCKET_BATCH, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    for (int i = 0; i < n; i++)
        s->lengths[i] = packets[i].msg_len;
    s->count = (uint32_t)n;
    s->next = 0;
    s->last = n < PACKET_SOCKET_BATCH;
    return n > 0;
}

int packet_socket_receive(struct packet_socket *s, struct packet *m)
{
    if (s->next == s->count) {
        if (s->last) { /* known without asking again */
            s->last = false;
            return 0;
        }
        int got = packet_socket_fill(s);
        if (got <= 0)
            return got;
    }
    uint32_t i = s->next++;
    if (s->lengths[i] == 0) {
        errno = 0;
        return -1;
    }
    if (packet_decode(s->in + (size_t)i * PACKET_BYTES_MAX, s->lengths[i], m) < 0) {
        errno = EPROTO;
        return -1;
    }
    return 1;
}
