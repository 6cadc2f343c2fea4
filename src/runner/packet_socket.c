/* Packets over a socket, several in one call.
 *
 * A small task is a launch, a start and an end, and each packet in a call of its own, with another
 * call to learn that there is no more, was a tenth of what such a task cost us. So what is to be
 * sent is always queued first, and one call takes all that waits; and receiving asks for as many as
 * fit, so that fewer than asked for mean that there are no more. A stream of bytes with one buffer
 * would do the same, but a packet keeps its boundary even if one side is killed while it writes. */
#include "runner/packet_socket.h"

#include <errno.h>
#include <string.h>

#include "runner/sys.h"

void packet_socket_init(struct packet_socket *l, int fd)
{
    *l = (struct packet_socket){.fd = fd,
                                .packet = mem_zalloc(PACKET_BYTES_MAX, 1),
                                .in = mem_zalloc(PACKET_SOCKET_BATCH, PACKET_BYTES_MAX)};
}

void packet_socket_fini(struct packet_socket *l)
{
    sys_close(&l->fd);
    vec_free(&l->waiting);
    mem_free(l->packet);
    mem_free(l->in);
    l->packet = l->in = NULL;
}

bool packet_socket_waiting(const struct packet_socket *l)
{
    return l->full;
}

/* ---- sending ---- */

/* Sends packets; returns how many are gone, 0 when the socket is full, -1 when it is broken. */
static int link_put(struct packet_socket *l, struct mmsghdr *packets, uint32_t count)
{
    int n;

    do
        n = sys_sendmmsg(l->fd, packets, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    l->full = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS);
    return l->full ? 0 : n;
}

int packet_socket_later(struct packet_socket *l, const struct packet *m)
{
    uint32_t size = (uint32_t)packet_encode(m, l->packet), from = l->waiting.count;

    if (size == 0) {
        errno = EMSGSIZE;
        return -1;
    }
    vec_reserve(&l->waiting, from + (uint32_t)sizeof size + size);
    memcpy(l->waiting.at + from, &size, sizeof size);
    memcpy(l->waiting.at + from + sizeof size, l->packet, size);
    l->waiting.count += (uint32_t)sizeof size + size;
    return 0;
}

int packet_socket_flush(struct packet_socket *l)
{
    while (l->sent < l->waiting.count) {
        struct iovec at[PACKET_SOCKET_BATCH];
        struct mmsghdr packets[PACKET_SOCKET_BATCH] = {0};
        uint32_t count = 0, size;

        for (size_t from = l->sent; from < l->waiting.count && count < PACKET_SOCKET_BATCH;
             count++) {
            memcpy(&size, l->waiting.at + from, sizeof size);
            at[count] = (struct iovec){l->waiting.at + from + sizeof size, size};
            packets[count].msg_hdr = (struct msghdr){.msg_iov = &at[count], .msg_iovlen = 1};
            from += sizeof size + size;
        }
        int gone = link_put(l, packets, count);
        if (gone <= 0)
            return gone;
        for (int i = 0; i < gone; i++)
            l->sent += sizeof size + at[i].iov_len;
    }
    vec_clear(&l->waiting);
    l->sent = 0;
    return 0;
}

int packet_socket_send(struct packet_socket *l, const struct packet *m)
{
    if (packet_socket_later(l, m) < 0)
        return -1;
    return l->full ? 0 : packet_socket_flush(l);
}

/* ---- receiving ---- */

/* 1 when something has come, 0 when nothing has, -1 when the link is broken. */
static int link_fill(struct packet_socket *l)
{
    struct iovec at[PACKET_SOCKET_BATCH];
    struct mmsghdr packets[PACKET_SOCKET_BATCH] = {0};
    int n;

    for (uint32_t i = 0; i < PACKET_SOCKET_BATCH; i++) {
        at[i] = (struct iovec){l->in + (size_t)i * PACKET_BYTES_MAX, PACKET_BYTES_MAX};
        packets[i].msg_hdr = (struct msghdr){.msg_iov = &at[i], .msg_iovlen = 1};
    }
    do
        n = sys_recvmmsg(l->fd, packets, PACKET_SOCKET_BATCH, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    for (int i = 0; i < n; i++)
        l->lengths[i] = packets[i].msg_len;
    l->count = (uint32_t)n;
    l->next = 0;
    l->last = n < PACKET_SOCKET_BATCH;
    return n > 0;
}

int packet_socket_receive(struct packet_socket *l, struct packet *m)
{
    if (l->next == l->count) {
        if (l->last) { /* known without asking again */
            l->last = false;
            return 0;
        }
        int got = link_fill(l);
        if (got <= 0)
            return got;
    }
    uint32_t i = l->next++;
    if (l->lengths[i] == 0) {
        errno = 0;
        return -1;
    }
    if (packet_decode(l->in + (size_t)i * PACKET_BYTES_MAX, l->lengths[i], m) < 0) {
        errno = EPROTO;
        return -1;
    }
    return 1;
}
