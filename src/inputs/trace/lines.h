/* lines.h - lines of a stream of blocks, and their fields, without copying. */
#ifndef INPUTS_TRACE_LINES_H
#define INPUTS_TRACE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/row.h"

#define LINES_LENGTH_MAX (64 << 20) /* of a line; what is longer is skipped */

/* Zero-initialise; free with lines_fini. */
struct lines {
    struct row_bytes carry; /* a line that began in an earlier block */
    bool is_carrying;
    bool is_skipping; /* the rest of a line that is too long */
    const char *at, *end;
    uint64_t number; /* of the line handed out last, from 1 */
};

void lines_fini(struct lines *l);

/* The next block; the one before must be used up. Borrowed until it is. */
void lines_feed(struct lines *l, const char *at, size_t length);

/* 1 with a line, without its newline (and carriage return); 0: the block is used up; -1: a line was
 * skipped because it is too long. The line is borrowed until the next call. */
int lines_next(struct lines *l, struct row_text *line);

/* After the last block: 1 with what stands behind the last newline, or 0. */
int lines_last(struct lines *l, struct row_text *line);

/* Cuts the line at each `mark`, into up to `most` fields; returns how many it has, but no more than
 * most. The last of `most` ends at the next mark, too. */
uint32_t lines_split(struct row_text line, char mark, struct row_text *fields, uint32_t most);

/* The next word of a line of words separated by blanks and tabs, which is cut off. False: there is
 * none. */
bool lines_word(struct row_text *line, struct row_text *word);

/* The first line of some bytes that is neither empty nor begins with `comment` (0: no comments);
 * false if there is none. The last line counts only if `is_all`, or else it may go on. */
bool lines_first(const char *at, size_t length, bool is_all, char comment, struct row_text *line);

#endif
