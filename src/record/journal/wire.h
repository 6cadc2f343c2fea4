/* wire.h - numbers and strings as bytes, the alphabet of the journal.
 *
 * Writing is straight-line code into memory that the caller has made large enough. Reading trusts
 * nothing: it uses a cursor that stops at the end and remembers that something was wrong,
 * so that a whole record is decoded first and judged once. A number has exactly one spelling.
 *
 *     uint     7 bits per byte, lowest first, high bit set on all but the last byte
 *     int      zigzag (0, -1, 1, -2, ...), then as uint
 *     fixed64  8 bytes, lowest first; fixed32 4
 *     at       12 bytes: job, task, phase, attempt (4, 4, 2, 2), lowest first
 *     string   uint n, then n bytes of which only the last is 0; n = 0 means NULL */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "core/model/id.h"

/* The longest spellings, in bytes. */
enum { WIRE_U16_MAX = 3, WIRE_U32_MAX = 5, WIRE_U64_MAX = 10, WIRE_AT_BYTES = 12 };

static inline unsigned char *wire_put_uint(unsigned char *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    *p++ = (unsigned char)v;
    return p;
}

static inline unsigned char *wire_put_int(unsigned char *p, int64_t v)
{
    return wire_put_uint(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static inline unsigned char *wire_put_fixed32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        *p++ = (unsigned char)(v >> 8 * i);
    return p;
}

static inline unsigned char *wire_put_fixed64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        *p++ = (unsigned char)(v >> 8 * i);
    return p;
}

/* What wire_put_string makes of "". */
#define WIRE_EMPTY_STRING "\1"

/* Bytes that wire_put_string needs at most. */
static inline size_t wire_string_bound(const char *text)
{
    return WIRE_U64_MAX + (text ? strlen(text) + 1 : 0);
}

static inline unsigned char *wire_put_string(unsigned char *p, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    p = wire_put_uint(p, n);
    if (n)
        memcpy(p, text, n);
    return p + n;
}

/* Bytes that wire_put_string has made of the text. */
static inline size_t wire_string_bytes(const char *text)
{
    unsigned char length[WIRE_U64_MAX];
    size_t n = strlen(text) + 1;
    return (size_t)(wire_put_uint(length, n) - length) + n;
}

/* Nodes are written plus one, so that NODE_NONE is the short 0. */
static inline unsigned char *wire_put_node(unsigned char *p, struct node_id node)
{
    return wire_put_uint(p, (uint32_t)(node.v + 1));
}

/* Nearly every record has a name, so it is not packed: twelve bytes are written four times as
 * fast as the six to nine that uints would take. */
static inline unsigned char *wire_put_at(unsigned char *p, struct attempt_ref at)
{
    p = wire_put_fixed64(p, at.job.v | (uint64_t)at.task << 32);
    return wire_put_fixed32(p, at.phase | (uint32_t)at.attempt << 16);
}

/* The bytes left to read. After something wrong, `bad` is set, nothing is left and every read gives
 * 0. */
struct wire_in {
    const unsigned char *at, *end;
    bool bad;
    bool old; /* from before JOURNAL_VERSION_APPS (journal_file.h) */
};

static inline size_t wire_left(const struct wire_in *in)
{
    return (size_t)(in->end - in->at);
}

static inline void wire_spoil(struct wire_in *in)
{
    in->bad = true;
    in->at = in->end;
}

static inline uint64_t wire_get_uint(struct wire_in *in)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint64_t byte = *in->at++;
        v |= (byte & 0x7f) << shift;
        if (byte >= 0x80)
            continue;
        if ((byte == 0 && shift > 0) || (shift == 63 && byte > 1))
            break; /* padded, or more than 64 bits */
        return v;
    }
    wire_spoil(in);
    return 0;
}

/* A uint that must not exceed `max`. */
static inline uint64_t wire_get_max(struct wire_in *in, uint64_t max)
{
    uint64_t v = wire_get_uint(in);
    if (v <= max)
        return v;
    wire_spoil(in);
    return 0;
}

static inline uint32_t wire_get_u32(struct wire_in *in)
{
    return (uint32_t)wire_get_max(in, UINT32_MAX);
}

static inline uint16_t wire_get_u16(struct wire_in *in)
{
    return (uint16_t)wire_get_max(in, UINT16_MAX);
}

