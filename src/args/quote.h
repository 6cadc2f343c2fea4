/* quote.h - text as one word of a POSIX shell. */
#ifndef ARGS_QUOTE_H
#define ARGS_QUOTE_H

#include "base/text.h"

/* Appends the text so that a shell reads it as one word and as nothing else: as it is where it has
 * only harmless characters, else in single quotes. */
void quote_add(struct str *out, const char *text);

#endif
