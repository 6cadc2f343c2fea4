/* job_progress.h - how far a data-parallel job is: each phase in percent, who runs, and what an
 * attempt has said of itself last. Subscribes to the account of the run; shown on a terminal only.
 */
#ifndef JOBS_RUN_JOB_PROGRESS_H
#define JOBS_RUN_JOB_PROGRESS_H

#include "base/text.h"
#include "core/model/id.h"
#include "jobs/task/plan.h"
#include "record/stats/follow.h"
#include "ui/progress_line.h"

/* Of the phase with the same index. */
struct job_progress_phase {
    uint8_t *percent; /* of each task: the furthest of its attempts; 100: it has a winner */
    uint64_t sum;     /* of these */
};

/* Zero-initialise; free with job_progress_fini. */
struct job_progress {
    struct progress_line line;
    const struct task_plan *plan; /* borrowed; its phases know how many tasks they have */
    VEC(struct job_progress_phase) phases;
    uint32_t running, clones;
    char status[80];              /* what was said last, as it can be printed, ... */
    struct attempt_ref status_of; /* ... by this attempt, which runs */
};

/* Whether anybody sees it. */
bool job_progress_open(struct job_progress *p);
void job_progress_fini(struct job_progress *p);

/* The job has this plan, and nothing of it is done. */
void job_progress_begin(struct job_progress *p, const struct task_plan *plan);

/* Subscribes to the account of the run, after job_progress_begin. */
void job_progress_subscribe(struct job_progress *p, struct follow *f);
void job_progress_status(struct job_progress *p, struct attempt_ref at, const char *text);

/* Draws it if it is time. */
void job_progress_draw(struct job_progress *p, int64_t now_us);

/* "map 40 %, reduce 0 %, 2 running, 1 clone; map 3: halfway". */
void job_progress_describe(const struct job_progress *p, struct str *out);

#endif
