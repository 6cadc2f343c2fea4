/* losers.h - attempts of a task that was won: whether their outputs can still be of use. */
#ifndef CORE_SHUFFLE_LOSERS_H
#define CORE_SHUFFLE_LOSERS_H

#include <stdbool.h>

#include "core/brain/seam.h"

/* Ends those that run. */
void losers_end(const struct part_ctx *s, const struct task *t);

/* Whether the outputs of other attempts of the phase's tasks can be of use: a phase that reads it
 * is, or may yet be, cloned. */
bool losers_are_useful(const struct phase *p);

/* The phase starts and is not cloned. Until now it might have been, and attempts above were left to
 * run for its clones: those that are of no use end. */
void losers_end_useless(const struct part_ctx *s, const struct phase *p);

/* Whether attempts of one reader can meet at an output of the phase: clones, and backups of readers
 * that started early. */
bool losers_may_meet_readers(const struct phase *p);

#endif
