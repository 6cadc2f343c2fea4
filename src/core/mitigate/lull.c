/* lull.c - until when nothing can follow from a look.
 *
 * The rules compare t_rem with bounds that grow with two numbers of the phase, the mean of its
 * rates and the rate that decides how likely a duplicate saves work. Both change with every report
 * of every sibling, if hardly. So an attempt is compared with lows, a little less than what they
 * are when they are settled, and each look checks that they still hold: the mean by sums, the
 * deciding rate by how many rates are below its low. Sums of running attempts are made anew at each
 * look, which costs less than to follow all that ends an attempt; those of finished tasks are added
 * to as tasks are done. A phase that had an output lost, in which tasks have begun or ceased to
 * wait, or whose lows do not hold, is looked at as a whole and settled again. One that is measured
 * for any other reason has its lows raised if they can be: no lull ends by that, and more begin.
 *
 * t_rem falls with time until the next report, which ends the lull, or until the attempt has been
 * silent for Delta; from then on it grows along a line, and the time at which that meets the bound
 * is a division.
 *
 * The t_rem of a task with several attempts is the least of theirs, so that of the best bounds it
 * for as long as that attempt runs and is wanted. Phases with clones are looked at each time, and
 * so are readers, whose bytes change. Comparisons have a margin beyond all rounding: a lull that
 * ends too soon costs a look, one that ends too late would change a decision. */
#include "core/mitigate/lull.h"

#include <math.h>

#include "base/sort.h"
#include "core/mitigate/mantri.h"

#define LOW_PART 0.97     /* of a number: its low */
#define MARGIN (1 - 1e-6) /* of a bound */

static uint64_t key_of(struct job_id job, uint16_t phase)
{
    return (uint64_t)job.v << 16 | phase;
}

/* The index of the phase's entry, or LOOKUP_NONE. */
static uint32_t entry_find(const struct lull *l, const struct phase *p)
{
    return lookup_get(&l->by_phase, key_of(p->job->id, p->index));
}

void lull_fini(struct lull *l)
{
    vec_free(&l->attempts);
    vec_free(&l->phases);
    vec_free(&l->unused);
    vec_free(&l->due);
    lookup_fini(&l->by_phase);
}

static const struct lull_attempt awake = {.rate = -1, .phase = LULL_NONE};

static void grow(struct lull *l, const struct world *w)
{
    while (l->attempts.count < w->attempts.count)
        vec_push(&l->attempts, awake);
}

static struct lull_attempt *attempt_of(struct lull *l, const struct world *w,
                                       const struct attempt *a)
{
    grow(l, w);
    return &l->attempts.at[a - w->attempts.at];
}

static uint32_t entry_of(struct lull *l, const struct phase *p)
{
    uint32_t i = entry_find(l, p);
    if (i != LOOKUP_NONE)
        return i;
    i = vec_take(&l->phases, &l->unused);
    l->phases.at[i] = (struct lull_phase){.job = p->job->id, .phase = p->index};
    lookup_put(&l->by_phase, key_of(p->job->id, p->index), i);
    return i;
}

static bool is_sampled(const struct phase *p, uint32_t task)
{
    return task % speculate_stride(p) == 0;
}

static double bytes_of(const struct phase *p, uint32_t task)
{
    double bytes = (double)phase_task_bytes(p, task);
    return bytes > 0 ? bytes : 1;
}

void lull_reported(struct lull *l, const struct world *w, const struct attempt *a)
{
    struct lull_attempt *x = attempt_of(l, w, a);
    const struct phase *p = attempt_phase(a);
    struct progress said = world_progress(w, a);
    x->until_us = 0;
    if (a->job->copy > 0 || p->clone_never)
        return;
    if (x->phase == LULL_NONE) {
        x->phase = entry_of(l, p);
        l->phases.at[x->phase].attempts++;
    }
    x->rate = -1;
    if (is_sampled(p, a->task))
        x->rate = mantri_rate(&said, a->started_us, bytes_of(p, a->task));
}

/* Wakes all attempts of the task. */
static void wake_all(struct lull *l, const struct world *w, const struct attempt *a)
{
    FOR_ATTEMPTS (each, w, &attempt_phase(a)->tasks[a->task])
        l->attempts.at[each - w->attempts.at].until_us = 0;
}

void lull_attempt_ended(struct lull *l, const struct world *w, const struct attempt *a)
{
    struct lull_attempt *x = attempt_of(l, w, a);
    if (x->phase != LULL_NONE) {
        struct lull_phase *phase = &l->phases.at[x->phase];
        if (--phase->attempts == 0) {
            lookup_remove(&l->by_phase, key_of(phase->job, phase->phase));
            vec_push(&l->unused, x->phase);
        }
    }
    *x = awake;
    wake_all(l, w, a);
}

static void add_done(struct lull_phase *x, const struct phase *p, uint32_t task)
{
    double rate = mantri_done_rate(&p->tasks[task], bytes_of(p, task));
    x->done_sum += rate;
    x->done_count++;
    x->done_below += rate < x->rate_low;
}

