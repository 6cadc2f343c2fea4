/* line_record.h - lines as records: a key, a separator and a value, as in Hadoop Streaming.
 *
 * The key is the first fields of a line. A line with fewer fields is all key, and its value is
 * empty. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "data/record.h"

/* The number of bytes of the first fields, with the separators between them; a separator has one
 * character or more. */
uint32_t line_record_fields(const char *at, uint32_t length, const char *separator,
                            uint32_t fields);

/* The record of a line without its newline. */
struct data_record line_record_of(const char *line, uint32_t length, const char *separator,
                                  uint32_t fields);

/* Cuts pieces of a stream into lines. Zero-initialise. */
struct line_record_cutter {
    VEC(char) rest; /* the beginning of a line whose end has not arrived yet */
};
typedef int line_record_take(void *ctx, const char *line, uint32_t length, struct err *err);

/* Calls `take` for each line that ends in the piece. Returns -1 if `take` did, or a line has more
 * than 2 GiB. */
int line_record_cut(struct line_record_cutter *c, const char *at, size_t count,
                    line_record_take *take, void *ctx, struct err *err);
/* Calls `take` for a last line without a newline. Returns -1 if `take` did. */
int line_record_cut_end(struct line_record_cutter *c, line_record_take *take, void *ctx,
                        struct err *err);

/* The offset of the first line of a file that begins at or after `from`; 0 and `size` count as
 * beginnings. Pieces whose bounds are moved to such offsets have every line once, whole. Returns -1
 * with *err if the file cannot be read. */
int64_t line_record_start(int fd, const char *path, uint64_t size, uint64_t from, struct err *err);
