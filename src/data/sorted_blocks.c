/* sorted_blocks.c - a packed partition of a sorted file. See sorted_blocks.h. */
#include "data/sorted_blocks.h"

#include <string.h>

#include "base/mem.h"
#include "data/le.h"

enum { SPARE = 512 }; /* room for what the block before has left over: most records are smaller */

int sorted_blocks_init(struct sorted_blocks *b, enum codec codec, uint32_t block, const uint8_t *at,
                       uint64_t count)
{
    *b = (struct sorted_blocks){.codec = codec, .block = block, .at = at, .end = at};
    if (count == 0)
        return 0;
    if (count < SORTED_BLOCKS_TAIL)
        return -1;
    b->end = at + count - SORTED_BLOCKS_TAIL;
    b->left = le_get64(b->end);
    return 0;
}

void sorted_blocks_fini(struct sorted_blocks *b)
{
    mem_free(b->bytes);
    *b = (struct sorted_blocks){0};
}

/* Moves the bytes from `at` on to the beginning, with room for `more` behind them. */
static void reserve(struct sorted_blocks *b, const uint8_t *at, size_t rest, uint32_t more)
{
    if (rest > 0 && at != b->bytes)
        memmove(b->bytes, at, rest);
    if (rest + more <= b->capacity)
        return;
    b->capacity = b->capacity == 0 ? (size_t)more + SPARE : rest + more + b->capacity;
    b->bytes = mem_resize(b->bytes, b->capacity, 1);
}

int sorted_blocks_more(struct sorted_blocks *b, const uint8_t **at, const uint8_t **end)
{
    size_t rest = (size_t)(*end - *at);
    uint32_t length = b->left < b->block ? (uint32_t)b->left : b->block;

    if (sorted_blocks_over(b))
        return 0;
    if (b->left == 0 || b->end - b->at < SORTED_BLOCKS_HEAD)
        return -1;
    uint32_t head = le_get32(b->at), stored = head & ~SORTED_BLOCKS_AS_IS;
    b->at += SORTED_BLOCKS_HEAD;
    if (stored > (uint64_t)(b->end - b->at) ||
        (head & SORTED_BLOCKS_AS_IS ? stored != length : stored >= length))
        return -1;
    reserve(b, *at, rest, length);
    if (head & SORTED_BLOCKS_AS_IS)
        memcpy(b->bytes + rest, b->at, length);
    else if (codec_unpack(b->codec, b->at, stored, b->bytes + rest, length) < 0)
        return -1;
    b->at += stored;
    b->left -= length;
    *at = b->bytes;
    *end = b->bytes + rest + length;
    return 1;
}
