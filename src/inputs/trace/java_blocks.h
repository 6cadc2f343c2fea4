/* java_blocks.h - streams of packed blocks as Java's libraries write them, in which Spark keeps
 * event logs: lz4-java's (.lz4) and snappy-java's (.snappy). No tool of a shell reads them. */
#ifndef INPUTS_TRACE_JAVA_BLOCKS_H
#define INPUTS_TRACE_JAVA_BLOCKS_H

#include <stddef.h>

#include "base/err.h"

enum { JAVA_BLOCKS_MAGIC = 8 }; /* bytes by which a stream is known */

struct java_blocks;

/* The next packed bytes: 1, 0 at their end, or -1 with *err. They stay until the next call. */
typedef int java_blocks_pull(void *ctx, const char **at, size_t *length, struct err *err);

/* A stream that begins with these bytes, of which there are JAVA_BLOCKS_MAGIC or more, and goes on
 * with what `pull` brings. NULL: it is none. `name` is for messages and copied. */
struct java_blocks *java_blocks_begin(const char *head, size_t length, const char *name,
                                      java_blocks_pull *pull, void *ctx);
void java_blocks_end(struct java_blocks *b); /* NULL is fine */

/* The next bytes, unpacked: 1, 0 at the end, or -1 with *err: a block is damaged or cut off, or the
 * library is missing. They stay until the next call. */
int java_blocks_next(struct java_blocks *b, const char **at, size_t *length, struct err *err);

#endif
