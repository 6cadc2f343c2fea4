/* read_run.h - reads all facts that a report needs of one run from its journal, in one pass. */
#pragma once

#include "base/err.h"
#include "commands/explain/explain_open.h"
#include "commands/report/gather.h"
#include "commands/report/phase_sums.h"
#include "commands/report/races.h"
#include "commands/report/telling.h"

struct read_run {
    char *path;        /* of the journal; owned */
    const char *label; /* the user's name of the run; borrowed */
    bool kept;         /* the journal remains, and can be queried */
    struct explain_input input;
    struct gather gather;
    struct telling_kept telling;
    struct races races; /* sorted */
    struct phase_sums phases;
};

/* Reads the journal that the user names: a file, or the folder of a run; `all` as in gather_init.
 * Returns 0, or -1 with *err. Close with read_run_close in both cases. */
int read_run_open(struct read_run *r, const char *name, bool all, struct err *err);
void read_run_close(struct read_run *r);

/* ---- a run whose journal another reads ---- */

enum {
    READ_RUN_ROWS = 100000
}; /* number of attempts that are kept: a page is made again and again */

/* Takes the name of the run, and subscribes to its account before the first turn. *r is zero. Free
 * with read_run_fini, after the account. */
void read_run_begin(struct read_run *r, const char *path, struct follow *f);
void read_run_fini(struct read_run *r);

/* Takes a job that is over, as x->job, into the struct read_run. A callback of struct
 * explain_watch. */
void read_run_job(void *run, const struct explain *x);

/* Prepares the page after the last turn, or where the account ends before: set input.x. */
void read_run_settle(struct read_run *r);
