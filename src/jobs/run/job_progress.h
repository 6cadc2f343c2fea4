/* job_progress.h - the progress of a data-parallel job: each phase in percent, running attempts,
 * and the last status of an attempt. Subscribes to the account of the run; printed on a terminal
 * only. */
#pragma once

#include "base/text.h"
#include "core/model/id.h"
#include "jobs/task/plan.h"
#include "record/stats/follow.h"
#include "ui/progress_line.h"

/* The phase with the same index. */
struct job_progress_phase {
    uint8_t *percent; /* of each task: the furthest of its attempts; 100: it has a winner */
    uint64_t sum;     /* of these */
};

/* Zero-initialise; free with job_progress_fini. */
struct job_progress {
    struct progress_line line;
    const struct task_plan *plan; /* borrowed; its phases have their numbers of tasks */
    VEC(struct job_progress_phase) phases;
    uint32_t running, clones;
    char status[80];              /* the last status, printable, ... */
    struct attempt_ref status_of; /* ... of this running attempt */
};

/* Returns true if stderr is a terminal. */
bool job_progress_open(struct job_progress *p);
void job_progress_fini(struct job_progress *p);

/* Sets the plan of the job, of which nothing is done yet. */
void job_progress_begin(struct job_progress *p, const struct task_plan *plan);

/* Subscribes to the account of the run, after job_progress_begin. */
void job_progress_subscribe(struct job_progress *p, struct follow *f);
void job_progress_status(struct job_progress *p, struct attempt_ref at, const char *text);

/* Prints the progress if it is time. */
void job_progress_draw(struct job_progress *p, int64_t now_us);

/* Appends "map 40 %, reduce 0 %, 2 running, 1 clone; map 3: halfway". */
void job_progress_describe(const struct job_progress *p, struct str *out);
