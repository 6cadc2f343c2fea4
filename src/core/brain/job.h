/* job.h - jobs from their submission to their last attempt.
 *
 * A job that is cloned as a whole is one struct job for each copy (job_copy.h). */
#pragma once

#include "core/brain/world.h"
#include "core/model/reason.h"

struct brain;

/* Creates a job as it was submitted, in world.jobs and in its group; no phase is open yet. */
struct job *job_create(struct brain *b, const struct job_spec *spec);

/* Creates another struct job of the same shape, which is in no list yet. */
struct job *job_create_copy(struct brain *b, const struct job *lead);

/* Opens the first phases of a new job, or lets it fail at once if no node can ever hold one of its
 * tasks. */
void job_begin(struct brain *b, struct job *j);

/* Ends a job whose phases are all over, with success. */
void job_complete(struct brain *b, struct job *j, struct attempt_ref at);

/* Ends the job and everything of it without success; `at` is the task or attempt that caused it. */
void job_fail(struct brain *b, struct job *j, struct attempt_ref at, const struct reason *why);

/* Ends every live attempt of the job and discards finished outputs, but for those that are being
 * committed. */
void job_stop_attempts(struct brain *b, struct job *j, const struct reason *why);

/* Frees a job that is over and whose last attempt has ended. */
void job_free_over(struct brain *b, struct job *j);
static inline void job_free_if_over(struct brain *b, struct job *j)
{
    if (j->state != JOB_LIVE && j->kept == 0 && !j->copies)
        job_free_over(b, j);
}

/* Frees all jobs, whatever state they are in, at the end of the brain. */
void job_free_all(struct brain *b);

/* Ends a copy that is not the lead; this may free it. Does nothing if it has ended already. */
void job_drop_copy(struct brain *b, struct job *j, const struct reason *why);

/* Ends all copies of the lead. */
void job_drop_copies(struct brain *b, struct job *lead, const struct reason *why);

/* Returns true if the commit of the task's winner is on its way: one that is only to be asked for
 * later does not count. */
static inline bool job_commit_is_asked(const struct phase *p, const struct task *t)
{
    return t->state == TASK_COMMITTING && (p->job->copy == 0 || p->index < p->job->commit_next);
}
