/* job_equal_test.h - compares two jobs in tests, however they are stored. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "inputs/workload/workload.h"

static inline bool text_equal(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static inline bool task_equal(const struct phase_spec *a, const struct phase_truth *x,
                              const struct phase_spec *b, const struct phase_truth *y, uint32_t t)
{
    uint32_t replicas = a->replica_from ? a->replica_from[t + 1] - a->replica_from[t] : 0;
    uint32_t attempts = x->attempt_from ? x->attempt_from[t + 1] - x->attempt_from[t] : 0;
    if (replicas != (b->replica_from ? b->replica_from[t + 1] - b->replica_from[t] : 0) ||
        attempts != (y->attempt_from ? y->attempt_from[t + 1] - y->attempt_from[t] : 0))
        return false;
    return phase_input_bytes(a, t) == phase_input_bytes(b, t) &&
           (x->size_each ? x->size_each[t] : x->size_us) ==
               (y->size_each ? y->size_each[t] : y->size_us) &&
           text_equal(x->command_each ? x->command_each[t] : NULL,
                      y->command_each ? y->command_each[t] : NULL) &&
           (!replicas || !memcmp(a->replicas + a->replica_from[t], b->replicas + b->replica_from[t],
                                 replicas * sizeof *a->replicas)) &&
           (!attempts || !memcmp(x->attempts + x->attempt_from[t], y->attempts + y->attempt_from[t],
                                 attempts * sizeof *x->attempts));
}

static inline bool phase_equal(const struct phase_spec *a, const struct phase_truth *x,
                               const struct phase_spec *b, const struct phase_truth *y)
{
    if (strcmp(a->name, b->name) || a->tasks != b->tasks || !res_equal(&a->demand, &b->demand) ||
        a->clone != b->clone || a->expect_us != b->expect_us ||
        a->expect_dev_us != b->expect_dev_us || a->edge_count != b->edge_count ||
        x->vary != y->vary || x->output_bytes != y->output_bytes ||
        !text_equal(x->command, y->command))
        return false;
    for (uint16_t e = 0; e < a->edge_count; e++)
        if (a->edges[e].from != b->edges[e].from || a->edges[e].pattern != b->edges[e].pattern ||
            a->edges[e].slowstart != b->edges[e].slowstart)
            return false;
    for (uint32_t t = 0; t < a->tasks; t++)
        if (!task_equal(a, x, b, y, t))
            return false;
    return true;
}

/* Returns true if all members except spec.id and the line are equal; false if a job is NULL. */
static inline bool job_equal(const struct workload_job *a, const struct workload_job *b)
{
    if (!a || !b || a->submit_us != b->submit_us)
        return false;
    const struct job_spec *s = &a->spec, *t = &b->spec;
    if (strcmp(s->name, t->name) || strcmp(s->user, t->user) || strcmp(s->queue, t->queue) ||
        !text_equal(s->app, t->app) || s->weight != t->weight || s->running_max != t->running_max ||
        s->arrived_us != t->arrived_us || s->wrapup_us != t->wrapup_us ||
        s->phase_count != t->phase_count)
        return false;
    for (uint16_t k = 0; k < s->phase_count; k++)
        if (!phase_equal(&s->phases[k], &a->truth[k], &t->phases[k], &b->truth[k]))
            return false;
    return true;
}
