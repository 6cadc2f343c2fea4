/* java_blocks.c - two formats of packed blocks.
 *
 * lz4-java: each block has "LZ4Block", a byte (16: stored, 32: packed; and how large blocks may
 * be), two lengths and a checksum of the unpacked bytes, in little-endian. A block of length 0 is
 * the end, after which another stream may begin. Where it is missing the file is cut off, or an
 * application still writes it.
 *
 * snappy-java: "\x82SNAPPY\0" and two versions, then blocks, each after its packed length in
 * big-endian. There is neither a checksum nor an end; the magic occurs again where streams were
 * concatenated. */
#include "inputs/trace/java_blocks.h"

#include <inttypes.h>
#include <snappy-c.h>
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/os/lazy.h"
#include "base/vec.h"
#include "data/codec.h"
#include "data/le.h"

#define SNAPPY_FUNCTIONS(F) F(snappy_uncompress) F(snappy_uncompressed_length)

static struct {
    SNAPPY_FUNCTIONS(LAZY_MEMBER)
} snappy;
static struct lazy_library snappy_library = {.file = "libsnappy.so.1",
                                             .names = LAZY_NAMES(SNAPPY_FUNCTIONS),
                                             .linked = LAZY_LINKED(SNAPPY_FUNCTIONS),
                                             .functions = &snappy};

static const char lz4_magic[] = "LZ4Block", snappy_magic[] = "\x82SNAPPY";

enum {
    LZ4_HEAD = 21,
    LZ4_STORED = 0x10,
    LZ4_PACKED = 0x20,
    LZ4_LEAST_BITS = 10, /* of the largest block, to which the token adds */
    SNAPPY_HEAD = 16,
    BLOCK_MAX = 64 << 20, /* bytes of a block; Spark's have 32 KiB */
};
#define LZ4_SEED 0x9747b28cU /* of its checksums, of which 28 bits are kept */
#define LZ4_SUM 0x0fffffffU

struct java_blocks {
    bool is_snappy, is_over; /* is_over: of lz4, the end was seen */
    char *name;
    java_blocks_pull *pull;
    void *ctx;
    VEC(char) in; /* packed bytes, from `used` on */
    uint32_t used;
    uint64_t at; /* of the first of them in the stream */
    char *out;
    size_t capacity;
};

static bool is_magic(const char *at, const char *magic)
{
    return memcmp(at, magic, JAVA_BLOCKS_MAGIC) == 0;
}

static void keep(struct java_blocks *b, const char *at, size_t length)
{
    b->in.count -= b->used;
    if (b->in.count > 0)
        memmove(b->in.at, b->in.at + b->used, b->in.count);
    b->used = 0;
    vec_append(&b->in, at, length);
}

struct java_blocks *java_blocks_begin(const char *head, size_t length, const char *name,
                                      java_blocks_pull *pull, void *ctx)
{
    bool is_snappy = is_magic(head, snappy_magic);
    if (!is_snappy && !is_magic(head, lz4_magic))
        return NULL;
    struct java_blocks *b = mem_zalloc(1, sizeof *b);
    b->is_snappy = is_snappy;
    b->name = mem_strdup(name);
    b->pull = pull;
    b->ctx = ctx;
    keep(b, head, length);
    return b;
}

void java_blocks_end(struct java_blocks *b)
{
    if (!b)
        return;
    vec_free(&b->in);
    mem_free(b->out);
    mem_free(b->name);
    mem_free(b);
}

static int damaged(const struct java_blocks *b, const char *what, struct err *err)
{
    return err_set(err, "%s: the %s block at byte %" PRIu64 " %s", b->name,
                   b->is_snappy ? "snappy" : "lz4", b->at, what);
}

/* Pulls until `length` bytes are there: 1, 0 if the stream ends before the first of them, -1. */
static int want(struct java_blocks *b, size_t length, struct err *err)
{
    while (b->in.count - b->used < length) {
        const char *at;
        size_t n;
        int got = b->pull(b->ctx, &at, &n, err);
        if (got < 0)
            return -1;
        if (got == 0)
            return b->in.count == b->used ? 0 : damaged(b, "is cut off", err);
        keep(b, at, n);
    }
    return 1;
}

