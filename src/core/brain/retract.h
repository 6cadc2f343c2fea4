/* retract.h - an output was made again and came out different: what was made from the old one goes.
 */
#ifndef CORE_BRAIN_RETRACT_H
#define CORE_BRAIN_RETRACT_H

#include "core/brain/world.h"

struct brain;

/* What the task had committed has changed: all that was made from it goes. */
void retract_readers(struct brain *b, struct phase *p, uint32_t task);

/* Throws away attempts of the task, of a job in which outputs changed, that finished though they
 * are stale. */
void retract_finished(struct brain *b, struct phase *p, uint32_t task);

/* What the task has just committed was stale: it goes, and the task starts again. */
void retract_commit(struct brain *b, struct phase *p, uint32_t task);

#endif
