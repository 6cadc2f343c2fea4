/* story_fold.h - the records of a journal about one job, folded into what is known of it. */
#ifndef RECORD_STORY_STORY_FOLD_H
#define RECORD_STORY_STORY_FOLD_H

#include "record/story/story_job.h"

/* Records that name a phase, task or attempt which does not exist are passed over: a story must not
 * break on a strange journal. */
void story_fold_event(struct story_job *j, int64_t now_us, const struct event *e);
void story_fold_decision(struct story_job *j, int64_t now_us, const struct decision *d);

#endif
