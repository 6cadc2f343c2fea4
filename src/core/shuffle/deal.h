/* deal.h - two outputs of a task, given to the copies of a reader in turn (DollyMP, section
 * 5.2). */
#pragma once

#include <stdbool.h>

#include "core/brain/seam.h"

/* Ends all running attempts of a task except one, the nearest to its data (on a node that holds its
 * input, else in such a rack), and of equally near ones the oldest. Call when the task was won. */
void deal_keep_nearest(const struct part_ctx *s, const struct phase *p, const struct task *t);

/* The attempt whose output is kept in addition to the committed one, or NULL. */
const struct attempt *deal_second(const struct world *w, const struct task *t);

/* Returns true if the reader should read the second of the task's outputs: every other copy of a
 * reader does, in the order of their launches, unless the task had fewer copies than the reader. */
bool deal_is_second(const struct world *w, const struct attempt *reader, const struct task *t);
