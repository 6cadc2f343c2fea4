/* agents_tasks.h - finds the running tasks of each node of a run in its journal, which is written
 * with each turn. The journal counts time from the beginning of the run; its last turn was when the
 * file was written last. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct agents_task {
    char *node;
    char *task;    /* with `dolly map` its number ({#}), else JOB/PHASE/TASK */
    char *command; /* NULL: not known */
    uint32_t attempt;
    int64_t since_us; /* since 1970 */
};

/* Zero-initialise. */
struct agents_tasks {
    VEC(struct agents_task) at; /* by node, oldest first */
};

/* Reads the tasks that run now, or ran last, of the run in this folder. Returns 0, or -1 with *err.
 * Free in both cases. */
int agents_tasks_read(struct agents_tasks *t, const char *dir, struct err *err);
void agents_tasks_fini(struct agents_tasks *t);
