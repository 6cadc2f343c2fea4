/* dag_plan.h - how what is left of a job would run alone in a given room, and which of its tasks
 * would start at once.
 *
 * A phase starts when those that it waits for have ended, in as many lanes as there is room for,
 * and keeps them: with n tasks of t seconds in k lanes it takes ceil(n / k) * t. Of the phases that
 * wait, the one with the largest inner product of demand and room is placed first, as in Tetris.
 *
 * Backward, the job is planned from its end: what no phase waits for comes last, and everything
 * starts as late as it can. The wave of a phase that is not full is then the first instead of the
 * last, and needs less now. */
#ifndef CORE_ESTIMATE_DAG_PLAN_H
#define CORE_ESTIMATE_DAG_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/res.h"

/* What is left of a phase. */
struct dag_phase {
    uint32_t tasks;          /* that have not started */
    bool runs;               /* others have, and have not ended: they take `time_s`, and no room */
    double time_s;           /* of a task, >= 0 */
    double share[RES_COUNT]; /* that a task takes, in whatever unit `room` has */
    const uint16_t *parents; /* phases it waits for, each of a smaller index */
    uint16_t parent_count;
};

/* Seconds until all of it is done; INFINITY when a task does not fit into the room. starts[k] is
 * how many tasks of phase k start at once. `starts` has `count` entries. */
double dag_plan_forward(const struct dag_phase *phases, uint16_t count,
                        const double room[RES_COUNT], uint32_t *starts);

/* The same as late as possible for an end after `end_s`: starts[k] is how many tasks of phase k
 * have to start at once. Returns how long such a plan takes. */
double dag_plan_backward(const struct dag_phase *phases, uint16_t count,
                         const double room[RES_COUNT], double end_s, uint32_t *starts);

#endif
