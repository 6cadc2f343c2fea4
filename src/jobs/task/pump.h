/* pump.h - runs a command of the user, writes its standard input and reads its outputs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pump {
    const char *command; /* for /bin/sh -c, ... */
    char *const *words;  /* ... or a program, by its path, and its arguments; ends with NULL */
    char *const *env;
    int quiet_ms;       /* kill it after this time without progress; 0: never */
    const char *status; /* its last report about itself, for the error message; NULL: none */
    const struct memory_limit *limit; /* limit of its memory, or NULL */
    void *ctx;
    /* Provides the next bytes of its standard input, valid until the next call. Returns their
     * number, 0 at the end, -1 on an error. Not called again once the command has closed its input.
     */
    int64_t (*feed)(void *ctx, const char **at, struct err *err);
    /* Takes bytes of its standard output. NULL: it inherits this process's. */
    int (*take)(void *ctx, const char *at, size_t count, struct err *err);
    /* Takes bytes of its standard error. NULL: it inherits this process's. */
    int (*note)(void *ctx, const char *at, size_t count, struct err *err);
    /* Called before each wait; returns the longest wait in milliseconds, -1: any. May be NULL. */
    int (*due_ms)(void *ctx);
};

/* Runs the command until it has ended and its standard output is closed. Returns 0 with the status
 * of wait; or -1 with *err, after killing the command. */
int pump_run(const struct pump *p, int *status, struct err *err);
