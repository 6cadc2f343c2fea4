/* java_blocks.h - streams of packed blocks from Java's libraries, in which Spark keeps event logs:
 * lz4-java's (.lz4) and snappy-java's (.snappy). No shell tool reads them. */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum { JAVA_BLOCKS_MAGIC = 8 }; /* bytes that identify a stream */

struct java_blocks;

/* Gets the next packed bytes: returns 1, 0 at their end, or -1 with *err. They are valid until the
 * next call. */
typedef int java_blocks_pull(void *ctx, const char **at, size_t *length, struct err *err);

/* Begins a stream with these bytes, of which there are JAVA_BLOCKS_MAGIC or more, and those of
 * `pull`. Returns NULL if they are not such a stream. `name` is for messages and copied. */
struct java_blocks *java_blocks_begin(const char *head, size_t length, const char *name,
                                      java_blocks_pull *pull, void *ctx);
void java_blocks_end(struct java_blocks *b); /* NULL is fine */

/* Gets the next bytes, unpacked: returns 1, 0 at the end, or -1 with *err if a block is damaged or
 * cut off, or the library is missing. They are valid until the next call. */
int java_blocks_next(struct java_blocks *b, const char **at, size_t *length, struct err *err);
