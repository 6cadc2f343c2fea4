/* retract.h - withdraws everything that was made from an output that was made again with another
 * result. */
#pragma once

#include "core/brain/world.h"

struct brain;

/* Withdraws everything that was made from the task's output. Call after a different one was
 * committed. */
void retract_readers(struct brain *b, struct phase *p, uint32_t task);

/* Discards finished attempts of the task that are stale. For jobs in which outputs changed. */
void retract_finished(struct brain *b, struct phase *p, uint32_t task);

/* Withdraws a commit that was based on a stale input, and queues the task again. */
void retract_commit(struct brain *b, struct phase *p, uint32_t task);
