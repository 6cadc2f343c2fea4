/* codec.h - how blocks of bytes are packed: not at all, fast (lz4) or well (zstd).
 *
 * A block is packed by itself and always into the same bytes, by the same version of a library. The
 * libraries are loaded when a codec is first used (base/os/lazy.h). One thread of a process packs
 * and unpacks. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* The numbers are part of the file format. */
enum codec { CODEC_PLAIN, CODEC_LZ4, CODEC_ZSTD, CODEC_COUNT };
#define CODEC_NAMES "plain|lz4|zstd" /* in the same order */

/* Loads the library of a codec; call before the functions below. Returns -1 with *err if it cannot
 * be loaded. */
int codec_load(enum codec codec, struct err *err);

/* Packs `count` bytes (not 0; not plain) into fewer than that at `to`, which has room for `count`.
 * Returns the packed size; 0: it is not smaller, and the bytes at `to` are undefined. */
uint32_t codec_pack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to);

/* Unpacks into exactly `length` bytes at `to`. Returns -1 if the packed bytes are damaged. */
int codec_unpack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to,
                 uint32_t length);
