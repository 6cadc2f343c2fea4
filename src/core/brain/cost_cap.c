/* cost_cap.c - an account of what was spent in a window that moves along, and how fast.
 *
 * The window is cut into steps, one bucket each, and moves by whole steps: it ends now and begins
 * up to a step before the exact one, so the sum is never too small. Between two steps the sum only
 * grows, and when it will meet the limit is a division; an exact window would have to remember
 * every change of an hour.
 *
 * The sum alone lets the first minutes spend an hour's worth, after which nothing may start for the
 * rest of it. So a tenth of the limit is a store of tokens, and the rest comes in at an even rate:
 * an extra attempt is let through while everything that is held, and the new one,
 * could go on for one more step. When the store is empty what is held beyond the rate has to go,
 * newest first, because the oldest are nearest to their end. What is spent in a window is at most
 * the store and what comes in meanwhile, and the rate is so low that this, the step that is counted
 * too much and a step's worth for kills that take their time make no more than the limit.
 *
 * The limit can be met all the same, when kills take long or nodes go down. Then all goes.
 * Rejected: to end everything whenever tokens run out, and to start nothing until some are there
 * again: then most of what was spent is lost with the attempts.
 *
 * There is an account for each resource. Rejected: one account, of the sum of the dominant shares
 * of single attempts. What is held would have to be weighed anew whenever a node comes or goes, and
 * clones of maps would have to wait for clones of reduces that take nothing from them. */
#include "core/brain/cost_cap.h"

#include "base/check.h"
#include "core/brain/job.h"
#include "core/brain/state.h"

enum { BUCKETS = COST_CAP_STEPS + 1 };

static const double STORE = 0.1; /* of the limit */

void cost_cap_init(struct cost_cap *c, double share, int64_t window_us)
{
    *c = (struct cost_cap){.share = share,
                           .step_us = (window_us + COST_CAP_STEPS - 1) / COST_CAP_STEPS};
}

static void spend(struct cost_cap *c, int64_t until_us)
{
    cost_cap_area more = (cost_cap_area)c->held * (cost_cap_area)(until_us - c->now_us);
    c->bucket[c->at] += more;
    c->sum += more;
    c->now_us = until_us;
}

/* How much may be held for ever. */
static double rate(const struct cost_cap *c)
{
    return cost_cap_limit(c) * (1 - STORE) / ((COST_CAP_STEPS + 2) * (double)c->step_us);
}

static cost_cap_area store(const struct cost_cap *c)
{
    return cost_cap_limit(c) * STORE;
}

void cost_cap_advance(struct cost_cap *c, int64_t now_us, int64_t capacity)
{
    check(now_us >= c->now_us);
    c->taken += ((double)c->held - rate(c)) * (double)(now_us - c->now_us);
    if (c->taken < 0)
        c->taken = 0;
    c->capacity = capacity;
    int64_t steps = (now_us - c->bucket_from_us) / c->step_us;
    if (steps > 2 * BUCKETS) { /* all buckets are alike by then */
        int64_t skipped = steps - 2 * BUCKETS;
        c->now_us += skipped * c->step_us;
        c->bucket_from_us += skipped * c->step_us;
        steps -= skipped;
    }
    for (; steps > 0; steps--) {
        spend(c, c->bucket_from_us + c->step_us);
        c->bucket_from_us += c->step_us;
        c->at = (c->at + 1) % BUCKETS;
        c->bucket[c->at] = 0;
        c->sum = 0;
        for (uint32_t i = 0; i < BUCKETS; i++)
            c->sum += c->bucket[i]; /* anew: what is added and subtracted for ever drifts */
    }
    spend(c, now_us);
}

cost_cap_area cost_cap_limit(const struct cost_cap *c)
{
    return c->share * (double)c->capacity * COST_CAP_STEPS * (double)c->step_us;
}

double cost_cap_may_hold(const struct cost_cap *c)
{
    if (c->share >= 1 || (c->sum < cost_cap_limit(c) && c->taken < store(c)))
        return (double)c->held;
    return c->sum < cost_cap_limit(c) ? rate(c) : 0;
}

bool cost_cap_allows(const struct cost_cap *c, int64_t more)
{
    double step_us = (double)c->step_us;
    cost_cap_area cost = (cost_cap_area)(c->held + more) * step_us,
                  rounding = cost_cap_limit(c) * 1e-12;
    return c->share >= 1 || (c->sum + cost <= cost_cap_limit(c) + rounding &&
                             c->taken + cost <= store(c) + rate(c) * step_us + rounding);
}

