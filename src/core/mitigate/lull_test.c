/* Mantri beside itself without lulls: in random runs both must decide the same, look after look. */
#include "core/mitigate/lull.h"

#include "base/rng.h"
#include "core/brain/script_test.h"
#include "core/policy/policy.h"
#include "tests/unit/test.h"

/* Mantri again, under other names, which looks at every attempt each time. */
#define lull_settle(l, w, rules, task) never(l, rules)
#define mantri_mitigate each_time_mitigate
#define mantri_left_s each_time_left_s
#define mantri_rest_update each_time_rest_update
#define mantri_deciding_rate each_time_deciding_rate
#define mantri_chance each_time_chance
#define mantri_factor_max each_time_factor_max
static bool never(const struct lull *l, const struct lull_rules *rules)
{
    (void)l, (void)rules;
    return false;
}
extern const struct mitigate_ops each_time_mitigate;
#undef PARAMS
#include "core/mitigate/mantri.c"
#undef mantri_mitigate
#undef lull_settle

enum { S = 1000000, TICK = 1, STEPS = 600, ATTEMPTS_MAX = 4096 };

/* An attempt of the body, which has done a part of its work after that part of its time, but for a
 * stall in the middle. */
struct lull_runner {
    struct attempt_ref at;
    int64_t started_s, takes_s, stall_s, every_s; /* every: between reports */
    enum { NEW, RUNS, ENDING, OVER } state;
};

struct lull_race {
    struct script with, without;
    struct rng rng;
    struct lull_runner runners[ATTEMPTS_MAX];
    uint32_t count;
    int64_t tick_us;
    uint32_t acts; /* restarts, duplicates and prunings */
    bool differs;
};

static void tell(struct lull_race *r, struct event e)
{
    r->with.now_us = r->without.now_us;
    script_tell(&r->with, e);
    script_tell(&r->without, e);
}

static void tell_type(struct lull_race *r, enum event_type type, struct attempt_ref at)
{
    tell(r, (struct event){.type = (uint8_t)type, .at = at, .cause = CAUSE_INJECTED});
}

static void draw(struct lull_race *r, struct attempt_ref at)
{
    check(r->count < ATTEMPTS_MAX);
    int64_t healthy_s = 20 + 15 * (int64_t)(at.job.v % 5);
    struct lull_runner *x = &r->runners[r->count++];
    *x = (struct lull_runner){.at = at, .every_s = 1 + (int64_t)rng_below(&r->rng, 14)};
    x->takes_s = healthy_s + (int64_t)rng_below(&r->rng, 10);
    if (rng_below(&r->rng, 5) == 0)
        x->takes_s *= 4;
    if (rng_below(&r->rng, 5) == 0)
        x->stall_s = 20 + (int64_t)rng_below(&r->rng, 150);
}

static int64_t done_of(const struct lull_runner *x, int64_t now_s)
{
    int64_t worked_s = now_s - x->started_s, half_s = x->takes_s / 2;
    if (worked_s > half_s)
        worked_s = worked_s > half_s + x->stall_s ? worked_s - x->stall_s : half_s;
    return 1000 * worked_s / x->takes_s;
}

static void step_one(struct lull_race *r, struct lull_runner *x, int64_t now_s)
{
    if (x->state == NEW) {
        tell_type(r, EV_ATTEMPT_STARTED, x->at);
        x->started_s = now_s;
        x->state = RUNS;
    } else if (x->state == ENDING) {
        tell_type(r, EV_ATTEMPT_KILLED, x->at);
        x->state = OVER;
    } else if (x->state == RUNS && done_of(x, now_s) >= 1000) {
        tell_type(r, rng_below(&r->rng, 30) ? EV_ATTEMPT_FINISHED : EV_ATTEMPT_FAILED, x->at);
        x->state = OVER;
    } else if (x->state == RUNS && (now_s - x->started_s) % x->every_s == 0) {
        tell(r, (struct event){.type = EV_ATTEMPT_PROGRESS,
                               .at = x->at,
                               .u.progress = {done_of(x, now_s), 1000, -1, 0}});
    }
}

static bool is_same(const struct decision *x, const struct decision *y)
{
    bool same = x->type == y->type && x->kind == y->kind && attempt_equal(x->at, y->at) &&
                x->node.v == y->node.v && x->why.code == y->why.code;
    for (int k = 0; k < REASON_NUMBERS_MAX && same; k++)
        same = x->why.num[k] == y->why.num[k];
    return same;
}

