/* deal.h - two outputs of a task, dealt to the copies of a reader in turn (DollyMP, section 5.2).
 */
#ifndef CORE_SHUFFLE_DEAL_H
#define CORE_SHUFFLE_DEAL_H

#include <stdbool.h>

#include "core/brain/seam.h"

/* The task was won: ends all of its attempts that run but one, the nearest to its data (on a node
 * that holds its input, else in such a rack), and of these the oldest. */
void deal_keep_nearest(const struct part_ctx *s, const struct phase *p, const struct task *t);

/* The output that is kept beside the committed one, or NULL. */
const struct attempt *deal_second(const struct world *w, const struct task *t);

/* Whether the reader's turn is the second of the task's outputs: it is every other one of its
 * copies, in the order of their launches, unless the task had fewer. */
bool deal_is_second(const struct world *w, const struct attempt *reader, const struct task *t);

#endif