void lull_task_done(struct lull *l, const struct phase *p, uint32_t task)
{
    uint32_t i = p->job->copy > 0 ? LOOKUP_NONE : entry_find(l, p);
    if (i == LOOKUP_NONE)
        return;
    l->phases.at[i].done++;
    if (is_sampled(p, task))
        add_done(&l->phases.at[i], p, task);
}

/* The phase of an entry, if anything about it may be known in advance. */
static const struct phase *phase_of(const struct world *w, const struct lull_phase *x)
{
    const struct job *j = world_job(w, x->job);
    if (!j || j->state != JOB_LIVE)
        return NULL;
    const struct phase *p = &j->phases[x->phase];
    return p->cloned || p->read_bytes ? NULL : p;
}

/* Whether the lows hold, by the sums of now. */
static bool lows_hold(const struct lull_phase *x, const struct phase *p,
                      const struct lull_rules *rules)
{
    double sum = x->done_sum + x->sum, count = (double)x->done_count + x->count;
    double below = (double)x->done_below + x->below;
    return x->settled && x->done == p->done && x->waits == (p->pending_count > 0) && count > 0 &&
           sum * MARGIN >= x->mean_low * count && (!x->waits || !(below / count > rules->chance));
}

/* A lull that relies on the attempt alone. */
static void lull_until(struct lull_attempt *x, uint32_t index, int64_t until_us)
{
    x->until_us = until_us;
    x->best = index & (UINT32_MAX >> 2);
    x->idle_only = x->wait_only = false;
}

/* Adds an attempt to the sums of its phase. */
static inline void sum_up(struct lull *l, const struct lull_attempt *x)
{
    if (x->phase == LULL_NONE)
        return;
    struct lull_phase *phase = &l->phases.at[x->phase];
    phase->quiet++;
    if (x->rate < 0)
        return;
    phase->sum += x->rate;
    phase->count++;
    phase->below += x->rate < phase->rate_low;
}

static bool is_alone(const struct world *w, const struct attempt *a)
{
    return attempt_phase(a)->tasks[a->task].attempts == (uint32_t)(a - w->attempts.at) &&
           a->next == ATTEMPT_NONE;
}

/* Whether the lull of an attempt, which is not over by time, is over for another reason. */
static bool is_disturbed(const struct world *w, const struct lull_attempt *x, uint32_t index,
                         bool wait)
{
    if (wait ? x->idle_only : x->wait_only)
        return true;
    if (x->best == index)
        return false; /* mostly: if it is to end, its task is looked at by the others */
    const struct attempt *best = world_attempt(w, x->best);
    return best->unwanted || best->state != ATTEMPT_RUNNING;
}

/* Wakes the other attempts of a task. Those that the walk has passed come to the end of the list.
 */
static void wake_others(struct lull *l, const struct world *w, const struct attempt *a)
{
    FOR_ATTEMPTS (each, w, &attempt_phase(a)->tasks[a->task]) {
        struct lull_attempt *x = &l->attempts.at[each - w->attempts.at];
        if (x->until_us > w->now_us && each->state == ATTEMPT_RUNNING &&
            each->running_at < a->running_at) {
            vec_push(&l->due, each->running_at);
            l->unsorted = true;
        }
        x->until_us = 0;
    }
}

/* An attempt that is to be looked at has all others of its task looked at, whatever its age. One
 * that is alone and young is not looked at, nor one that is to end. */
static void wake(struct lull *l, const struct world *w, uint32_t index,
                 const struct lull_rules *rules)
{
    const struct attempt *a = world_attempt(w, index);
    struct lull_attempt *x = &l->attempts.at[index];
    if (!a->unwanted && !is_alone(w, a)) {
        x->until_us = 0;
        wake_others(l, w, a);
    } else {
        lull_until(x, index, a->unwanted ? INT64_MAX : a->started_us + rules->delta_us);
    }
    if (x->until_us > w->now_us)
        return;
    vec_push(&l->due, a->running_at);
    if (x->phase != LULL_NONE)
        l->phases.at[x->phase].quiet--;
}

