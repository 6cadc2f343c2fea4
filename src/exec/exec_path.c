/* exec_path.c - where the files of an attempt lie. */
#include "exec/exec_path.h"

#include <string.h>

#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"

/* The attempt's folder, ATTEMPT_TABLE_NONE if it never had one. */
static uint32_t path_dir_of(const struct exec *x, struct attempt_ref at)
{
    uint32_t i = attempt_table_find(&x->attempts, at);
    return i == ATTEMPT_TABLE_NONE ? i : exec_row(x, i)->dir;
}

void exec_path(const struct exec *x, struct attempt_ref at, const char *name, char path[PATH_MAX])
{
    uint32_t dir = path_dir_of(x, at);

    if (dir != ATTEMPT_TABLE_NONE) {
        attempt_dirs_path(&x->dirs, dir, name, path);
        return;
    }
    run_dir_attempt(x->dir, at, path); /* a launch that was taken back: nothing is there */
    if (name)
        strcat(strcat(path, "/"), name);
}

void exec_path_clear(struct exec *x, struct attempt_ref at)
{
    uint32_t dir = path_dir_of(x, at);

    if (dir != ATTEMPT_TABLE_NONE)
        attempt_dirs_clear(&x->dirs, dir, false);
}

void exec_path_output(struct exec *x, const struct attempt_row *e, char path[PATH_MAX])
{
    if (e->state == ROW_COMMITTED)
        run_dir_output(x->dir, &exec_job_find(x, e->at.job)->source->spec, e->at, path);
    else
        attempt_dirs_path(&x->dirs, e->dir, "stdout", path);
}
