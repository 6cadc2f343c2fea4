/* story_fold.h - the records of a journal about one job, folded into what is known of it. */
#ifndef RECORD_STORY_STORY_FOLD_H
#define RECORD_STORY_STORY_FOLD_H

#include "record/story/story_job.h"

/* Takes a launch, which the account has taken, and an end, from when the attempt ran no more. */
void story_fold_launched(struct story_job *j, int64_t now_us, const struct decision *d);
void story_fold_ended(struct story_job *j, int64_t now_us, const struct event *e, int64_t ended_us);

/* Take every other record. Those that name a phase, task or attempt which does not exist are passed
 * over: the account does not look at them. */
void story_fold_event(struct story_job *j, int64_t now_us, const struct event *e);
void story_fold_decision(struct story_job *j, int64_t now_us, const struct decision *d);

#endif