/* When `left` is used up by what grows at this speed, or at the end of the step if that is sooner.
 */
static int64_t sooner(const struct cost_cap *c, int64_t next_us, cost_cap_area left, double speed)
{
    if (left <= 0 || speed <= 0 || left >= speed * (double)(next_us - c->now_us))
        return next_us;
    int64_t wait_us = (int64_t)(left / speed);
    return c->now_us + wait_us + ((cost_cap_area)wait_us * speed < left);
}

int64_t cost_cap_next_us(const struct cost_cap *c, bool waits)
{
    int64_t next_us = c->bucket_from_us + c->step_us;
    if (c->share >= 1 || (c->held == 0 && !waits))
        return 0;
    next_us = sooner(c, next_us, cost_cap_limit(c) - c->sum, (double)c->held);
    return sooner(c, next_us, store(c) - c->taken, (double)c->held - rate(c));
}

/* ---- what the brain does about it ---- */

void cost_cap_begin(struct brain *b)
{
    for (int i = 0; i < RES_COUNT; i++)
        cost_cap_init(&b->cost_cap[i], b->policy->cap, b->policy->cap_window_us);
}

void cost_cap_turn(struct brain *b)
{
    for (int i = 0; i < RES_COUNT; i++) {
        struct cost_cap *c = &b->cost_cap[i];
        int64_t capacity = b->world.capacity.v[i];
        if (capacity > 0 || c->capacity > 0 || c->held > 0) /* not what no node has ever had */
            cost_cap_advance(c, b->world.now_us, capacity);
    }
}

void cost_cap_hold(struct brain *b, const struct phase *p, int64_t attempts)
{
    if (attempts == 0 || !cost_cap_is_on(b))
        return;
    cost_cap_turn(b);
    for (int i = 0; i < RES_COUNT; i++)
        b->cost_cap[i].held += attempts * p->demand.v[i];
}

int cost_cap_lacks(const struct brain *b, const struct res_sum *more)
{
    for (int i = 0; i < RES_COUNT && cost_cap_is_on(b); i++)
        if (more->v[i] > 0 && !cost_cap_allows(&b->cost_cap[i], more->v[i]))
            return i;
    return -1;
}

struct reason cost_cap_reason(const struct brain *b, int resource)
{
    double unit = res_unit(resource) * 1e6;
    const struct cost_cap *c = &b->cost_cap[resource];
    return REASON(WHY_CAP, c->sum / unit, cost_cap_limit(c) / unit, resource);
}

bool cost_cap_forbids(struct brain *b, const struct phase *p)
{
    struct res_sum one = {{0}};
    res_sum_plus(&one, &p->demand);
    int lacks = cost_cap_lacks(b, &one);
    if (lacks >= 0 && !b->cost_cap_said) {
        struct reason why = cost_cap_reason(b, lacks);
        decider_verdict(b, p, &why);
    }
    b->cost_cap_said = lacks >= 0;
    return lacks >= 0;
}

void cost_cap_ask(struct brain *b)
{
    int64_t first_us = 0;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t next_us =
            b->cost_cap[i].capacity > 0 ? cost_cap_next_us(&b->cost_cap[i], b->cost_cap_said) : 0;
        if (next_us > 0 && (first_us == 0 || next_us < first_us))
            first_us = next_us;
    }
    if (first_us == 0 || b->world.live == 0)
        return;
    b->timers.at[TIMER_COST_CAP].wanted_us = first_us;
    timers_ask(b, TIMER_COST_CAP);
}

/* An extra attempt is a clone or a backup whose task has another attempt that is wanted. Of a job
 * that is cloned as a whole it is a whole copy, which is as old as its job. They are looked for in
 * all live jobs. That is dear, and rare: it happens when the tokens run out, and after that only a
 * step's worth of them brings new extra attempts. */
struct extra {
    int64_t since_us;
    struct res_sum holds;
    struct attempt *a; /* or */
    struct job *copy;
    uint32_t place; /* in the heap */
};

struct trim {
    VEC(struct extra) extras;
    struct res_sum wanted; /* held by extra attempts that were not asked to end */
    double may_hold[RES_COUNT];
};

