/* line_ends.h - how lines of a file end for those who read them.
 *
 * A shell's `read` does not see a last line without a newline, and the first line of the next file
 * would go on with it: so the last line of a text gets its newline. What has a zero among its
 * first bytes is no text, and stays as it is. Under Hadoop all is lines, and CR LF ends one as LF
 * does. */
#ifndef DATA_LINE_ENDS_H
#define DATA_LINE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Zero-initialise but for the first two. */
struct line_ends {
    bool always;   /* whatever it is, it is lines */
    bool drops_cr; /* before LF */
    bool begun, is_text, has_cr;
    char last; /* byte that was handed on */
    VEC(char) copy;
};

/* Hands on bytes of a file that come in pieces: *at and the result, which may be 0, take the place
 * of *at and `count`, and live until the next call. */
int64_t line_ends_pass(struct line_ends *e, const char **at, int64_t count);
/* That was the file, and another may follow: what is lacking at its end, as above. */
int64_t line_ends_finish(struct line_ends *e, const char **at);
void line_ends_fini(struct line_ends *e);

#endif
