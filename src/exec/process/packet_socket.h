/* packet_socket.h - one end of an exchange of packets over a SOCK_SEQPACKET socket.
 *
 * Sending never blocks: packets that the socket does not accept wait in memory. Both ends do so; if
 * they blocked instead, each could wait for the other to read. Several packets pass the kernel in
 * one call where it supports that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "exec/process/packet.h"

enum { PACKET_SOCKET_BATCH = 8 }; /* packets in one call */

struct packet_socket {
    int fd;                     /* owned; -1 when closed */
    VEC(unsigned char) waiting; /* packets not yet sent, each after its length */
    size_t sent;                /* bytes of `waiting` that were sent */
    bool full;                  /* the socket did not accept all of it */
    int watched;  /* 1: epoll waits for input, 2: for input and space to write; 0: for nothing */
    int epoll_fd; /* the epoll that waits */
    unsigned char *packet; /* PACKET_BYTES_MAX, for encoding */
    unsigned char *in;     /* PACKET_SOCKET_BATCH x PACKET_BYTES_MAX, packets received ... */
    uint32_t lengths[PACKET_SOCKET_BATCH];
    uint32_t count, next; /* ... how many; the next one to hand out */
    bool last;            /* there were no more */
};

/* Takes the descriptor, which must not block. */
void packet_socket_init(struct packet_socket *s, int fd);
void packet_socket_fini(struct packet_socket *s);

/* Closes the descriptor, if there is one, and starts again with another, or with none (-1). */
void packet_socket_renew(struct packet_socket *s, int fd);

/* Queues a packet and sends as many as possible. Returns 0, or -1 with errno: EMSGSIZE if the
 * packet is too long (nothing is queued), else the socket is broken. */
int packet_socket_send(struct packet_socket *s, const struct packet *m);

/* Queues a packet, and sends nothing before the next packet_socket_send or packet_socket_flush. */
int packet_socket_later(struct packet_socket *s, const struct packet *m);

/* Sends as many of the waiting packets as the socket accepts. Returns 0, or -1 with errno if the
 * socket is broken. */
int packet_socket_flush(struct packet_socket *s);

/* Makes epoll wait for input, and for space to write if packets wait to be sent. Call again before
 * each sleep. `data` is attached to the events. Returns 0, or -1 with errno. */
int packet_socket_watch(struct packet_socket *s, int epoll_fd, uint64_t data);

/* Receives the next packet; its strings are valid until the next call on this socket. Returns 1; 0
 * if none has arrived; -1 with errno if the socket is broken, errno 0 if the other end has closed
 * it. */
int packet_socket_receive(struct packet_socket *s, struct packet *m);
