/* command.h - commands that need no shell: plain words, perhaps in single quotes.
 *
 * Starting a shell only for it to start one program doubles the cost of a small task. make does the
 * same. Commands that a shell might read differently are run by the shell. */
#pragma once

#include <stdbool.h>

#include "base/vec.h"

/* Zero-initialise. */
struct command_words {
    VEC(char) bytes;
    VEC(char *) argv; /* ends with NULL */
    VEC(char) name;   /* the last program that was looked up ... */
    VEC(char) path;   /* ... and where it was found; empty: nowhere */
};

void command_fini(struct command_words *d);

/* Splits the command into words; argv is valid until the next call. Returns false if a shell has to
 * read it. */
bool command_parse(struct command_words *d, const char *command);

/* Returns the program of the last words, found in PATH as a shell would; NULL if there is none, or
 * if the name is one that a shell knows better: a builtin, a keyword, an exported function. */
const char *command_find(struct command_words *d, char *const *env);