static bool are_same(const struct decision_list *a, const struct decision_list *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = is_same(&a->at[i], &b->at[i]);
    return same;
}

static void decide(struct lull_race *r, int64_t now_us)
{
    script_decide(&r->with, now_us);
    script_decide(&r->without, now_us);
    r->differs |= !are_same(&r->with.out, &r->without.out);
    struct decision_list out = r->with.out;
    for (uint32_t i = 0; i < out.count && !r->differs; i++) {
        const struct decision *d = &out.at[i];
        if (d->type == DO_LAUNCH)
            draw(r, d->at);
        if (d->type == DO_SET_TIMER && d->u.timer.id == TICK)
            r->tick_us = d->u.timer.at_us;
        for (uint32_t k = 0; k < r->count; k++)
            if ((d->type == DO_KILL || d->type == DO_WITHDRAW) &&
                attempt_equal(d->at, r->runners[k].at) && r->runners[k].state != OVER)
                r->runners[k].state = ENDING;
        if (d->type == DO_COMMIT)
            tell_type(r, EV_COMMITTED, d->at);
        r->acts += d->why.code == WHY_RESTART_FASTER || d->why.code == WHY_DUPLICATE_SAVES ||
                   d->why.code == WHY_PRUNED;
    }
}

static void race_init(struct lull_race *r, const char *policy, uint32_t seed)
{
    struct err err;
    *r = (struct lull_race){.rng = rng_stream(seed, 0, 0, 0, 0, 0)};
    script_init(&r->with, policy, 0, 1);
    r->without.policy = policy_create(policy, &err);
    r->without.policy->parts[PART_MITIGATE].ops = &each_time_mitigate.part;
    r->without.brain = brain_create(r->without.policy, 1);
    for (uint32_t i = 0; i < 24; i++) {
        script_node_up(&r->with, i, 1, 0);
        script_node_up(&r->without, i, 1, 0);
    }
}

static void submit(struct lull_race *r)
{
    uint32_t tasks = 1 + (uint32_t)rng_below(&r->rng, 30);
    script_job(&r->with, 1, tasks);
    script_job(&r->without, 1, tasks);
}

static uint32_t race(const char *policy, uint32_t seed)
{
    static struct lull_race r;
    race_init(&r, policy, seed);
    for (int64_t now_s = 0; now_s < STEPS && !r.differs; now_s++) {
        r.with.now_us = r.without.now_us = now_s * S;
        if (rng_below(&r.rng, 40) == 0 || now_s == 0)
            submit(&r);
        for (uint32_t k = 0; k < r.count; k++)
            step_one(&r, &r.runners[k], now_s);
        if (r.tick_us > 0 && r.tick_us <= now_s * S) {
            r.tick_us = 0;
            tell(&r, (struct event){.type = EV_TIMER, .u.timer = TICK});
        }
        decide(&r, now_s * S);
        if (!r.differs)
            decide(&r, now_s * S); /* after commits */
    }
    expect(!r.differs);
    script_fini(&r.with);
    script_fini(&r.without);
    return r.acts;
}

TEST(lull_changes_no_decision)
{
    uint32_t acts = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        acts += race("mitigate=mantri", seed);
        acts += race("mitigate=mantri;careful=no;gamma=1", seed);
        acts += race("mitigate=mantri;alpha=1;copies_max=2;chance=0.1;delta=5s", seed);
    }
    expect(acts > 500);
}

TEST(lows_rise_and_do_not_fall)
{
    struct task task = {.state = TASK_ACTIVE};
    struct phase p = {.tasks = &task, .count = 1, .pending_count = 1};
    struct lull_phase x = {0};
    lull_settle_phase(&x, &p, 1, 2);
    double mean = x.mean_low, rate = x.rate_low;
    expect(x.settled && mean > 0.9 && mean < 1 && rate > 1.8 && rate < 2);
    lull_settle_phase(&x, &p, 2, 0);
    expect(x.mean_low == 2 * mean && x.rate_low == rate);
    lull_settle_phase(&x, &p, 1, 4);
    expect(x.mean_low == 2 * mean && x.rate_low == 2 * rate);
    p.pending_count = 0;
    lull_settle_phase(&x, &p, 1, 0);
    expect(x.mean_low == mean && x.rate_low == 0);
}
