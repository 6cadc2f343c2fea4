/* run_blocks.h - a packed partition of a run file, unpacked block by block
 * (docs/inside/data-format.md).
 *
 * What is asked for is in memory together, however many blocks it lies in; what is behind it waits
 * in its block. Nothing is believed: room is made for bytes that have been unpacked, and for one
 * block, whatever the partition says that it holds. */
#ifndef DATA_RUN_BLOCKS_H
#define DATA_RUN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/codec.h"

enum {
    RUN_BLOCKS_HEAD = 4,        /* bytes before a block */
    RUN_BLOCKS_TAIL = 8,        /* and behind the last one */
    RUN_BLOCKS_MAX = 64 * 1024, /* bytes of a block before it is packed */
};
#define RUN_BLOCKS_AS_IS (UINT32_C(1) << 31) /* of the head: packing it would not have helped */

struct run_blocks {
    enum codec codec;
    uint32_t block;          /* bytes of each but the last one, before it is packed */
    const uint8_t *at, *end; /* blocks that are packed still */
    uint64_t left;           /* bytes in these, once they are unpacked */
    uint8_t *bytes;
    uint64_t room;
};

/* Begins with `count` bytes at `at`, which stay the caller's. -1: not a packed partition. End
 * with run_blocks_fini, whatever it says. */
int run_blocks_init(struct run_blocks *b, enum codec codec, uint32_t block, const uint8_t *at,
                    uint64_t count);
void run_blocks_fini(struct run_blocks *b);

/* Whether nothing is left that could be unpacked. */
static inline bool run_blocks_over(const struct run_blocks *b)
{
    return b->left == 0 && b->at == b->end;
}

/* Unpacks the next block behind the bytes from *at to *end, which are none or the last ones of what
 * it has unpacked so far, and moves both to where these are then. 1; or 0 if there is no block
 * left; or -1 if it is damaged. */
int run_blocks_more(struct run_blocks *b, const uint8_t **at, const uint8_t **end);

#endif
