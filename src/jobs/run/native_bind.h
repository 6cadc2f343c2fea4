/* native_bind.h - the shared objects of a job: checks them before it begins, and that they are
 * unchanged when it is resumed. */
#pragma once

#include "base/err.h"
#include "jobs/task/plan.h"

/* Makes the phase run the functions that `text` names, FILE or FILE#FUNCTIONS. Loads the object in
 * a separate process to check that it has what the phase needs. Returns 0, or -1 with *err. */
int native_bind(const struct task_plan *plan, struct plan_phase *phase, const char *text,
                struct err *err);

/* Returns 0 if all objects of a plan are unchanged, or -1 with *err, which names the one that is
 * not. */
int native_bind_check(const struct task_plan *plan, struct err *err);
