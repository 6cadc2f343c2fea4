/* capture.h - what a piece of code prints on stdout or stderr, for tests. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

struct capture {
    int fd, before, file;
};

/* From here on, the descriptor (STDOUT_FILENO or STDERR_FILENO) goes into a file. */
void capture_begin(struct capture *c, int fd);

/* Puts the descriptor back. Returns what was printed; free it with mem_free. */
char *capture_end(struct capture *c);

/* Returns true if the text is this one; else prints both. Empties it, for the next one. */
bool text_was(struct str *text, const char *expected);
