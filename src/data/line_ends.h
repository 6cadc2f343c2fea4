/* line_ends.h - adapts the ends of a file's lines to its readers.
 *
 * A shell's `read` does not see a last line without a newline, and the first line of the next file
 * would be joined to it: so the last line of a text gets its newline. A file with a zero among its
 * first bytes is not a text, and is unchanged. Under Hadoop every file is lines, and CR LF ends one
 * as LF does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Zero-initialise, except for the first two; free with vec_free(&e.copy). */
struct line_ends {
    bool always;   /* every file is a text */
    bool drops_cr; /* before LF */
    bool begun, is_text, has_cr;
    char last; /* the last byte handed on */
    VEC(char) copy;
};

/* Adapts the next piece of a file: sets *at to the bytes that replace it and returns their number,
 * which may be 0. They are valid until the next call. */
int64_t line_ends_pass(struct line_ends *e, const char **at, int64_t count);
/* Ends the file: sets *at to the missing end of its last line and returns its length. Another file
 * may follow. */
int64_t line_ends_finish(struct line_ends *e, const char **at);

/* Returns how many lines end in these bytes. */
uint64_t line_ends_count(const char *at, size_t count);
