/* dag_plan.h - how the unfinished part of a job would run alone in a given amount of resources, and
 * which of its tasks would start at once.
 *
 * A phase starts when the phases that it waits for have ended, in as many lanes as fit, and keeps
 * them: with n tasks of t seconds in k lanes it takes ceil(n / k) * t. Of the phases that wait, the
 * one with the largest inner product of demand and room is placed first, as in Tetris.
 *
 * Backward, the job is planned from its end: a phase that no other waits for is last, and
 * everything starts as late as it can. The wave of a phase that is not full is then the first
 * instead of the last, and needs less now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/res.h"

/* The unfinished part of a phase. */
struct dag_phase {
    uint32_t tasks;          /* that have not started */
    bool runs;               /* other tasks run: they take `time_s`, and no room */
    double time_s;           /* of a task, >= 0 */
    double share[RES_COUNT]; /* of a task, in the unit of `room` */
    const uint16_t *parents; /* phases it waits for, each of a smaller index */
    uint16_t parent_count;
};

/* Plans the job as early as possible. Returns the seconds until all of it is done, or INFINITY if a
 * task does not fit into the room. Sets starts[k], of `count` entries, to the number of tasks of
 * phase k that start at once. */
double dag_plan_forward(const struct dag_phase *phases, uint16_t count,
                        const double room[RES_COUNT], uint32_t *starts);

/* Plans the job as late as possible, for an end after `end_s`. Sets starts[k] to the number of
 * tasks of phase k that have to start at once. Returns the length of the plan in seconds. */
double dag_plan_backward(const struct dag_phase *phases, uint16_t count,
                         const double room[RES_COUNT], double end_s, uint32_t *starts);
