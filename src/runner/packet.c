/* The packets of packet.h, byte by byte.
 *
 * A packet is the type (1 byte), the handle (4 bytes) and the fields of the type in the order of
 * struct packet. A string is its length (4 bytes), its bytes and a NUL, which lets the reader
 * use it in place. Writing and reading walk the same list of fields (packet_fields), so the two
 * cannot disagree; that is why there is no pair of functions per type. */
#include "runner/packet.h"

#include <stdbool.h>
#include <string.h>

/* A position in a packet being written (out) or read (in). `bad` once anything did not fit. */
struct packet_cursor {
    unsigned char *out;
    const unsigned char *in;
    size_t at, end;
    bool bad;
};

static void packet_number(struct packet_cursor *c, uint64_t *value, size_t bytes)
{
    if (c->bad || c->end - c->at < bytes) {
        c->bad = true;
        return;
    }
    if (!c->out)
        *value = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (c->out)
            c->out[c->at + i] = (unsigned char)(*value >> (8 * i));
        else
            *value |= (uint64_t)c->in[c->at + i] << (8 * i);
    }
    c->at += bytes;
}

/* packet_u8(c, &value) and so on, for each type of number. */
#define PACKET_NUMBER(name, type, bits)                                                            \
    static void packet_##name(struct packet_cursor *c, type *value)                                \
    {                                                                                              \
        uint64_t v = (bits)*value;                                                                 \
        packet_number(c, &v, sizeof(type));                                                        \
        *value = (type)(bits)v;                                                                    \
    }
PACKET_NUMBER(u8, uint8_t, uint8_t)
PACKET_NUMBER(u32, uint32_t, uint32_t)
PACKET_NUMBER(i32, int32_t, uint32_t)
PACKET_NUMBER(i64, int64_t, uint64_t)

static void packet_block(struct packet_cursor *c, const char **bytes, uint32_t *length)
{
    packet_u32(c, length);
    if (c->bad || c->end - c->at <= *length) { /* the NUL as well */
        c->bad = true;
        return;
    }
    if (c->out) {
        if (*length)
            memcpy(c->out + c->at, *bytes, *length);
        c->out[c->at + *length] = 0;
    } else {
        *bytes = (const char *)c->in + c->at;
        c->bad = c->in[c->at + *length] != 0;
    }
    c->at += *length + 1u;
}

static void packet_string(struct packet_cursor *c, const char **text)
{
    size_t have = c->out ? strlen(*text) : 0;
    uint32_t length = have < PACKET_BYTES_MAX ? (uint32_t)have : PACKET_BYTES_MAX;

    packet_block(c, text, &length);
    if (!c->out && !c->bad)
        c->bad = strlen(*text) != length;
}

static void packet_fields(struct packet_cursor *c, struct packet *m)
{
    packet_u8(c, &m->type);
    packet_u32(c, &m->handle);
    switch (m->type) {
    case PACKET_LAUNCH:
        packet_string(c, &m->u.launch.command);
        packet_string(c, &m->u.launch.stdin_path);
        packet_string(c, &m->u.launch.dir);
        packet_string(c, &m->u.launch.reuse);
        packet_block(c, &m->u.launch.env, &m->u.launch.env_bytes);
        packet_u8(c, &m->u.launch.extra);
        packet_u32(c, &m->u.launch.slow_milli);
        break;
    case PACKET_KILL:
        packet_i64(c, &m->u.grace_us);
        break;
    case PACKET_STARTED:
        break;
    case PACKET_LAUNCH_FAILED:
        packet_i32(c, &m->u.error);
        break;
    case PACKET_PROGRESS:
        packet_i64(c, &m->u.progress.done);
        packet_i64(c, &m->u.progress.total);
        break;
    case PACKET_EXITED:
    case PACKET_KILLED:
        packet_i32(c, &m->u.end.status);
        packet_i64(c, &m->u.end.wall_us);
        packet_i64(c, &m->u.end.cpu_us);
        packet_i64(c, &m->u.end.peak_rss_kib);
        packet_i64(c, &m->u.end.read_bytes);
        break;
    case PACKET_CORES:
        packet_i32(c, &m->u.cores.spare);
        packet_i32(c, &m->u.cores.each);
        break;
    case PACKET_FATAL:
        packet_string(c, &m->u.text);
        break;
    default:
        c->bad = true;
    }
}

size_t packet_encode(const struct packet *m, unsigned char *out)
{
    struct packet copy = *m;
    struct packet_cursor c = {.out = out, .end = PACKET_BYTES_MAX};

    packet_fields(&c, &copy);
    return c.bad ? 0 : c.at;
}

int packet_decode(const unsigned char *at, size_t length, struct packet *m)
{
    struct packet_cursor c = {.in = at, .end = length};

    *m = (struct packet){0};
    packet_fields(&c, m);
    if (m->type == PACKET_LAUNCH && !c.bad)
        c.bad = m->u.launch.env_bytes && m->u.launch.env[m->u.launch.env_bytes - 1] != 0;
    return c.bad || c.at != length ? -1 : 0;
}
