/* repro_work.h - runs commands, several at a time, and keeps their outputs, so that an
 * interrupted reproduction continues where it stopped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct repro_unit {
    char *command; /* without variables */
    char *folder;  /* where it runs */
    char *path;    /* of its output; named by everything that it depends on */
    bool done;
    int pid; /* while it runs */
};

struct repro_work {
    char *store, *dolly; /* the folder of results; this program */
    uint64_t dolly_digest;
    bool fresh, quick;
    int parallel;
    VEC(struct repro_unit) units;
    uint32_t kept; /* results that were there already */
};

/* Opens the store of results; NULL: $XDG_CACHE_HOME/dolly/reproduce, or ~/.cache. `fresh`: runs
 * everything again. Returns 0, or -1 with *err. Free with repro_work_fini in either case. */
int repro_work_init(struct repro_work *w, const char *store, bool fresh, bool quick, int parallel,
                    struct err *err);
void repro_work_fini(struct repro_work *w);

/* Adds the command as a unit of work; the same command in the same folder is the same unit. Returns
 * its index, or -1 with *err for other kinds of commands. */
int repro_work_add(struct repro_work *w, const char *command, const char *folder, struct err *err);

/* Runs the commands that are not done, and reports progress on stderr. Returns 0, or -1 with *err
 * if a command failed or an interrupt came. Leaves no process behind. */
int repro_work_run(struct repro_work *w, struct err *err);

/* Starts a program that runs in the folder, with its output and its messages in these files.
 * Returns 0 with *pid, or an error number. */
int repro_work_spawn(char *const *argv, const char *folder, const char *out, const char *log,
                     int *pid);
