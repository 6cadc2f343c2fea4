/* escape.h - \n, \t and other escapes in what users write on a command line. */
#ifndef JOBS_ARGS_ESCAPE_H
#define JOBS_ARGS_ESCAPE_H

#include <stddef.h>

/* Writes the text to `out` (of strlen(text) + 1 bytes, the same one is fine) with \n \t \r \0 \\
 * \xHH and \OOO replaced by what they stand for, and a NUL behind it. How many bytes that are
 * without it: a NUL may also be among them. Other backslashes stay. */
size_t escape_decode(const char *text, char *out);

#endif
