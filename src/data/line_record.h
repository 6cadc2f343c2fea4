/* line_record.h - lines as records: a key, a separator and a value, as Hadoop Streaming has them.
 *
 * The key is the first fields of a line. A line with fewer is all key, and its value is empty. */
#ifndef DATA_LINE_RECORD_H
#define DATA_LINE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "data/record.h"

/* How many bytes the first fields have, with the separators between them, each of which is a
 * character or more. */
uint32_t line_record_fields(const char *at, uint32_t length, const char *separator,
                            uint32_t fields);

/* The record of a line without its newline. */
struct data_record line_record_of(const char *line, uint32_t length, const char *separator,
                                  uint32_t fields);

/* Cuts what comes in pieces into lines. Zero-initialise. */
struct line_record_cutter {
    VEC(char) rest; /* the beginning of a line whose end has not come yet */
};
typedef int line_record_take(void *ctx, const char *line, uint32_t length, struct err *err);

/* Calls `take` for each line that ends in the piece. -1: take said so, or a line has more than 2
 * GiB. */
int line_record_cut(struct line_record_cutter *c, const char *at, size_t count,
                    line_record_take *take, void *ctx, struct err *err);
/* The last line may end without a newline. */
int line_record_cut_end(struct line_record_cutter *c, line_record_take *take, void *ctx,
                        struct err *err);

#endif