static const unsigned char *here(const struct java_blocks *b)
{
    return (const unsigned char *)b->in.at + b->used;
}

static void skip(struct java_blocks *b, size_t length)
{
    b->used += (uint32_t)length;
    b->at += length;
}

static uint32_t big(const unsigned char *p)
{
    return p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static char *buffer_of(struct java_blocks *b, size_t length)
{
    if (length > b->capacity) {
        mem_free(b->out);
        b->out = mem_zalloc(1, length);
        b->capacity = length;
    }
    return b->out;
}

/* ---- lz4-java ---- */

/* 1: *length bytes are in b->out, which may be none, at the end; 0: there are no more blocks. */
static int next_lz4(struct java_blocks *b, size_t *length, struct err *err)
{
    int got = want(b, LZ4_HEAD, err);
    if (got == 0 && !b->is_over)
        return err_set(err,
                       "%s: ends without the mark of its end: it is cut off, or is still written",
                       b->name);
    if (got <= 0)
        return got;
    const unsigned char *head = here(b);
    uint32_t method = head[8] & 0xf0U, packed = le_get32(head + 9), plain = le_get32(head + 13);
    uint32_t sum = le_get32(head + 17), most = 1U << (LZ4_LEAST_BITS + (head[8] & 0x0fU));
    if (!is_magic((const char *)head, lz4_magic) ||
        (method != LZ4_STORED && method != LZ4_PACKED) || plain > most || packed > BLOCK_MAX ||
        (plain == 0) != (packed == 0) || (method == LZ4_STORED && plain != packed) ||
        (plain == 0 && sum != 0))
        return damaged(b, "is damaged: it does not begin as one", err);
    if (want(b, LZ4_HEAD + (size_t)packed, err) < 0)
        return -1;
    const uint8_t *from = here(b) + LZ4_HEAD;
    uint8_t *to = (uint8_t *)buffer_of(b, plain);
    if (method == LZ4_STORED && plain > 0)
        memcpy(to, from, plain);
    else if (plain > 0 && codec_unpack(CODEC_LZ4, from, packed, to, plain) < 0)
        return damaged(b, "is damaged: it cannot be unpacked", err);
    if (plain > 0 && (XXH32(to, plain, LZ4_SEED) & LZ4_SUM) != sum)
        return damaged(b, "is damaged: its checksum is wrong", err);
    b->is_over = plain == 0;
    skip(b, LZ4_HEAD + (size_t)packed);
    *length = plain;
    return 1;
}

/* ---- snappy-java ---- */

static int next_snappy(struct java_blocks *b, size_t *length, struct err *err)
{
    int got = want(b, 4, err);
    if (got <= 0)
        return got;
    uint32_t packed = big(here(b));
    if (packed == big((const unsigned char *)snappy_magic)) {
        if (want(b, SNAPPY_HEAD, err) < 0)
            return -1;
        if (!is_magic((const char *)here(b), snappy_magic))
            return damaged(b, "is damaged: it does not begin as one", err);
        skip(b, SNAPPY_HEAD);
        *length = 0;
        return 1;
    }
    if (packed > BLOCK_MAX)
        return damaged(b, "is damaged: it would have more than 64 MiB", err);
    if (want(b, 4 + (size_t)packed, err) < 0)
        return -1;
    const char *from = (const char *)here(b) + 4;
    size_t plain;
    if (snappy.snappy_uncompressed_length(from, packed, &plain) != SNAPPY_OK || plain > BLOCK_MAX)
        return damaged(b, "is damaged: it cannot be unpacked", err);
    char *to = buffer_of(b, plain);
    if (plain > 0 && snappy.snappy_uncompress(from, packed, to, &plain) != SNAPPY_OK)
        return damaged(b, "is damaged: it cannot be unpacked", err);
    skip(b, 4 + (size_t)packed);
    *length = plain;
    return 1;
}

int java_blocks_next(struct java_blocks *b, const char **at, size_t *length, struct err *err)
{
    int got;
    if ((b->is_snappy ? lazy_load(&snappy_library, err) : codec_load(CODEC_LZ4, err)) < 0)
        return -1;
    do
        got = (b->is_snappy ? next_snappy : next_lz4)(b, length, err);
    while (got > 0 && *length == 0);
    *at = b->out;
    return got;
}