static void trim_task(const struct brain *b, const struct phase *p, const struct task *t,
                      struct trim *trim)
{
    int64_t wanted = task_extra(t);
    struct res_sum one = {{0}};
    if (wanted == 0)
        return;
    res_sum_plus(&one, &p->demand);
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state == ATTEMPT_FINISHED)
            continue;
        wanted -= a->unwanted;
        if (!a->unwanted && (a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP))
            vec_push(&trim->extras, ((struct extra){a->launched_us, one, a, NULL, HEAP_NOWHERE}));
    }
    res_sum_add(&trim->wanted, &p->demand, wanted > 0 ? wanted : 0);
}

static void trim_copy(const struct brain *b, struct job *copy, struct trim *trim)
{
    struct res_sum all = {{0}};
    for (uint16_t k = 0; k < copy->phase_count; k++)
        for (uint32_t t = 0; t < copy->phases[k].count; t++)
            FOR_ATTEMPTS (a, &b->world, &copy->phases[k].tasks[t])
                if (a->state != ATTEMPT_FINISHED && !a->unwanted)
                    res_sum_plus(&all, &copy->phases[k].demand);
    vec_push(&trim->extras, ((struct extra){copy->submitted_us, all, NULL, copy, HEAP_NOWHERE}));
    for (int i = 0; i < RES_COUNT; i++)
        trim->wanted.v[i] += all.v[i];
}

static void trim_job(const struct brain *b, struct job *j, struct trim *trim)
{
    for (struct job *copy = j->copies; copy; copy = copy->next)
        if (copy->state == JOB_LIVE)
            trim_copy(b, copy, trim);
    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++)
            trim_task(b, &j->phases[k], &j->phases[k].tasks[t], trim);
}

/* The first resource of which too much is held, or -1. */
static int too_much(const struct trim *trim, const struct res_sum *held)
{
    for (int i = 0; i < RES_COUNT; i++)
        if ((double)held->v[i] > trim->may_hold[i])
            return i;
    return -1;
}

/* Whether it could stay: it holds something, but nothing of which there is too much. */
static bool is_harmless(const struct trim *trim, const struct extra *x)
{
    bool any = false;
    for (int i = 0; i < RES_COUNT; i++) {
        if (x->holds.v[i] > 0 && (double)trim->wanted.v[i] > trim->may_hold[i])
            return false;
        any |= x->holds.v[i] > 0;
    }
    return any;
}

static void extra_end(struct brain *b, const struct extra *x, const struct reason *why)
{
    if (x->copy)
        job_copy_drop(b, x->copy, why);
    else
        decider_stop(b, x->a, why);
}

static void trim_newest(struct brain *b, struct trim *trim, const struct reason *why)
{
    struct heap newest = {0};
    for (uint32_t i = 0; too_much(trim, &trim->wanted) >= 0 && i < trim->extras.count; i++)
        heap_push(&newest, -trim->extras.at[i].since_us, UINT32_MAX - i, &trim->extras.at[i].place);
    while (newest.count > 0 && too_much(trim, &trim->wanted) >= 0) {
        struct extra *x = &trim->extras.at[UINT32_MAX - heap_top(&newest)->tie];
        heap_remove(&newest, &x->place);
        if (is_harmless(trim, x))
            continue;
        if (x->a && !attempt_is_spare(&b->world, x->a))
            continue; /* those that ended before it were all that its task had besides */
        for (int i = 0; i < RES_COUNT; i++)
            trim->wanted.v[i] -= x->holds.v[i];
        extra_end(b, x, why);
    }
    heap_fini(&newest);
}

void cost_cap_enforce(struct brain *b)
{
    struct trim trim = {.wanted = {{0}}};
    struct res_sum held;
    for (int i = 0; i < RES_COUNT; i++) {
        trim.may_hold[i] = cost_cap_may_hold(&b->cost_cap[i]);
        held.v[i] = b->cost_cap[i].held;
    }
    int resource = too_much(&trim, &held);
    if (resource < 0)
        return;
    struct reason why = cost_cap_reason(b, resource);
    for (uint32_t i = 0; i < b->world.jobs.count; i++)
        if (b->world.jobs.at[i] && b->world.jobs.at[i]->state == JOB_LIVE)
            trim_job(b, b->world.jobs.at[i], &trim);
    trim_newest(b, &trim, &why);
    vec_free(&trim.extras);
}
