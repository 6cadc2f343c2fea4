/* steady.c - what the brain costs on a full cluster, and how much of that is matching.
 *
 *     steady POLICY SERVERS...   microseconds of a turn for each attempt that it launches: all, and
 * matching
 *
 * In each turn as many attempts end at random as BATCH, and others take their places, out of some
 * thousand jobs that wait; a job comes for each that has been launched. A turn is the events of all
 * that and the decide. CPU time, the median of WINDOWS times TURNS turns; the share of matching is
 * counted (matching.h). */
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "bench/brain_world.h"
#include "bench/matching.h"
#include "core/policy/policy.h"

enum { BATCH = 32, TURNS = 3000, WINDOWS = 5 };

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
    VEC(struct event) next; /* events of the next turn, ... */
    uint32_t coming;        /* ... in which so many jobs come */
    uint64_t due;           /* tasks for which none has come yet */
    uint32_t jobs;
    bool watched;   /* by matching.h */
    double took_ms; /* turns, in all */
};

static void come(struct cluster *c)
{
    for (; c->coming > 0; c->coming--)
        tell_job(c->brain, &c->luck, c->now_us, c->jobs++);
}

/* The brain learns what happened and decides. */
static struct decision_list tell_and_decide(struct cluster *c)
{
    double from_ms = now_ms();
    matching_watch(c->watched);
    brain_apply_all(c->brain, c->now_us, c->next.at, c->next.count);
    come(c);
    struct decision_list out = brain_decide(c->brain, c->now_us);
    matching_watch(false);
    c->took_ms += now_ms() - from_ms;
    return out;
}

/* One turn. How many attempts it launched. */
static uint32_t turn(struct cluster *c)
{
    uint32_t launches = 0;
    c->now_us++;
    struct decision_list out = tell_and_decide(c);
    vec_clear(&c->next);
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

/* Microseconds for each attempt that is launched in TURNS turns. */
static double window(struct cluster *c)
{
    uint64_t launches = 0;
    c->took_ms = 0;
    for (uint32_t k = 0; k < TURNS; k++) {
        for (uint32_t i = 0; i < BATCH; i++)
            end_one(c);
        uint32_t more = turn(c);
        launches += more;
        c->coming = (uint32_t)((c->due + more) / TASKS);
        c->due = (c->due + more) % TASKS;
    }
    return c->took_ms * 1e3 / (double)launches;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(const struct policy *policy, uint32_t servers, bool watched)
{
    struct cluster c = {
        .brain = brain_create(policy, 1), .luck = rng_branch(1, 2, 3), .watched = watched};
    double us[WINDOWS];
    tell_servers(c.brain, &c.luck, servers);
    do
        c.coming = JOBS;
    while (turn(&c) == JOBS * TASKS);
    c.coming = JOBS;
    turn(&c);
    (void)matching_share();
    for (int i = 0; i < WINDOWS; i++)
        us[i] = window(&c);
    qsort(us, WINDOWS, sizeof *us, compare_doubles);
    brain_destroy(c.brain);
    vec_free(&c.running);
    vec_free(&c.next);
    return us[WINDOWS / 2];
}

/* Watching costs time: the share is that of a second run of the same. */
static void print(const struct policy *policy, const char *name, char **servers)
{
    printf("   %-32s", name);
    for (; *servers; servers++) {
        uint32_t count = (uint32_t)strtoul(*servers, NULL, 10);
        double us = measure(policy, count, false);
        (void)measure(policy, count, true);
        printf(" %7.2f %5.2f", us, us * matching_share());
    }
    printf("  1\n");
}

int main(int argc, char **argv)
{
    struct err err;
    struct policy *policy = argc > 1 ? policy_create(argv[1], &err) : NULL;
    if (!policy)
        return 2;
    print(policy, argv[1], argv + 2);
    policy_destroy(policy);
    return 0;
}
