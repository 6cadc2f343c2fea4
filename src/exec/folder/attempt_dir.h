/* attempt_dir.h - the private folders of attempts: which one an attempt has, and which can be used
 * again.
 *
 * Making and removing folders and files is most of what a short command costs, so a folder whose
 * attempt left nothing in it is given to the next one. */
#ifndef EXEC_FOLDER_ATTEMPT_DIR_H
#define EXEC_FOLDER_ATTEMPT_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/model/id.h"

struct attempt_dir {
    struct attempt_ref name; /* the attempt that its folder is called after */
    uint32_t length;         /* of the path */
    char *path;              /* owned; NULL: has to be made from the name */
    int64_t dir_ns, tmp_ns;  /* when its two folders were changed last, as far as we have seen */
    int64_t since_ns;        /* our own time when we saw that first */
    bool still;              /* it was found bare so long after that any later change shows */
};

/* Zero-initialise but for the folder of the run. */
struct attempt_dirs {
    const char *run; /* borrowed */
    VEC(struct attempt_dir) at;
    VEC(uint32_t) spare; /* bare, and of no attempt */
};

void attempt_dirs_fini(struct attempt_dirs *p);

/* A folder for the attempt, its path in `dir`. `reuse` is the path of a bare folder to begin with,
 * or
 * "". With `own_name` the folder has to be called after the attempt, so that others find it there,
 * and the two paths differ; else they are the same. */
uint32_t attempt_dirs_take(struct attempt_dirs *p, struct attempt_ref at, bool own_name,
                           char dir[PATH_MAX], char reuse[PATH_MAX]);

/* Path of a file in the folder, or with NULL of the folder itself. */
void attempt_dirs_path(const struct attempt_dirs *p, uint32_t which, const char *name,
                       char path[PATH_MAX]);

/* No attempt will use the folder again, though it is there: keeps no more of it than its name. */
void attempt_dirs_forget(struct attempt_dirs *p, uint32_t which);

/* Removes the folder for temporary files. */
void attempt_dirs_clear_tmp(const struct attempt_dirs *p, uint32_t which);

/* Removes what is there; with `keep_stderr` all but that. What cannot be removed stays. */
void attempt_dirs_clear(const struct attempt_dirs *p, uint32_t which, bool keep_stderr);

/* The attempt is dead, and its stdout is empty or was moved away: keeps the folder for another
 * attempt if it is as good as new, else removes it. */
void attempt_dirs_release(struct attempt_dirs *p, uint32_t which);

/* Removes all spare folders. */
void attempt_dirs_clear_spare(struct attempt_dirs *p);

#endif
