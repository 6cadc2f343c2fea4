/* frames.h - one end of a conversation in packets over an encrypted stream.
 *
 * A frame is the length of a packet (4 bytes, lowest first) and the packet (exec/process/packet.h).
 * The length is judged before any of the packet is read. Sending never blocks: what the stream does
 * not take waits in memory, and leaves it when it was sent. A conversation in which nothing is
 * under way keeps no buffers once it is watched. */
#ifndef REMOTE_WIRE_FRAMES_H
#define REMOTE_WIRE_FRAMES_H

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
    bool alien;  /* broken because the other end is not what it should be */
    bool full;   /* it waits for room to write */
    int watched; /* 1: epoll waits for input, 2: for room as well */
    VEC(unsigned char) in, out;
    uint32_t taken;           /* bytes of `in` that were handed out */
    uint32_t sent;            /* bytes of `out` that were sent */
    char why[FRAMES_WHY_MAX]; /* once it is broken: what was wrong */
};

/* Takes a connected socket, or one that is about to be, which must not block. Borrows the side. */
void frames_init(struct frames *f, struct tls_side *side, int fd);

/* Says goodbye if there is room, and closes. May be called again. */
void frames_fini(struct frames *f);

/* Greets the other end, as far as it goes. 1 once both know that the other has the key, 0 while
 * that is not known, -1 with `why`. */
int frames_greet(struct frames *f);

/* Adds a packet to those that wait to be sent. 0, or -1 when it is too long: nothing was added. */
int frames_send(struct frames *f, const struct packet *m);

/* Where the bytes of this output, the packet to be sent next, may be put so that sending it need
 * not copy them; fewer than it says will do. Valid until the next call. */
char *frames_place(struct frames *f, const struct packet *output);

/* How many bytes wait to be sent. */
static inline uint32_t frames_waiting(const struct frames *f)
{
    return f->out.count - f->sent;
}

/* Sends what waits, as far as the stream takes it. 0, or -1 with `why`. */
int frames_flush(struct frames *f);

/* The next packet; its strings are valid until the next call. 1; 0 when there is none now; -1 with
 * `why`: the other end has closed, or what it sent is no packet. */
int frames_receive(struct frames *f, struct packet *m);

/* Has epoll wait for input, and for room if something waits to be sent, and gives back what memory
 * sending does not need for now; to be called again before each sleep. `data` is that of the
 * events. 0, or -1 with errno. */
int frames_watch(struct frames *f, int epoll_fd, uint64_t data);

/* ---- the bytes themselves ---- */

/* The frame at the head of the bytes: its size with the length, 0 if it is not complete, -1 if it
 * can never be a frame. */
int64_t frames_measure(const unsigned char *at, size_t length);

#endif
