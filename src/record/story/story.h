/* story.h - makes the story of the run or of one job from its turns.
 *
 * A story subscribes to an account of the run (record/stats/follow.h), which determines which jobs
 * are measured, when nothing more can happen to a job, and which turns no run can have. Memory
 * depends on the question: about a job, that job is kept; about the run, the jobs that are not over
 * yet. The length of the journal does not matter. */
#pragma once

#include <stdint.h>

#include "core/engine/engine.h"
#include "record/stats/follow.h"
#include "record/story/story_job.h"
#include "record/story/story_join.h"
#include "record/story/story_run.h"

struct story;

/* Creates a story. `job`: the number or the name of the job to follow; NULL: the run as a whole. A
 * number that no job has is taken as a name. `join` (NULL: none) turns the jobs of the run into
 * one. Borrows both. Destroy with story_destroy. */
struct story *story_create(const char *job, struct story_join *join);
void story_destroy(struct story *s); /* NULL is fine */

/* Returns the tap of the account, which sees joined jobs as one. */
struct tap story_tap(struct story *s);

/* Returns the account, for further subscribers and for which jobs it measures: the sums are of
 * these, and the others are only counted. It lives until story_end or story_destroy. */
struct follow *story_follow(const struct story *s);

/* Gets each job of a run when nothing more can happen to it, before it is forgotten. */
struct story_listener {
    void *ctx;
    void (*job)(void *ctx, const struct story_job *j, const struct story_facts *f);
};
void story_listen(struct story *s, struct story_listener listener);

/* Shows each job of the run that is not forgotten yet, in order of id, with its facts as of the
 * last turn: what story_end would add now. Shows nothing after story_end. */
void story_each_open(const struct story *s, struct story_listener to);

/* Shows one of them. Returns false if it is not there. */
bool story_one_open(const struct story *s, struct job_id id, struct story_listener to);

/* Ends the account after the last turn: jobs that are not over are added to the sums as they are.
 */
void story_end(struct story *s);

/* Fills *now with the sums as story_end would leave them now, while turns may follow: its texts and
 * nodes are valid until the next one. Free with story_peek_end. */
void story_peek(const struct story *s, struct story_run *now);
void story_peek_end(struct story_run *now);

/* Returns the job that was asked for, or NULL if there is none. */
const struct story_job *story_job(const struct story *s);

/* Returns the number of jobs with the name that was asked for. */
uint64_t story_namesakes(const struct story *s);

/* Returns the sums. If a job is followed, only the counts of jobs, nodes and time are filled in. */
const struct story_run *story_run(const struct story *s);
