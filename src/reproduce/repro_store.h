/* repro_store.h - where results of runs are kept, and under which names. */
#ifndef REPRODUCE_REPRO_STORE_H
#define REPRODUCE_REPRO_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { REPRO_WORDS_MAX = 64 };

/* The folder as an absolute path, made if it is not there; free() it. NULL:
 * $XDG_CACHE_HOME/dolly/reproduce, or
 * ~/.cache. NULL with *err when it cannot be had. */
char *repro_store_open(const char *folder, struct err *err);

/* Of a file's content; the same for all files that cannot be read. */
uint64_t repro_store_digest(const char *path);

/* Appends the path of the result of `command`, run in `folder` by the program of this digest. */
void repro_store_path(const char *store, uint64_t program, bool quick, const char *command,
                      const char *folder, struct str *path);

/* Splits a command at blanks, in place; returns the number of words. There is no quoting: no
 * policy, path or number of ours needs a blank. */
int repro_store_split(char *command, char *words[REPRO_WORDS_MAX]);

#endif
