/* story.h - turns in, the story of the run or of one job out.
 *
 * Memory follows the question: about a job, that job is kept; about the run, the jobs that are not
 * over yet. The length of the journal does not matter. */
#ifndef RECORD_STORY_STORY_H
#define RECORD_STORY_STORY_H

#include <stdint.h>

#include "core/engine/engine.h"
#include "record/story/story_job.h"
#include "record/story/story_join.h"
#include "record/story/story_run.h"

struct story;

/* `job`: the number or the name of the job to follow; NULL: the run as a whole. A number that no
 * job has is taken as a name. `join` (NULL: none) turns the jobs of the run into one. Borrows both.
 * Destroy with story_destroy. */
struct story *story_create(const char *job, struct story_join *join);
void story_destroy(struct story *s); /* NULL is fine */
struct tap story_tap(struct story *s);

/* Sees each job of a run when nothing more can happen to it, before it is forgotten. */
struct story_listener {
    void *ctx;
    void (*job)(void *ctx, const struct story_job *j, const struct story_facts *f);
};
void story_listen(struct story *s, struct story_listener listener);

/* What its body measures: jobs that arrive after the warm-up, so many of them (0: all). The sums
 * are of these; the others are only counted. Before the first turn. */
void story_measure(struct story *s, int64_t warmup_us, uint64_t jobs_max);

/* The run is at its end: jobs that are not over are added to the sums as they are. */
void story_end(struct story *s);

/* The job that was asked for, or NULL when there is none. */
const struct story_job *story_job(const struct story *s);

/* How many jobs have the name that was asked for. */
uint64_t story_namesakes(const struct story *s);

/* The sums. When a job is followed, only what counts jobs, nodes and time is filled in. */
const struct story_run *story_run(const struct story *s);

#endif
