/* decide.c - how long the brain takes to decide, and how much it remembers.
 *
 *     decide once POLICY               about 1000 jobs that come at once: milliseconds of one decide, the best of
 *                                      several
 *     decide steady POLICY SERVERS...  on a full cluster: microseconds of a decide for each attempt that it launches
 *     decide queued POLICY             bytes of memory for each of a million tasks that wait
 *
 * Jobs have 25 tasks and a demand each and are expected to take 1 to 1000 s; servers have three sizes. `once`: onto
 * 30 000 empty servers; all 25 000 attempts are launched in that decide: ranks, matching, accounts and the decisions
 * with their reasons. `steady`: as many attempts end at random as BATCH, and others take their places, out of some
 * thousand jobs that wait; a job comes for each that has been launched. CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/rng.h"
#include "base/vec.h"
#include "brain/brain.h"
#include "policy/policy.h"

enum { JOBS = 1000, TASKS = 25, SERVERS = 30000, REPEAT = 5, BATCH = 32, TURNS = 3000 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void tell_servers(struct brain *b, struct rng *r, uint32_t servers)
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

static void tell_job(struct brain *b, struct rng *r, int64_t now_us, uint32_t id)
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

/* ---- once ---- */

/* Milliseconds of the decide, or -1 when it did not launch all. */
static double measure_once(const struct policy *policy)
{
    struct brain *b = brain_create(policy, 1);
    struct rng r = rng_branch(1, 2, 3);
    uint32_t launches = 0;
    tell_servers(b, &r, SERVERS);
    for (uint32_t i = 0; i < JOBS; i++)
        tell_job(b, &r, 1, i);
    double from = now_ms();
    struct decision_list out = brain_decide(b, 1);
    double took = now_ms() - from;
    for (uint32_t i = 0; i < out.count; i++)
        launches += out.at[i].type == DO_LAUNCH;
    brain_destroy(b);
    return launches >= JOBS * TASKS ? took : -1;
}

static int once(const struct policy *policy, const char *name)
{
    double best = measure_once(policy);
    for (int k = 1; k < REPEAT && best >= 0; k++) {
        double took = measure_once(policy);
        best = took < best ? took : best;
    }
    printf("   %-36s %9.2f  %s\n", name, best, strcmp(name, "dollymp0") ? "" : "12");
    return best < 0 ? -1 : 0;
}

/* ---- steady ---- */

struct running {
    struct attempt_ref at;
    struct node_id node;
};

/* A cluster that answers at once. */
struct cluster {
    struct brain *brain;
    struct rng luck;
    int64_t now_us;
    VEC(struct running) running;
    VEC(struct event) next; /* events of the next turn */
    uint32_t jobs;
};

/* One turn. How many attempts it launched. */
static uint32_t turn(struct cluster *c, double *took_ms)
{
    uint32_t launches = 0;
    c->now_us++;
    for (uint32_t i = 0; i < c->next.count; i++)
        brain_apply(c->brain, c->now_us, &c->next.at[i]);
    vec_clear(&c->next);
    double from = now_ms();
    struct decision_list out = brain_decide(c->brain, c->now_us);
    *took_ms += now_ms() - from;
    for (uint32_t i = 0; i < out.count; i++) {
        const struct decision *d = &out.at[i];
        struct event e = {.at = d->at, .node = d->node};
        if (d->type == DO_LAUNCH) {
            launches++;
            e.type = EV_ATTEMPT_STARTED;
            vec_push(&c->running, ((struct running){d->at, d->node}));
        } else if (d->type == DO_COMMIT) {
            e.type = EV_COMMITTED;
        } else {
            continue;
        }
        vec_push(&c->next, e);
    }
    return launches;
}

static void end_one(struct cluster *c)
{
    uint32_t i = (uint32_t)rng_below(&c->luck, c->running.count);
    struct running a = c->running.at[i];
    struct event e = {.type = EV_ATTEMPT_FINISHED, .at = a.at, .node = a.node};
    c->running.at[i] = c->running.at[--c->running.count];
    vec_push(&c->next, e);
}

static void come(struct cluster *c, uint32_t jobs)
{
    while (jobs-- > 0)
        tell_job(c->brain, &c->luck, c->now_us, c->jobs++);
}

/* Microseconds for each attempt that is launched. */
static double measure_steady(const struct policy *policy, uint32_t servers)
{
    struct cluster c = {.brain = brain_create(policy, 1), .luck = rng_branch(1, 2, 3)};
    uint64_t launches = 0, due = 0;
    double ms = 0;
    tell_servers(c.brain, &c.luck, servers);
    do
        come(&c, JOBS);
    while (turn(&c, &ms) == JOBS * TASKS);
    come(&c, JOBS);
    turn(&c, &ms);
    ms = 0;
    for (uint32_t k = 0; k < TURNS; k++) {
        for (uint32_t i = 0; i < BATCH; i++)
            end_one(&c);
        uint32_t more = turn(&c, &ms);
        launches += more;
        for (due += more; due >= TASKS; due -= TASKS)
            come(&c, 1);
    }
    brain_destroy(c.brain);
    vec_free(&c.running);
    vec_free(&c.next);
    return ms * 1e3 / (double)launches;
}

static void steady(const struct policy *policy, const char *name, char **servers)
{
    printf("   %-36s", name);
    for (; *servers; servers++)
        printf(" %9.2f", measure_steady(policy, (uint32_t)strtoul(*servers, NULL, 10)));
    printf("  1\n");
}

/* ---- queued ---- */

static double peak_bytes(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss * 1024;
}

static void queued(const struct policy *policy, const char *name)
{
    enum { MILLION = 1000000 };
    struct brain *b = brain_create(policy, 1);
    struct rng r = rng_branch(1, 2, 3);
    tell_servers(b, &r, 1);
    double before = peak_bytes();
    for (uint32_t i = 0; i < MILLION / TASKS; i++)
        tell_job(b, &r, 1, i);
    brain_decide(b, 1);
    printf("   %-36s %9.0f  %s\n", name, (peak_bytes() - before) / MILLION, "200 at most");
    brain_destroy(b);
}

int main(int argc, char **argv)
{
    struct err err;
    struct policy *policy = argc > 2 ? policy_create(argv[2], &err) : NULL;
    if (!policy)
        return 2;
    int status = 0;
    if (strcmp(argv[1], "once") == 0)
        status = once(policy, argv[2]) < 0;
    else if (strcmp(argv[1], "steady") == 0)
        steady(policy, argv[2], argv + 3);
    else
        queued(policy, argv[2]);
    policy_destroy(policy);
    return status;
}
