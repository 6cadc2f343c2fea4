/* task.h - one attempt of a data-parallel job: what lies between its data and the user's command.
 *
 * An attempt reads a piece of an input, or what the phase above has left for it: its partition of
 * all run files (data/run_file.h), merged, or the lines that tasks above have printed. It gets each
 * of these as the coordinator says (task_control.h), which may be before all are there. It leaves
 * on standard output a run file, if others read partitions of it, else what its command printed. */
#ifndef JOBS_TASK_TASK_H
#define JOBS_TASK_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/task/plan.h"

struct task_control;
struct task_report;

/* Who this attempt is, as the executor told it. */
struct task_attempt {
    const struct task_plan *plan;
    const struct plan_phase *phase;
    struct plan_split split; /* what it reads of the inputs, if its phase does */
    uint32_t number, attempt;
    const char *scratch;          /* an empty folder of its own */
    uint32_t first, last;         /* the tasks above whose output it reads */
    int progress;                 /* where to tell progress; -1: nowhere */
    struct task_control *control; /* who says where that lies */
    const char *counters;         /* the file where it leaves what it counted; NULL: nowhere */
    struct task_report *report;
};

/* The status to exit with: the command's, if it is not 0; or -1, and `err` says why. */
int task_run(const struct task_attempt *t, struct err *err);

/* No attempt, but a process that copies what one has left: from standard input to standard output.
 * It looks at the copy and says what it is (packet RESULT), or that what was to be copied is
 * damaged (FETCH_FAILED). `is_run`: a run file, each of whose partitions must have its checksum. 0,
 * or -1 with *err. */
int task_copy(struct task_control *control, bool is_run, struct err *err);

#endif
