/* attempt_dir.h - the private folders of attempts: which one an attempt has, and which can be used
 * again.
 *
 * Making and removing folders and files is most of the cost of a short command, so a folder in
 * which an attempt left nothing is given to the next one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/os/path.h"
#include "base/vec.h"
#include "core/model/id.h"

/* A folder that held nothing else when it was listed. */
struct attempt_dir_seen {
    int64_t changed_ns; /* its last known change */
    int64_t since_ns;   /* time when that was first seen */
    bool still;         /* it was looked at late enough that any later change is visible */
};

struct attempt_dir {
    struct attempt_ref name; /* the attempt that its folder is named after */
    uint32_t length;         /* of the path */
    char *path;              /* owned; NULL: has to be made from the name */
    struct attempt_dir_seen dir, tmp;
};

/* Zero-initialise except the folder of the run. */
struct attempt_dirs {
    const char *run; /* borrowed */
    VEC(struct attempt_dir) at;
    VEC(uint32_t) spare; /* empty, and of no attempt */
};

void attempt_dirs_fini(struct attempt_dirs *p);

/* Returns a folder for the attempt, with its path in `dir`. `reuse` is the path of an empty folder
 * to begin with, or "". With `own_name` the folder has to be named after the attempt, so that
 * others find it there, and the two paths differ; else they are the same. */
uint32_t attempt_dirs_take(struct attempt_dirs *p, struct attempt_ref at, bool own_name,
                           struct path *dir, struct path *reuse);

/* Returns the path of a file in the folder, or with NULL of the folder itself. */
struct path attempt_dirs_path(const struct attempt_dirs *p, uint32_t which, const char *name);

/* Notes that the folder is called after the attempt from now on. */
void attempt_dirs_name(struct attempt_dirs *p, uint32_t which, struct attempt_ref at);

/* Keeps only the name of a folder that exists, but that no attempt will use again. */
void attempt_dirs_forget(struct attempt_dirs *p, uint32_t which);

/* Removes the folder for temporary files. */
void attempt_dirs_clear_tmp(const struct attempt_dirs *p, uint32_t which);

/* Removes its files; with `keep_stderr` all but that. Keeps those that cannot be removed. */
void attempt_dirs_clear(const struct attempt_dirs *p, uint32_t which, bool keep_stderr);

/* Keeps the folder of a dead attempt, whose stdout is empty or was moved away, for another attempt
 * if it is as good as new, else removes it. `silent`: both are empty for certain. */
void attempt_dirs_release(struct attempt_dirs *p, uint32_t which, bool silent);

/* Removes all spare folders. */
void attempt_dirs_clear_spare(struct attempt_dirs *p);
