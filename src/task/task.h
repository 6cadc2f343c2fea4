/* task.h - one attempt of a data-parallel job: what lies between its data and the user's command.
 *
 * A mapper's attempt reads its piece of an input and leaves a run file (data/run_file.h) on
 * standard output, or, in a job without reducers, what the mapper printed. A reducer's attempt
 * merges its partition of all of those, and leaves what the reducer printed. */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "task/plan.h"

/* Who this attempt is, as the executor told it. */
struct task_attempt {
    const struct task_plan *plan;
    uint32_t number, attempt;
    const char *scratch; /* an empty folder of its own */
    const char *inputs;  /* of a reducer: the folder with the run files, by number */
    int progress;        /* where to tell progress; -1: nowhere */
};

/* Each returns the status to exit with: the command's, if it is not 0; or -1, and `err` says why.
 */
int task_map(const struct task_attempt *t, struct err *err);
int task_reduce(const struct task_attempt *t, struct err *err);

#endif
