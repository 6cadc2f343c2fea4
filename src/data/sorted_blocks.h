/* sorted_blocks.h - a packed partition of a sorted file, unpacked block by block
 * (docs/inside/data-format.md).
 *
 * The requested bytes are contiguous in memory, however many blocks they span; the bytes after them
 * are kept in their block. The file is not trusted: memory is allocated for bytes that have been
 * unpacked, and for one block, whatever size the partition claims. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/codec.h"

enum {
    SORTED_BLOCKS_HEAD = 4,        /* bytes before a block */
    SORTED_BLOCKS_TAIL = 8,        /* bytes after the last block */
    SORTED_BLOCKS_MAX = 64 * 1024, /* bytes of a block before it is packed */
};
/* in the head: packing would not have made it smaller */
#define SORTED_BLOCKS_AS_IS (UINT32_C(1) << 31)

struct sorted_blocks {
    enum codec codec;
    uint32_t block;          /* bytes of each but the last one, before it is packed */
    const uint8_t *at, *end; /* blocks that are not unpacked yet */
    uint64_t left;           /* bytes in these, once they are unpacked */
    uint8_t *bytes;
    size_t capacity;
};

/* Begins with `count` bytes at `at`, which the caller owns. Returns -1 if it is not a packed
 * partition. Call sorted_blocks_fini in any case. */
int sorted_blocks_init(struct sorted_blocks *b, enum codec codec, uint32_t block, const uint8_t *at,
                       uint64_t count);
void sorted_blocks_fini(struct sorted_blocks *b);

/* Returns true if no block is left. */
static inline bool sorted_blocks_over(const struct sorted_blocks *b)
{
    return b->left == 0 && b->at == b->end;
}

/* Unpacks the next block after the bytes from *at to *end, which are empty or the last of the
 * unpacked ones, and updates both to the new position of these bytes. Returns 1; 0 if no block is
 * left; -1 if it is damaged. */
int sorted_blocks_more(struct sorted_blocks *b, const uint8_t **at, const uint8_t **end);
