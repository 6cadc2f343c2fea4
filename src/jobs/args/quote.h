/* quote.h - quotes text as one word of a POSIX shell. */
#pragma once

#include <stdint.h>

#include "base/text.h"

/* Appends the text so that a shell reads it as exactly one word: unchanged if all its characters
 * are harmless, else in single quotes. */
void quote_add(struct str *out, const char *text);

/* Appends the name of a file, quoted for a command that a user may type: it is never taken for an
 * option, and has no control characters for the terminal. */
void quote_add_path(struct str *out, const char *path);

/* Splits a text into words as a shell does that knows only blanks, quotes and backslashes. The
 * caller owns the list and each of its *count words. */
char **quote_split(const char *text, uint32_t *count);
