/* draft_times.c - the times of the attempts of a phase; those that were cut short are drawn to
 * their end (inputs/workload/recorded.h).
 *
 * The draw is keyed by the names of job, phase, task and attempt, so it is the same in every run
 * and for every order of files. */
#include "base/hash.h"
#include "base/rng.h"
#include "inputs/trace/draft.h"
#include "inputs/trace/number.h"

/* Fills to->done. */
static void gather(struct draft_times *to, const struct draft *d, const struct draft_phase *p)
{
    vec_clear(&to->done.us);
    for (uint32_t t = p->task; t < p->task + p->tasks; t++)
        for (uint32_t a = 0; a < d->tasks.at[t].attempts; a++) {
            const struct draft_attempt *x = &d->attempts.at[d->tasks.at[t].attempt + a];
            if (x->end == ROW_DONE)
                vec_push(&to->done.us, (double)x->time_us);
        }
    recorded_seal(&to->done);
}

static int64_t draw(const struct draft_times *to, struct rng r, int64_t seen_us,
                    struct draft_context *c)
{
    struct assume *a = c->assume;
    struct recorded_rule rule = {.tail = a->tail, .tail_max = a->tail_max, .base_us = a->base_us};
    int64_t us = recorded_draw(&to->done, &rule, r, seen_us);
    a->touched[ASSUME_TAIL] += rule.tails;
    a->touched[ASSUME_TAIL_MAX] += rule.cut;
    return us < NUMBER_US_MAX ? us : NUMBER_US_MAX;
}

/* Whether attempts that failed tell anything: not where the task has others. */
static bool has_better(const struct draft *d, const struct draft_task *t)
{
    for (uint32_t a = 0; a < t->attempts; a++)
        if (d->attempts.at[t->attempt + a].end != ROW_FAILED)
            return true;
    return false;
}

struct draw_key {
    uint64_t job, phase, task;
};

/* Whether what failed counts as cut short. */
static bool is_failed_cut(const struct assume *a)
{
    return a->failed != ASSUME_FAILED_TIME;
}

static void add_time(struct draft_times *to, struct draft_context *c, struct draw_key key,
                     uint32_t ordinal, int64_t seen_us, bool is_cut)
{
    int64_t us = seen_us;
    struct survey *s = c->survey;
    if (is_cut) {
        us = draw(to, rng_stream(0, RNG_CENSORED, key.job, key.phase, key.task, ordinal), seen_us,
                  c);
        s->censored++;
        s->censored_us += (double)us;
    }
    s->work_us += (double)us;
    vec_push(&to->times, us > 0 ? us : 1);
}

static void add_task(struct draft_times *to, const struct draft *d, const struct draft_task *t,
                     struct draft_context *c, struct draw_key key)
{
    const struct assume *assume = c->assume;
    uint32_t before = to->times.count;
    bool better = has_better(d, t), drops = assume->failed == ASSUME_FAILED_DROP && better;
    c->survey->tasks_failed += t->attempts > 0 && !better;
    for (uint32_t a = 0; a < t->attempts; a++) {
        const struct draft_attempt *x = &d->attempts.at[t->attempt + a];
        bool failed = x->end == ROW_FAILED;
        c->assume->touched[ASSUME_FAILED] += failed;
        if (failed && drops) {
            c->survey->failed_dropped++;
            continue;
        }
        bool is_cut = failed ? is_failed_cut(assume) : x->end != ROW_DONE;
        add_time(to, c, key, a, x->time_us, is_cut);
    }
    if (to->times.count == before) {
        c->survey->tasks_unseen++;
        add_time(to, c, key, 0, 0, true);
    }
}

void draft_times(struct draft_times *to, const struct draft *d, uint32_t phase, uint32_t tasks,
                 struct draft_context *c)
{
    const struct draft_phase *p = &d->phases.at[phase];
    static const struct draft_task unseen = {.attempts = 0};
    struct draw_key key = {hash_bytes(HASH_START, d->job.at, d->job.length),
                           hash_bytes(HASH_START, p->key.at, p->key.length), 0};
    vec_clear(&to->times);
    vec_clear(&to->from);
    gather(to, d, p);
    survey_group(c->survey, to->done.us.at, to->done.us.count, key.job ^ key.phase);
    for (uint32_t i = 0; i < tasks; i++) {
        vec_push(&to->from, to->times.count);
        key.task = i;
        add_task(to, d, i < p->tasks ? &d->tasks.at[p->task + i] : &unseen, c, key);
        survey_put(&c->survey->times, key.job ^ (key.phase + i * UINT64_C(0x9e3779b97f4a7c15)),
                   (double)to->times.at[to->from.at[i]]);
    }
    vec_push(&to->from, to->times.count);
}

int64_t draft_times_cut(const struct draft *d, uint32_t phase, int64_t seen_us,
                        struct draft_context *c)
{
    static const struct draft_times none = {0};
    const struct draft_phase *p = &d->phases.at[phase];
    if (p->end == ROW_DONE || p->end == ROW_WAITING)
        return -1;
    c->assume->touched[ASSUME_FAILED] += p->end == ROW_FAILED;
    if (p->end == ROW_FAILED && !is_failed_cut(c->assume))
        return -1;
    if (p->limit_us != ROW_UNKNOWN && p->limit_us <= seen_us)
        return -1; /* it was ended for that */
    c->survey->phases_drawn++;
    struct rng r = rng_stream(0, RNG_CENSORED, hash_bytes(HASH_START, d->job.at, d->job.length),
                              hash_bytes(HASH_START, p->key.at, p->key.length), 0, 0);
    int64_t us = draw(&none, r, seen_us, c);
    return p->limit_us != ROW_UNKNOWN && us > p->limit_us ? p->limit_us : us;
}
