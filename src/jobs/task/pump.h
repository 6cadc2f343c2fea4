/* pump.h - a command of the user below us: we write what it reads and read what it writes. */
#ifndef JOBS_TASK_PUMP_H
#define JOBS_TASK_PUMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pump {
    const char *command; /* for /bin/sh -c, ... */
    char *const *words;  /* ... or a program, by its path, and what it is given; NULL at the end */
    char *const *env;
    int quiet_ms;       /* how long nothing may move before it is given up; 0: for ever */
    const char *status; /* what it has said last of itself, which is then told; NULL: nothing */
    const struct memory_limit *limit; /* of its memory, or NULL */
    void *ctx;
    /* The next bytes of its standard input, which live until the next call: their number, 0 at the
     * end, -1 if there is trouble. Not called again once the command reads no more. */
    int64_t (*feed)(void *ctx, const char **at, struct err *err);
    /* What it wrote to standard output. NULL: it has ours. */
    int (*take)(void *ctx, const char *at, size_t count, struct err *err);
    /* What it wrote to standard error. NULL: it has ours. */
    int (*note)(void *ctx, const char *at, size_t count, struct err *err);
    /* Called before we wait: in how many milliseconds we are to be back at the latest; -1: it does
     * not matter. NULL: nobody asks. */
    int (*due_ms)(void *ctx);
};

/* Runs the command to its end and until its standard output is closed. 0 and the status of wait; or
 * -1, `err` says why, and the command is dead. */
int pump_run(const struct pump *p, int *status, struct err *err);

#endif
