/* hint.h - prefetches data that later events will need.
 *
 * On a large cluster the task, the attempt and the node of an event are in no cache, and waiting
 * for them would be most of its cost. A hint changes no state, and a wrong one costs only time. An
 * attempt is found by way of its task, so fetching takes two steps. */
#pragma once

#include <stdint.h>

#include "core/brain/world.h"
#include "core/model/event.h"

/* Prefetches the task, and the node unless it is NODE_NONE: the first step. */
void hint_task(const struct world *w, struct attempt_ref at, struct node_id node);

/* Prefetches the oldest attempt of the task: the second step, once the task is in the cache. */
void hint_attempt(const struct world *w, struct attempt_ref at);

/* Batches of no more events than HINT_FEW need no hints, nor do worlds of no more attempts than
 * HINT_CACHED: all that is known of these is in the processor's caches. */
enum { HINT_FEW = 4, HINT_CACHED = 4096 };

/* Returns true if hints for many events are worth their time. */
static inline bool hint_pays(const struct world *w)
{
    return w->attempts.count > HINT_CACHED;
}

/* Prefetches for events at[0..count-1], which are applied in order. Call before the first of
 * them. */
void hint_events(const struct world *w, const struct event *at, uint32_t count);
/* Prefetches before each event, if more than HINT_FEW remain; `count` is the number that remain. */
void hint_event(const struct world *w, const struct event *at, uint32_t count);

/* The tasks of the phase of a row of progress reports. */
struct hint_row {
    struct job_id job;
    uint32_t count; /* 0: no such phase */
    uint16_t phase;
    const struct task *tasks;
};

/* Finds the phase of a report. */
struct hint_row hint_row_make(const struct world *w, struct attempt_ref of);

/* The task, if it belongs to the row's phase; else NULL. */
static inline const struct task *hint_row_task(const struct hint_row *row, struct attempt_ref at)
{
    bool same = at.job.v == row->job.v && at.phase == row->phase && at.task < row->count;
    return same ? &row->tasks[at.task] : NULL;
}

/* Does the work of hint_event for a report. */
void hint_report(const struct world *w, const struct hint_row *row, const struct event *at,
                 uint32_t count);
