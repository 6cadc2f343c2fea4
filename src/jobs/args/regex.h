/* regex.h - Perl's regular expressions, by PCRE2. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct regex;

/* Bytes [from, to) of the searched text. */
struct regex_span {
    size_t from, to;
};

/* Compiles the expression. `^` and `$` also match at newlines; a dot matches no newline. `what`
 * names the option it came with. Returns NULL with *err if it is not an expression, or PCRE2 is
 * missing. */
struct regex *regex_compile(const char *perl, const char *what, struct err *err);
/* Frees the expression; NULL is fine. */
void regex_free(struct regex *r);

/* Finds the first match that begins at `start` or later, and sets *all to it and, unless NULL,
 * *group to its first group. Returns false if there is none. Ends the program with a message if the
 * search takes too many steps: continuing as if nothing matched would cut records wrongly. */
bool regex_find(const struct regex *r, const char *text, size_t length, size_t start,
                struct regex_span *all, struct regex_span *group);
