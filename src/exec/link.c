#include "exec/link.h"

#include <errno.h>
#include <string.h>

#include "exec/sys.h"

void link_init(struct link *l, int fd)
{
    *l = (struct link){.fd = fd, .packet = mem_zalloc(PACKET_BYTES_MAX, 1)};
}

void link_fini(struct link *l)
{
    sys_close(&l->fd);
    vec_free(&l->waiting);
    mem_free(l->packet);
    l->packet = NULL;
}

bool link_waiting(const struct link *l)
{
    return l->waiting.count > 0;
}

/* 1 when the packet is gone, 0 when the socket is full. */
static int link_put(struct link *l, const unsigned char *packet, size_t length)
{
    ssize_t n;

    do
        n = sys_send(l->fd, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n >= 0)
        return 1;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? 0 : -1;
}

int link_send(struct link *l, const struct packet *m)
{
    size_t length = packet_encode(m, l->packet);

    if (length == 0) {
        errno = EMSGSIZE;
        return -1;
    }
    if (!link_waiting(l)) {
        int put = link_put(l, l->packet, length);
        if (put != 0)
            return put < 0 ? -1 : 0;
    }
    uint32_t size = (uint32_t)length, from = l->waiting.count;
    vec_reserve(&l->waiting, from + (uint32_t)sizeof size + size);
    memcpy(l->waiting.at + from, &size, sizeof size);
    memcpy(l->waiting.at + from + sizeof size, l->packet, size);
    l->waiting.count += (uint32_t)sizeof size + size;
    return 0;
}

int link_flush(struct link *l)
{
    while (l->sent < l->waiting.count) {
        uint32_t size;
        memcpy(&size, l->waiting.at + l->sent, sizeof size);
        int put = link_put(l, l->waiting.at + l->sent + sizeof size, size);
        if (put <= 0)
            return put;
        l->sent += sizeof size + size;
    }
    vec_clear(&l->waiting);
    l->sent = 0;
    return 0;
}

int link_receive(struct link *l, struct packet *m)
{
    ssize_t n;

    do
        n = sys_recv(l->fd, l->packet, PACKET_BYTES_MAX, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    if (n == 0) {
        errno = 0;
        return -1;
    }
    if (packet_decode(l->packet, (size_t)n, m) < 0) {
        errno = EPROTO;
        return -1;
    }
    return 1;
}
