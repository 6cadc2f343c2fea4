/* job.h - jobs from their submission to their last attempt, and jobs that run several times.
 *
 * A job that is cloned as a whole is one struct job for each copy (job_copy.c). */
#ifndef CORE_BRAIN_JOB_H
#define CORE_BRAIN_JOB_H

#include "core/brain/world.h"
#include "core/model/reason.h"

struct brain;

/* A job as it was submitted, in world.jobs and in its group; no phase is open yet. */
struct job *job_create(struct brain *b, const struct job_spec *spec);

/* Another struct job of the same shape; in no list yet. */
struct job *job_create_copy(struct brain *b, const struct job *lead);

/* A new job opens its first phases, or fails at once when no node can ever hold one of its tasks.
 */
void job_begin(struct brain *b, struct job *j);

/* Every phase is over: the job is done. */
void job_complete(struct brain *b, struct job *j, struct attempt_ref at);

/* The job is over without success, `at` being what it failed by: everything of it ends. */
void job_fail(struct brain *b, struct job *j, struct attempt_ref at, const struct reason *why);

/* Ends every live attempt and throws finished outputs away, but for those that are being committed.
 */
void job_stop_attempts(struct brain *b, struct job *j, const struct reason *why);

/* Frees a job that is over, once its last attempt has ended. */
void job_free_if_over(struct brain *b, struct job *j);

/* At the end of the brain, whatever state they are in. */
void job_free_all(struct brain *b);

/* ---- job_copy.c ---- */

/* The copy of this number; the lead for 0; NULL when it is gone. */
struct job *job_copy_find(const struct world *w, struct job_id id, uint16_t copy);

/* The job, none of which has been launched, is to run `copies` times (>= 2). */
void job_copy_begin(struct brain *b, struct job *lead, uint16_t copies);

/* An attempt of the task finished in a copy: its output is kept for its own readers. */
void job_copy_hold(struct brain *b, struct phase *p, uint32_t task);

/* The copy has done everything: it becomes the job, the others end, and it commits. */
void job_copy_won(struct brain *b, struct job *j);

/* Commits the outputs of the next phase, once those above are answered. */
void job_copy_commit(struct brain *b, struct job *j);

/* The commit of a phase's output failed: what was made from it is thrown away. */
void job_copy_redo(struct brain *b, const struct phase *p);

/* The output of a finished attempt is gone. False: it is not one that a copy kept. */
bool job_copy_output_lost(struct brain *b, struct attempt *a);

/* The copy cannot go on. False: it was the last, and with it the job. */
bool job_copy_failed(struct brain *b, struct job *j, const struct reason *why);

/* Ends a copy that is not the lead, or all of them. */
void job_copy_drop(struct brain *b, struct job *j, const struct reason *why);
void job_copy_drop_all(struct brain *b, struct job *lead, const struct reason *why);

/* Whether the commit of the task's winner is on its way, and not only to be asked for later. */
static inline bool job_commit_is_asked(const struct phase *p, const struct task *t)
{
    return t->state == TASK_COMMITTING && (p->job->copy == 0 || p->index < p->job->commit_next);
}

#endif
