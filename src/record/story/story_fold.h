/* story_fold.h - folds the records of a journal about one job into its struct. */
#pragma once

#include "record/story/story_job.h"

/* Takes a launch, which the account has taken. */
void story_fold_launched(struct story_job *j, int64_t now_us, const struct decision *d);

/* Takes an end; the attempt ran until ended_us. */
void story_fold_ended(struct story_job *j, const struct event *e, int64_t ended_us);

/* Takes every other event. Skips events that name a phase, task or attempt which does not exist:
 * the account does not check them. */
void story_fold_event(struct story_job *j, int64_t now_us, const struct event *e);

/* Takes every other decision, and skips as story_fold_event does. */
void story_fold_decision(struct story_job *j, int64_t now_us, const struct decision *d);
