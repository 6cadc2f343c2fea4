/* decide.c - how long the brain takes to decide about 1000 jobs that come at once.
 *
 *     decide POLICY...    prints for each the milliseconds of one decide, the best of several
 *
 * 1000 jobs with 25 tasks and a demand each, expected to take 1 to 1000 s, onto 30 000 empty
 * servers of three sizes. All 25 000 attempts are launched in that decide: ranks, matching, accounts and the
 * decisions with their reasons. CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "brain/brain.h"
#include "policy/policy.h"

enum { JOBS = 1000, TASKS = 25, SERVERS = 30000, REPEAT = 5 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void tell_servers(struct brain *b, struct rng *r)
{
    static const struct res sizes[] = {
        {{8000, 16384, 0, 0}}, {{16000, 49152, 0, 0}}, {{24000, 49152, 0, 0}}};
    for (uint32_t i = 0; i < SERVERS; i++) {
        struct event e = {.type = EV_NODE_UP,
                          .node = {i},
                          .u.node = {.capacity = sizes[rng_below(r, 3)], .rack = i / 40}};
        brain_apply(b, 0, &e);
    }
    brain_decide(b, 0);
}

static void tell_jobs(struct brain *b, struct rng *r)
{
    for (uint32_t i = 0; i < JOBS; i++) {
        struct phase_spec p = {.name = "p", .tasks = TASKS};
        p.demand.v[RES_CPU] = 100 + (int32_t)rng_below(r, 3900);
        p.demand.v[RES_MEM] = 64 + (int32_t)rng_below(r, 8000);
        p.expect_us = INT64_C(1000000) * (int64_t)(1 + rng_below(r, 1000));
        struct job_spec spec = {
            .id = {i}, .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &p, .phase_count = 1};
        struct event e = {.type = EV_JOB_SUBMITTED, .at.job = spec.id, .u.job = &spec};
        brain_apply(b, 1, &e);
    }
}

/* Milliseconds of the decide, or -1 when it did not launch all. */
static double measure(const struct policy *policy)
{
    struct brain *b = brain_create(policy, 1);
    struct rng r = rng_branch(1, 2, 3);
    uint32_t launches = 0;
    tell_servers(b, &r);
    tell_jobs(b, &r);
    double from = now_ms();
    struct decision_list out = brain_decide(b, 1);
    double took = now_ms() - from;
    for (uint32_t i = 0; i < out.count; i++)
        launches += out.at[i].type == DO_LAUNCH;
    brain_destroy(b);
    return launches >= JOBS * TASKS ? took : -1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct err err;
        struct policy *policy = policy_create(argv[i], &err);
        double best = -1;
        for (int k = 0; policy && k < REPEAT; k++) {
            double took = measure(policy);
            if (took < 0)
                return 1;
            if (best < 0 || took < best)
                best = took;
        }
        if (!policy)
            return 1;
        printf("   %-36s %9.2f  %s\n", argv[i], best, i == 1 ? "12 ms" : "");
        policy_destroy(policy);
    }
    return 0;
}
