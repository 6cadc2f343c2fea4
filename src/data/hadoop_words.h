/* hadoop_words.h - commands of Hadoop Streaming: a program and its words, without a shell.
 *
 * Hadoop ends words at blanks and at quotes, single or double, and knows nothing else: `$2` and
 * `\b` reach the program unchanged. A command that needs a shell (a pipe, a list, a redirection,
 * `$(...)`) would fail there, and gets one here. */
#pragma once

#include "base/vec.h"

/* Zero-initialise; free with vec_free_each(&w.at). */
struct hadoop_words {
    VEC(char *) at; /* NULL at the end */
};

/* Splits a command. Leaves no words if it needs a shell. */
void hadoop_words_split(struct hadoop_words *w, const char *command);

/* The words of a command, the first being the path of the program according to PATH in `env`; or
 * NULL if it needs a shell. */
char *const *hadoop_words_find(struct hadoop_words *w, const char *command, char *const *env);
