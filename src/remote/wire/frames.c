/* Packets in an encrypted stream.
 *
 * Packets are gathered before they are sent: what one turn of a loop has to say is encrypted in
 * pieces of up to 16 KiB and goes to the kernel with one call for each, however many packets that
 * are. Receiving is the same the other way round: one piece may hold many frames, or a part of one.
 *
 * Buffers grow with what is under way and are freed with it. A peer cannot make us keep more than
 * one frame, the length of which is known to be good, and one piece of the stream. */
#include "remote/wire/frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/process/sys.h"

enum {
    FRAMES_PACKET_MIN = 5, /* type and handle */
    FRAMES_CHUNK = TLS_RECORD_MAX,
};

/* ---- making and ending ---- */

void frames_init(struct frames *f, struct tls_side *side, int fd)
{
    *f = (struct frames){.fd = fd};
    f->tls = tls_create(side, fd);
    if (!f->tls)
        mem_out(1, TLS_RECORD_MAX);
}

void frames_fini(struct frames *f)
{
    if (f->tls && f->greeted && !f->why[0])
        tls_end(f->tls);
    tls_destroy(f->tls);
    f->tls = NULL;
    sys_close(&f->fd);
    vec_free(&f->in);
    vec_free(&f->out);
}

static int frames_break(struct frames *f, const char *why)
{
    if (!f->why[0])
        snprintf(f->why, sizeof f->why, "%s", why);
    return -1;
}

/* What is to be done after a call that did nothing. */
static int frames_stop(struct frames *f, enum tls_result result)
{
    f->full |= result == TLS_FULL;
    if (result == TLS_AGAIN || result == TLS_FULL)
        return 0;
    if (result == TLS_CLOSED)
        return frames_break(f, errno ? strerror(errno) : "it has closed the connection");
    f->alien = true;
    return frames_break(f, tls_why());
}

int frames_greet(struct frames *f)
{
    if (f->why[0])
        return -1;
    if (f->greeted)
        return 1;
    f->full = false;
    enum tls_result result = tls_greet(f->tls);
    f->greeted = result == TLS_DONE;
    return f->greeted ? 1 : frames_stop(f, result);
}

int frames_watch(struct frames *f, int epoll_fd, uint64_t data)
{
    struct epoll_event e = {.events = EPOLLIN | (f->full ? EPOLLOUT : 0u), .data.u64 = data};
    int want = f->full ? 2 : 1, op = f->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (f->out.count == 0) /* not with each flush: a stream of pieces would make it anew for each */
        vec_free(&f->out);
    if (want == f->watched)
        return 0;
    f->watched = want;
    return sys_epoll_ctl(epoll_fd, op, f->fd, &e);
}

/* ---- sending ---- */

int frames_send(struct frames *f, const struct packet *m)
{
    uint32_t from = f->out.count, length = (uint32_t)packet_measure(m);

    if (length == 0)
        return -1;
    vec_reserve(&f->out, from + FRAMES_LENGTH_BYTES + length);
    unsigned char *at = f->out.at + from;
    for (int i = 0; i < FRAMES_LENGTH_BYTES; i++)
        at[i] = (unsigned char)(length >> (8 * i));
    packet_encode(m, at + FRAMES_LENGTH_BYTES);
    f->out.count = from + FRAMES_LENGTH_BYTES + length;
    return 0;
}

char *frames_place(struct frames *f, const struct packet *output)
{
    uint32_t length = (uint32_t)packet_measure(output), block = output->u.output.length + 1;

    vec_reserve(&f->out, f->out.count + FRAMES_LENGTH_BYTES + length);
    return (char *)f->out.at + f->out.count + FRAMES_LENGTH_BYTES + length - block;
}

/* A stream that is always full must not keep all that it has carried. */
static void frames_drop_sent(struct frames *f)
{
    if (f->sent < FRAMES_CHUNK)
        return;
    memmove(f->out.at, f->out.at + f->sent, f->out.count - f->sent);
    f->out.count -= f->sent;
    f->sent = 0;
}

int frames_flush(struct frames *f)
{
    if (f->why[0])
        return -1;
    if (!f->greeted)
        return 0;
    f->full = false;
    while (f->sent < f->out.count) {
        size_t count;
        enum tls_result result =
            tls_write(f->tls, f->out.at + f->sent, f->out.count - f->sent, &count);
        if (result != TLS_DONE) {
            frames_drop_sent(f);
            return frames_stop(f, result);
        }
        f->sent += (uint32_t)count;
    }
    f->sent = 0;
    vec_clear(&f->out);
    return 0;
}

/* ---- receiving ---- */

int64_t frames_measure(const unsigned char *at, size_t length)
{
    uint32_t packet = 0;

    if (length < FRAMES_LENGTH_BYTES)
        return 0;
    for (int i = 0; i < FRAMES_LENGTH_BYTES; i++)
        packet |= (uint32_t)at[i] << (8 * i);
    if (packet < FRAMES_PACKET_MIN || packet > PACKET_BYTES_MAX)
        return -1;
    return length - FRAMES_LENGTH_BYTES < packet ? 0 : FRAMES_LENGTH_BYTES + (int64_t)packet;
}

/* Reads more, behind what there is of a frame. 1 if something came, 0 if not, -1. */
static int frames_fill(struct frames *f)
{
    size_t count;

    if (f->taken) {
        memmove(f->in.at, f->in.at + f->taken, f->in.count - f->taken);
        f->in.count -= f->taken;
        f->taken = 0;
    }
    vec_reserve(&f->in, f->in.count + FRAMES_CHUNK);
    enum tls_result result =
        tls_read(f->tls, f->in.at + f->in.count, f->in.cap - f->in.count, &count);
    if (result == TLS_DONE) {
        f->in.count += (uint32_t)count;
        return 1;
    }
    if (f->in.count == 0)
        vec_free(&f->in);
    return frames_stop(f, result);
}

int frames_receive(struct frames *f, struct packet *m)
{
    if (f->why[0])
        return -1;
    if (!f->greeted)
        return 0;
    for (;;) {
        int64_t size =
            f->in.at ? frames_measure(f->in.at + f->taken, f->in.count - f->taken) : 0;
        if (size < 0)
            return frames_break(f, "it sent a frame of an impossible length");
        if (size > 0) {
            const unsigned char *packet = f->in.at + f->taken + FRAMES_LENGTH_BYTES;
            f->taken += (uint32_t)size;
            if (packet_decode(packet, (size_t)size - FRAMES_LENGTH_BYTES, m) == 0)
                return 1;
            return frames_break(f, "it sent a packet that cannot be read");
        }
        int got = frames_fill(f);
        if (got <= 0)
            return got;
    }
}
