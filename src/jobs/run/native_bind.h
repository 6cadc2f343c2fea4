/* native_bind.h - the shared objects of a job: found and looked at before it begins, and the same
 * ones when it goes on. */
#ifndef JOBS_RUN_NATIVE_BIND_H
#define JOBS_RUN_NATIVE_BIND_H

#include "base/err.h"
#include "jobs/task/plan.h"

/* Makes the phase run the functions that `text` names, FILE or FILE#FUNCTIONS. The object is loaded
 * in a process of its own to see whether it has what the phase needs. -1 with *err. */
int native_bind(const struct task_plan *plan, struct plan_phase *phase, const char *text,
                struct err *err);

/* Whether all objects of a plan are what they were. -1: `err` names the one that is not. */
int native_bind_check(const struct task_plan *plan, struct err *err);

#endif