/* A small number below `end`: an enum or a flag. */
static inline uint8_t wire_get_enum(struct wire_in *in, unsigned end)
{
    return (uint8_t)wire_get_max(in, end - 1);
}

static inline int64_t wire_get_int(struct wire_in *in)
{
    uint64_t v = wire_get_uint(in);
    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

static inline int32_t wire_get_i32(struct wire_in *in)
{
    int64_t v = wire_get_int(in);
    if (v >= INT32_MIN && v <= INT32_MAX)
        return (int32_t)v;
    wire_spoil(in);
    return 0;
}

static inline uint64_t wire_get_fixed64(struct wire_in *in)
{
    uint64_t v = 0;
    if (wire_left(in) < 8) {
        wire_spoil(in);
        return 0;
    }
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)*in->at++ << 8 * i;
    return v;
}

static inline uint32_t wire_get_fixed32(struct wire_in *in)
{
    uint32_t v = 0;
    if (wire_left(in) < 4) {
        wire_spoil(in);
        return 0;
    }
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)*in->at++ << 8 * i;
    return v;
}

/* A string inside the record itself, or NULL. */
static inline const char *wire_get_string(struct wire_in *in)
{
    size_t n = (size_t)wire_get_max(in, wire_left(in));
    if (n == 0)
        return NULL;
    if (n > wire_left(in) || memchr(in->at, 0, n) != in->at + n - 1) {
        wire_spoil(in);
        return NULL;
    }
    in->at += n;
    return (const char *)in->at - n;
}

static inline struct node_id wire_get_node(struct wire_in *in)
{
    return (struct node_id){(uint32_t)wire_get_max(in, NODES_MAX) - 1};
}

static inline struct attempt_ref wire_get_at(struct wire_in *in)
{
    uint64_t task = wire_get_fixed64(in);
    uint32_t rest = wire_get_fixed32(in);
    return (struct attempt_ref){
        {(uint32_t)task}, (uint32_t)(task >> 32), (uint16_t)rest, (uint16_t)(rest >> 16)};
}

/* Fields of a record, described once for both directions: with `in` a field is read from there into
 * *v, else it is written from *v to `out`. All is inlined into a function for each direction, so
 * that nothing is decided at run time. */
struct wire {
    unsigned char *out;
    struct wire_in *in;
    bool old; /* written as before JOURNAL_VERSION_APPS */
};
#define WIRE_BOTH static inline __attribute__((always_inline)) void
#define WIRE_FIELD(name, type, get, put)                                                           \
    WIRE_BOTH name(struct wire *w, type *v)                                                        \
    {                                                                                              \
        if (w->in)                                                                                 \
            *v = get(w->in);                                                                       \
        else                                                                                       \
            w->out = put(w->out, *v);                                                              \
    }
WIRE_FIELD(wire_uint, uint64_t, wire_get_uint, wire_put_uint)
WIRE_FIELD(wire_u32, uint32_t, wire_get_u32, wire_put_uint)
WIRE_FIELD(wire_u16, uint16_t, wire_get_u16, wire_put_uint)
WIRE_FIELD(wire_int, int64_t, wire_get_int, wire_put_int)
WIRE_FIELD(wire_i32, int32_t, wire_get_i32, wire_put_int)
WIRE_FIELD(wire_fixed64, uint64_t, wire_get_fixed64, wire_put_fixed64)
WIRE_FIELD(wire_string, const char *, wire_get_string, wire_put_string)
WIRE_FIELD(wire_node, struct node_id, wire_get_node, wire_put_node)
WIRE_FIELD(wire_at, struct attempt_ref, wire_get_at, wire_put_at)
#undef WIRE_FIELD

/* One byte below `end`, which is at most 128. */
WIRE_BOTH wire_enum(struct wire *w, uint8_t *v, unsigned end)
{
    if (w->in)
        *v = wire_get_enum(w->in, end);
    else
        *w->out++ = *v;
}

/* Memory that the pointers of a record lead to. Zero-initialise. */
struct wire_scratch {
    VEC(void *) blocks;
};

/* `count` zeroed objects that live until the scratch is reset. */
static inline void *wire_scratch_add(struct wire_scratch *s, size_t count, size_t size)
{
    void *block = mem_zalloc(count, size);
    vec_push(&s->blocks, block);
    return block;
}

/* Frees all blocks; the scratch can be used again. */
static inline void wire_scratch_reset(struct wire_scratch *s)
{
    vec_free_each(&s->blocks);
}
