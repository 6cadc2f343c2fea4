/* escape.h - decodes \n, \t and other escapes in arguments of a command line. */
#pragma once

#include <stddef.h>

/* Writes the text to `out` (of strlen(text) + 1 bytes; may be `text` itself), with \n \t \r \0 \\
 * \xHH and \OOO replaced by their bytes, and a final NUL. Returns the number of bytes without that
 * NUL; a NUL may also be among them. Leaves other backslashes unchanged. */
size_t escape_decode(const char *text, char *out);
