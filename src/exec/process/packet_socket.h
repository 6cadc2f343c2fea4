/* packet_socket.h - one end of a conversation in packets over a SOCK_SEQPACKET socket.
 *
 * Sending never blocks: what the socket does not take waits in memory. Both ends do so; if they
 * blocked instead, each could wait for the other to read. Several packets go through the kernel in
 * one call where that can be had. */
#ifndef EXEC_PROCESS_PACKET_SOCKET_H
#define EXEC_PROCESS_PACKET_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "exec/process/packet.h"

enum { PACKET_SOCKET_BATCH = 8 }; /* packets in one call */

struct packet_socket {
    int fd;                     /* owned; -1 when closed */
    VEC(unsigned char) waiting; /* packets not yet sent, each behind its length */
    size_t sent;                /* bytes of `waiting` that were sent */
    bool full;                  /* the socket did not take all of it */
    int watched;                /* 1: epoll waits for input, 2: for room as well; 0: for nothing */
    int epoll_fd;               /* that does */
    unsigned char *packet;      /* PACKET_BYTES_MAX, for encoding */
    unsigned char *in;          /* PACKET_SOCKET_BATCH x PACKET_BYTES_MAX, packets received ... */
    uint32_t lengths[PACKET_SOCKET_BATCH];
    uint32_t count, next; /* ... how many; the next one to hand out */
    bool last;            /* there were no more */
};

/* Takes the descriptor, which must not block. */
void packet_socket_init(struct packet_socket *s, int fd);
void packet_socket_fini(struct packet_socket *s);

/* Closes the descriptor, if there is one, and begins anew with another, or with none (-1). */
void packet_socket_renew(struct packet_socket *s, int fd);

/* Queues a message and sends what can be sent. 0, or -1 with errno: EMSGSIZE when the message is
 * too long (nothing is queued), else the socket is broken. */
int packet_socket_send(struct packet_socket *s, const struct packet *m);

/* The same, but nothing is sent before the next packet_socket_send or packet_socket_flush. */
int packet_socket_later(struct packet_socket *s, const struct packet *m);

/* Sends what waits, as far as the socket takes it. 0, or -1 with errno when the socket is broken.
 */
int packet_socket_flush(struct packet_socket *s);

/* Has epoll wait for input, and for room if packets wait to be sent; to be called again before each
 * sleep. `data` is that of the events. 0, or -1 with errno. */
int packet_socket_watch(struct packet_socket *s, int epoll_fd, uint64_t data);

/* The next message; its strings are valid until the next call on this socket. Returns 1; 0 when
 * there is none now; -1 with errno when the socket is broken, errno 0 if the other end has closed
 * it. */
int packet_socket_receive(struct packet_socket *s, struct packet *m);

#endif
