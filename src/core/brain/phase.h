/* phase.h - opens and finishes phases, and settles their tasks. */
#pragma once

#include "core/brain/world.h"
#include "core/model/event.h"

struct brain;

/* Opens or closes the phase according to the phases above. Call after those changed. */
void phase_review(struct brain *b, struct phase *p);

/* Returns true if all tasks above are done that the task reads over edges of pieces (one-to-one,
 * many-to-one). */
bool phase_has_inputs(const struct phase *p, uint32_t task);

/* Removes a task from the queue. Call before it is launched. */
void phase_unpend(struct brain *b, struct phase *p, uint32_t task);

/* Notes what follows from the end of an attempt of the task that did not win: the commit of another
 * that finished, a new launch, or giving up; nothing while another is live. */
void phase_settle_task(struct brain *b, struct phase *p, uint32_t task);

/* Counts a task that was committed; its phase, its job and its readers may continue. */
void phase_task_done(struct brain *b, struct phase *p, uint32_t task);

/* Counts a task that failed for good in a phase that allows it. */
void phase_task_given_up(struct brain *b, struct phase *p, uint32_t task);

/* Records the partitions of the task's first reported output. Those of another attempt are the
 * same, or its output will be discarded. */
void phase_partitioned(struct phase *p, uint32_t task, const struct output_partition *partitions,
                       uint32_t count);

/* Marks the committed output of the task as lost. phase_revive decides later whether to make it
 * again. */
void phase_task_lost(struct brain *b, struct phase *p, uint32_t task);

/* Queues the tasks whose lost outputs are needed, and those above that they need. */
void phase_revive(struct brain *b, struct phase *p);

/* Hands the samples of the phase to all parts that learn from them. Call once, when no task is left
 * that was never done. */
void phase_teach(struct brain *b, struct phase *p);

/* Does the same for a phase that did not finish, by the median of another. */
void phase_teach_by(struct brain *b, struct phase *p, double median);
