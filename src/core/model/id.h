/* id.h - names of things. Each is a struct of its own so that the compiler does not confuse a job
 * and a node.
 *
 * An attempt is named by its coordinates (job, phase, task, ordinal), not by a handle: every record
 * of the journal can be read by itself, and the luck of an attempt is keyed by the same four
 * numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct job_id {
    uint32_t v;
};

struct node_id {
    uint32_t v;
};

#define NODE_NONE ((struct node_id){UINT32_MAX})
enum { NODES_MAX = 1000 * 1000 };
#define TASK_ALL UINT32_MAX /* all tasks of a phase, where a record allows it */

struct task_ref {
    struct job_id job;
    uint32_t task;
    uint16_t phase;
};

/* One execution of a task. Ordinals count launches of the task from 0; they are never reused. */
struct attempt_ref {
    struct job_id job;
    uint32_t task;
    uint16_t phase;
    uint16_t attempt;
};

/* Returns true if both name the same attempt. */
static inline bool attempt_equal(struct attempt_ref a, struct attempt_ref b)
{
    return a.job.v == b.job.v && a.task == b.task && a.phase == b.phase && a.attempt == b.attempt;
}

/* Compares the tasks of two attempts: less than, equal to or greater than 0. */
static inline int attempt_compare_tasks(struct attempt_ref a, struct attempt_ref b)
{
    if (a.job.v != b.job.v)
        return a.job.v < b.job.v ? -1 : 1;
    if (a.phase != b.phase)
        return a.phase < b.phase ? -1 : 1;
    return (a.task > b.task) - (a.task < b.task);
}

/* Compares two attempts, by their tasks first. */
static inline int attempt_compare(struct attempt_ref a, struct attempt_ref b)
{
    int tasks = attempt_compare_tasks(a, b);
    return tasks ? tasks : (a.attempt > b.attempt) - (a.attempt < b.attempt);
}
