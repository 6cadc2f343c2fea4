/* lines.h - lines of a stream of blocks, and their fields, without copying. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/row.h"

#define LINES_LENGTH_MAX (64 << 20) /* of a line; longer ones are skipped */

/* Zero-initialise; free with vec_free(&l.carry.at). */
struct lines {
    struct row_bytes carry; /* a line that began in an earlier block */
    bool is_carrying;
    bool is_skipping; /* the rest of a line that is too long */
    const char *at, *end;
    uint64_t number; /* of the line handed out last, from 1 */
};

/* Adds the next block; the one before must be used up. Borrowed until it is. */
void lines_feed(struct lines *l, const char *at, size_t length);

/* Returns 1 with a line, without its newline (and carriage return); 0 if the block is used up; -1
 * if a line was skipped because it is too long. The line is borrowed until the next call. */
int lines_next(struct lines *l, struct row_text *line);

/* Returns 1 with the text after the last newline, or 0. Call after the last block. */
int lines_last(struct lines *l, struct row_text *line);

/* Splits the line at each `mark`, into up to `most` fields; returns how many it has, but no more
 * than most. The last of `most` ends at the next mark, too. */
uint32_t lines_split(struct row_text line, char mark, struct row_text *fields, uint32_t most);

/* Removes the next word from a line of words separated by blanks and tabs. Returns false if there
 * is none. */
bool lines_word(struct row_text *line, struct row_text *word);

/* Finds the first line of some bytes that is neither empty nor begins with `comment` (0: no
 * comments); returns false if there is none. The last line counts only if `is_all`: otherwise it
 * may be incomplete. */
bool lines_first(const char *at, size_t length, bool is_all, char comment, struct row_text *line);
