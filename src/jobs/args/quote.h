/* quote.h - text as one word of a POSIX shell. */
#ifndef JOBS_ARGS_QUOTE_H
#define JOBS_ARGS_QUOTE_H

#include <stdint.h>

#include "base/text.h"

/* Appends the text so that a shell reads it as one word and as nothing else: as it is where it has
 * only harmless characters, else in single quotes. */
void quote_add(struct str *out, const char *text);

/* The same for the name of a file, in a command that a person is told to type: it is not taken for
 * an option, and a terminal obeys no character of it. */
void quote_add_path(struct str *out, const char *path);

/* The other way round: the words of a text as a shell reads them, which knows blanks, quotes and
 * backslashes and nothing else. Owned by the caller: each of *count words, and the list. */
char **quote_split(const char *text, uint32_t *count);

#endif
