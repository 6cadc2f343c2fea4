/* codec.h - how blocks of bytes are packed: not at all, fast (lz4) or well (zstd).
 *
 * A block is packed by itself and always into the same bytes, by the same version of a library. The
 * libraries are loaded when a codec is first used (base/os/lazy.h). One thread of a process packs
 * and unpacks. */
#ifndef DATA_CODEC_H
#define DATA_CODEC_H

#include <stdint.h>

#include "base/err.h"

/* The numbers are those of files. */
enum codec { CODEC_PLAIN, CODEC_LZ4, CODEC_ZSTD, CODEC_COUNT };
#define CODEC_NAMES "plain|lz4|zstd" /* in the same order */

/* Has to come before the others. -1: the library of this codec cannot be loaded. */
int codec_load(enum codec codec, struct err *err);

/* Packs `count` bytes (not none; not plain) into fewer than that at `to`, where there is room for
 * as many. How many it takes; 0: not fewer, and what is at `to` is of no use. */
uint32_t codec_pack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to);

/* Unpacks into `length` bytes and writes no more. -1: that is not what was packed. */
int codec_unpack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to,
                 uint32_t length);

#endif
