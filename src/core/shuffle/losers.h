/* losers.h - the other attempts of a task that was won, and whether their outputs can still be
 * useful. */
#pragma once

#include <stdbool.h>

#include "core/brain/seam.h"

/* Ends the running attempts of the task. */
void losers_end(const struct part_ctx *s, const struct task *t);

/* Returns true if the outputs of other attempts of the phase's tasks can be useful: a phase that
 * reads it is, or may yet be, cloned. */
bool losers_are_useful(const struct phase *p);

/* Ends the running attempts of done tasks upstream that are not useful any more. Call when the
 * phase starts without clones: until then it might have been cloned, and its clones might have read
 * them. */
void losers_end_useless(const struct part_ctx *s, const struct phase *p);

/* Returns true if attempts of one reader can share an output of the phase: clones, and backups of
 * readers that started early. */
bool losers_may_meet_readers(const struct phase *p);
