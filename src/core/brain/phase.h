/* phase.h - when phases open and finish, and what becomes of their tasks. */
#ifndef CORE_BRAIN_PHASE_H
#define CORE_BRAIN_PHASE_H

#include "core/brain/world.h"
#include "core/model/event.h"

struct brain;

/* The phases above changed: opens or closes the phase as they say. */
void phase_review(struct brain *b, struct phase *p);

/* Whether all tasks above are done that the task reads over edges of pieces (one-to-one,
 * many-to-one). */
bool phase_has_inputs(const struct phase *p, uint32_t task);

/* The task is about to be launched: it leaves the queue. */
void phase_unpend(struct brain *b, struct phase *p, uint32_t task);

/* An attempt of the task has ended without winning: notes what is due now, the commit of another
 * that finished, a new launch, or giving up; nothing while another is live. */
void phase_settle_task(struct brain *b, struct phase *p, uint32_t task);

/* The task was committed: its phase, its job and those who read it may go on. */
void phase_task_done(struct brain *b, struct phase *p, uint32_t task);

/* The task failed for good, and its phase bears it. */
void phase_task_given_up(struct brain *b, struct phase *p, uint32_t task);

/* An output of the task was told with its parts. Those of the first count: another attempt's are
 * the same, or it will be discarded. */
void phase_parted(struct phase *p, uint32_t task, const struct output_part *parts, uint32_t count);

/* The committed output of the task is gone. Whether it is made again phase_revive says, later. */
void phase_task_lost(struct brain *b, struct phase *p, uint32_t task);

/* Lost outputs of the phase are made again if they are needed, and those above that it takes. */
void phase_revive(struct brain *b, struct phase *p);

/* Once, when no task is left that was never done: hands the samples of the phase to all parts that
 * learn from them. */
void phase_teach(struct brain *b, struct phase *p);

/* The same for a phase that did not finish, by the median of another. */
void phase_teach_by(struct brain *b, struct phase *p, double median);

#endif
