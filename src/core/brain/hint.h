/* hint.h - begins to fetch from memory what later events will ask for.
 *
 * On a large cluster the task, the attempt and the node of an event are in no cache, and waiting
 * for them would be most of its cost. A hint changes nothing that is known, and a wrong one costs
 * only time. An attempt is found by way of its task, so fetching takes two steps. */
#ifndef CORE_BRAIN_HINT_H
#define CORE_BRAIN_HINT_H

#include <stdint.h>

#include "core/brain/world.h"
#include "core/model/event.h"

/* The first step: the task, and the node unless it is NODE_NONE. */
void hint_task(const struct world *w, struct attempt_ref at, struct node_id node);

/* The second step, once the task has arrived: its oldest attempt. */
void hint_attempt(const struct world *w, struct attempt_ref at);

/* Batches of no more events than this need no hints. */
enum { HINT_FEW = 4 };

/* Events at[0..count-1] are to be applied in order: hint_events before the first of them, and
 * hint_event before each one, where `count` is what is left, as long as these are more than few. */
void hint_events(const struct world *w, const struct event *at, uint32_t count);
void hint_event(const struct world *w, const struct event *at, uint32_t count);

/* The tasks of the phase that a row of progress reports speaks of. */
struct hint_row {
    struct job_id job;
    uint32_t count; /* 0: there is no such phase */
    uint16_t phase;
    const struct task *tasks;
};

struct hint_row hint_row_make(const struct world *w, struct attempt_ref of);

/* The task, if it belongs to the row's phase; else NULL. */
static inline const struct task *hint_row_task(const struct hint_row *row, struct attempt_ref at)
{
    bool same = at.job.v == row->job.v && at.phase == row->phase && at.task < row->count;
    return same ? &row->tasks[at.task] : NULL;
}

/* hint_event for a report. */
void hint_report(const struct world *w, const struct hint_row *row, const struct event *at,
                 uint32_t count);

#endif
