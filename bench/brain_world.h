/* brain_world.h - servers and jobs for a brain whose time is measured.
 *
 * Jobs have 25 tasks and a demand each and are expected to take 1 to 1000 s; servers have three
 * sizes. */
#pragma once

#include <time.h>

#include "base/rng.h"
#include "core/brain/brain.h"

enum { JOBS = 1000, TASKS = 25 };

static inline double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline void tell_servers(struct brain *b, struct rng *r, uint32_t servers)
{
    static const struct res sizes[] = {
        {{8000, 16384, 0, 0}}, {{16000, 49152, 0, 0}}, {{24000, 49152, 0, 0}}};
    for (uint32_t i = 0; i < servers; i++) {
        struct event e = {.type = EV_NODE_UP,
                          .node = {i},
                          .u.node = {.capacity = sizes[rng_below(r, 3)], .rack = i / 40}};
        brain_apply(b, 0, &e);
    }
    brain_decide(b, 0);
}

static inline void tell_job(struct brain *b, struct rng *r, int64_t now_us, uint32_t id)
{
    struct phase_spec p = {.name = "p", .tasks = TASKS};
    p.demand.v[RES_CPU] = 100 + (int32_t)rng_below(r, 3900);
    p.demand.v[RES_MEM] = 64 + (int32_t)rng_below(r, 8000);
    p.expect_us = INT64_C(1000000) * (int64_t)(1 + rng_below(r, 1000));
    struct job_spec spec = {
        .id = {id}, .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &p, .phase_count = 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .at.job = spec.id, .u.job = &spec};
    brain_apply(b, now_us, &e);
}