static bool started_before(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* Lists the attempts to look at, those of whole phases included. */
static void list_again(struct lull *l, const struct world *w)
{
    vec_clear(&l->due);
    for (uint32_t at = 0; at < w->running.count; at++) {
        uint32_t i = w->running.at[at];
        if (i != ATTEMPT_NONE && !lull_holds(l, i, w->now_us))
            vec_push(&l->due, at);
    }
}

void lull_begin(struct lull *l, const struct world *w, const struct lull_rules *rules, bool wait)
{
    grow(l, w);
    vec_clear(&l->due);
    l->unsorted = false;
    bool again = false;
    for (uint32_t i = 0; i < l->phases.count; i++) {
        struct lull_phase *x = &l->phases.at[i];
        x->sum = 0;
        x->count = x->below = x->quiet = 0;
    }
    for (uint32_t at = 0; at < w->running.count; at++) {
        uint32_t i = w->running.at[at];
        if (i == ATTEMPT_NONE)
            continue;
        const struct lull_attempt *x = &l->attempts.at[i];
        sum_up(l, x);
        if (x->until_us <= w->now_us || is_disturbed(w, x, i, wait))
            wake(l, w, i, rules);
    }
    for (uint32_t i = 0; i < l->phases.count; i++) {
        struct lull_phase *x = &l->phases.at[i];
        if (x->attempts == 0)
            continue;
        const struct phase *p = phase_of(w, x);
        x->awake = !p || !lows_hold(x, p, rules);
        x->settled &= !x->awake;
        again |= x->awake && x->quiet > 0;
    }
    if (again)
        list_again(l, w);
    else if (l->unsorted)
        sort_stable(l->due.at, l->due.count, sizeof *l->due.at, started_before, NULL);
}

struct lull_phase *lull_entry(struct lull *l, const struct phase *p)
{
    uint32_t i = entry_find(l, p);
    return i == LOOKUP_NONE || p->cloned || p->read_bytes ? NULL : &l->phases.at[i];
}

void lull_settle_phase(struct lull_phase *x, const struct phase *p, double mean, double deciding)
{
    bool waits = p->pending_count > 0, again = x->settled && x->waits == waits;
    double mean_low = LOW_PART * mean, rate_low = waits ? LOW_PART * deciding : 0;
    if (again && mean_low <= x->mean_low && rate_low <= x->rate_low)
        return;
    x->mean_low = again ? fmax(mean_low, x->mean_low) : mean_low;
    x->rate_low = again ? fmax(rate_low, x->rate_low) : rate_low;
    x->settled = true;
    x->waits = waits;
    x->done = p->done;
    x->done_sum = 0;
    x->done_count = x->done_below = 0;
    uint32_t stride = speculate_stride(p);
    for (uint32_t i = 0; i < p->count; i += stride)
        if (p->tasks[i].state == TASK_DONE)
            add_done(x, p, i);
}

/* What t_rem has to be above for any rule: a restart, a duplicate that is likely to save work, or a
 * duplicate for idle slots. Fewer copies may become of them meanwhile, but no more. */
static double bound_s(const struct lull_phase *x, double bytes, const struct lull_rules *rules,
                      const struct lull_task *task)
{
    double delta_s = (double)rules->delta_us / 1e6, fresh_s = x->mean_low * bytes;
    if (!x->waits)
        return MARGIN * (fresh_s + rules->rho * delta_s);
    double others = fmin(task->copies, (double)rules->copies_max - 1); /* of one more */
    double likely_s = others > 0 ? x->rate_low * bytes * (others + 1) / others : INFINITY;
    return MARGIN * (task->restarted ? likely_s : fmin(fresh_s + delta_s, likely_s));
}

/* The first time at which an attempt that has done nothing since its last report would have more
 * than that to go. */
static int64_t silent_until_us(const struct attempt *a, const struct progress *said, double left_s)
{
    double rest = (double)(said->total - said->done);
    double after_us = rest > 0 ? 1e6 * left_s * (double)said->done / rest : INFINITY;
    return after_us < 1e15 ? a->started_us + (int64_t)after_us : INT64_MAX;
}

/* Until when that is certain. */
static int64_t lull_end_us(const struct lull_task *task, const struct lull_rules *rules,
                           const struct progress *said, double most_s, bool any)
{
    int64_t silent_us = said->at_us + rules->delta_us + 1; /* if it is, from then on */
    int64_t until_us = any ? INT64_MAX : silent_until_us(task->best, said, most_s);
    until_us = until_us > silent_us ? until_us : silent_us;
    return until_us < task->most_us ? until_us : task->most_us;
}

bool lull_settle(struct lull *l, const struct world *w, const struct lull_rules *rules,
                 const struct lull_task *task)
{
    const struct attempt *best = task->best;
    const struct phase *p = attempt_phase(best);
    struct progress said = world_progress(w, best);
    uint32_t entry = attempt_of(l, w, best)->phase;
    if (entry == LULL_NONE || said.done <= 0 || said.total <= 0)
        return false;
    const struct lull_phase *x = &l->phases.at[entry];
    if (!x->settled)
        return false;
    double most_s = bound_s(x, bytes_of(p, best->task), rules, task);
    bool below = task->left_s <= most_s, alone = x->waits && task->left_alone;
    bool wait_only = !below && !x->waits && task->wait;
    int64_t until_us = lull_end_us(task, rules, &said, most_s, alone || wait_only);
    if (!(below || alone || wait_only) || until_us <= w->now_us)
        return false;
    FOR_ATTEMPTS (a, w, &p->tasks[best->task]) {
        struct lull_attempt *of = attempt_of(l, w, a);
        lull_until(of, (uint32_t)(best - w->attempts.at), until_us);
        of->idle_only = task->idle_only;
        of->wait_only = wait_only;
    }
    return !(task->idle_only && task->wait);
}

void lull_ignore(struct lull *l, const struct world *w, const struct attempt *a)
{
    lull_until(attempt_of(l, w, a), (uint32_t)(a - w->attempts.at), INT64_MAX);
}
