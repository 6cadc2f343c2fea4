/* frames.h - one end of an exchange of packets over an encrypted stream.
 *
 * A frame is the length of a packet (4 bytes, lowest first) and the packet (exec/process/packet.h).
 * The length is checked before any of the packet is read. Sending never blocks: bytes that the
 * stream does not accept wait in memory until they are sent. A connection with nothing under way
 * keeps no buffers once it is watched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "exec/process/packet.h"
#include "remote/wire/tls.h"

enum { FRAMES_LENGTH_BYTES = 4, FRAMES_WHY_MAX = 128 };

struct frames {
    int fd;          /* owned; -1 when closed */
    struct tls *tls; /* owned */
    bool greeted;
    bool alien;  /* broken because the other end is not a valid peer */
    bool full;   /* it waits until the socket is writable */
    int watched; /* 1: epoll waits for input, 2: for input and for space to write */
    VEC(unsigned char) in, out;
    uint32_t taken;           /* bytes of `in` that were handed out */
    uint32_t sent;            /* bytes of `out` that were sent */
    char why[FRAMES_WHY_MAX]; /* the error, once it is broken */
};

/* Takes over a non-blocking socket that is connected or being connected. Borrows the side. */
void frames_init(struct frames *f, struct tls_side *side, int fd);

/* Sends the end of the stream if there is space for it, and closes. May be called again. */
void frames_fini(struct frames *f);

/* Continues the TLS handshake without blocking. Returns 1 once both ends know that the other has
 * the key, 0 until then, -1 with `why`. */
int frames_greet(struct frames *f);

/* Appends a packet to those that wait to be sent. Returns 0, or -1 if it is too long and was not
 * added. */
int frames_send(struct frames *f, const struct packet *m);

/* Returns the buffer for the bytes of this output, the packet to be sent next, so that sending it
 * need not copy them; fewer bytes than announced may be written. Valid until the next call. */
char *frames_place(struct frames *f, const struct packet *output);

/* Number of bytes that wait to be sent. */
static inline uint32_t frames_waiting(const struct frames *f)
{
    return f->out.count - f->sent;
}

/* Sends as many of the waiting bytes as the stream accepts. Returns 0, or -1 with `why`. */
int frames_flush(struct frames *f);

/* Receives the next packet; its strings are valid until the next call. Returns 1; 0 if none has
 * arrived; -1 with `why` if the other end has closed or sent something that is not a packet. */
int frames_receive(struct frames *f, struct packet *m);

/* Makes epoll wait for input, and for space to write if bytes wait to be sent, and frees memory
 * that sending does not need now. Call again before each sleep. `data` is attached to the events.
 * Returns 0, or -1 with errno. */
int frames_watch(struct frames *f, int epoll_fd, uint64_t data);

/* ---- the bytes themselves ---- */

/* Returns the size of the frame at the start of the bytes, including its length field; 0 if it is
 * not complete, -1 if it can never be a frame. */
int64_t frames_measure(const unsigned char *at, size_t length);
