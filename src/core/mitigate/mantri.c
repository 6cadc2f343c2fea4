/* mantri.c - act early and by cause, and count what it costs (Ananthanarayanan et al., OSDI'10,
 * section 5.1).
 *
 * For every running task two times are compared: how long it still needs (t_rem) and how long a new
 * copy would take (t_new, a distribution, because copies differ). Restarting is cheap when tasks
 * wait for slots, so a task that a new copy would beat is killed and started anew; a duplicate
 * costs a slot, so it is made only when it is likely to save work, or, when slots are idle, when it
 * saves clearly more than its own start costs.
 *
 *   paper             here
 *   Delta             delta: how long a copy runs before it is judged; also the margin of a restart
 *   gamma = 3         gamma: restarts of a task
 *   delta = .25       chance: P(t_rem > t_new (c+1)/c) above which a duplicate saves work
 *   rho = 3           rho: with idle slots, E[t_rem - t_new] must exceed rho x Delta
 *   alpha = 2         alpha: copies kept; slower ones that have run for Delta are killed
 *   t_rem of a task   the least over its copies: it ends with the first of them
 *   processRate       times per byte of the phase's finished and running copies
 *   locationFactor    location.h: of the node that a duplicate would get. It can only forbid one:
 * no node is asked for before the rule holds on an average one. A restart's node is not known when
 * it is killed, and counts as average schedLag          lag: mean time from launch to start, of all
 * attempts so far t_wrapup          0: progress here is of all the work, and nothing comes after it
 *
 * While tasks of its phase wait no slot stays free, so a duplicate that is worth more than a new
 * task has to get the next free one before they do: if it found no room at a look it is tried
 * again, until the next look, before first attempts are placed.
 *
 * Careful (careful=no is as published). A prediction can be wrong for a whole workload: a task that
 * was stopped for a while is not slow for ever, and a large task is as large in its next copy.
 * Restarts and duplicates then only cost. So
 *   - while tasks wait, the rules leave a part of the tasks alone on which they would act, and act
 *     on few as long as those are done no sooner than the ones left alone (trial.h);
 *   - a duplicate for idle slots starts only while no task of any job waits; once one does, the
 *     duplicate ends if another copy of its task is expected to end before it;
 *   - the copy that has done most is never pruned: else a task whose copies are all as slow loses
 *     the one that is nearest to its end.
 * Rejected: to stop after a few attempts of a task (gives away what a lucky fifth copy gains), and
 * to scale t_new by what copies took (the rules then act on larger tasks, whose copies are as
 * slow).
 *
 * Settled: the printed t_rem (elapsed x d / d_read) is the total, not the rest; the printed sign in
 * the rule for idle slots is reversed. Delta is 10 s, not a tenth of the task: with that reading
 * Mantri would duplicate 39 % of the attempts of short tasks. Between two reports a copy is taken
 * to go on as it did, and to stand still only when it has been silent for longer than Delta:
 * assuming that at once makes every estimate grow from report to report, and healthy tasks are
 * killed. Starting the waiting task with the most input is the seam `within` (largest-first).
 *
 * Clones that another policy has started are copies like any other, but that they are pruned only
 * when all are slow: a task is left alone as long as one of them goes well. (Pruned like
 * duplicates, clones that could still outlive a stall were ended, and jobs were slower.) Jobs that
 * are cloned as a whole are left alone. */
#include "core/mitigate/mantri.h"

#include <math.h>

#include "base/sort.h"
#include "base/stat.h"
#include "core/brain/decider.h"
#include "core/estimate/location.h"
#include "core/mitigate/judged.h"
#include "core/mitigate/lull.h"
#include "core/mitigate/trial.h"
#include "core/parts/parts.h"

#define PARAMS struct mantri_params
struct mantri_params {
    int64_t delta_us, scan_us, gamma, alpha, copies_max;
    double chance, rho;
    int careful;
};

static const struct field params[] = {
    PARAM_TIME("delta", delta_us, "10s", 0, 1e6,
               "how long a copy runs before it is judged, and the margin of a restart"),
    SPECULATE_SCAN,
    PARAM_INT("gamma", gamma, "3", 0, 100, "restarts of a task at most"),
    PARAM_INT("alpha", alpha, "2", 1, 100, "copies of a task that are kept"),
    PARAM_INT("copies_max", copies_max, "3", 1, 100, "copies of a task that run at once"),
    PARAM_REAL("chance", chance, "0.25", 0, 1,
               "probability of saving work above which a task is duplicated while others wait"),
    PARAM_REAL("rho", rho, "3", 0, 1e6,
               "with idle slots, duplicate when that saves more than rho x delta"),
    PARAM_CHOICE("careful", careful, "yes", "no|yes",
                 "no: as published; yes: act only where that has been seen to pay"),
    {0},
};

/* The best thing to do with a task, if any. */
struct move {
    uint32_t index;
    bool restart;
    double gain_s, left_s, new_s, chance;
    double factor_max;     /* a node this much slower than others, or more, will not do */
    struct attempt_ref at; /* whose it is: the pool uses entries again */
};

struct mantri {
    VEC(struct mantri_rest) records; /* by attempt */
    struct judged_tasks judged;      /* on which it would have acted while others wait */
    VEC(struct move) moves;          /* during a look */
    VEC(struct move) wishes;         /* duplicates that found no room, until the next look */
    struct location location;
    struct trial trial;
    struct lull lull;
    double lag_sum_s;
    uint64_t lags;
};

/* ---- t_rem ---- */

#define NOTHING_READ_S 1e12

double mantri_left_s(double elapsed_s, double done, double total)
{
    return done > 0 ? elapsed_s * (total - done) / done : NOTHING_READ_S;
}

double mantri_rest_update(struct mantri_rest *r, const struct mantri_report *now, int64_t delta_us)
{
    double passed_s = (double)(now->report_us - r->report_us) / 1e6;
    double raw =
        mantri_left_s((double)(now->report_us - now->started_us) / 1e6, now->done, now->total);
    double aged = r->left_s > passed_s ? r->left_s - passed_s : 0;
    if (r->started_us != now->started_us || r->left_s >= NOTHING_READ_S)
        *r = (struct mantri_rest){now->started_us, now->report_us, raw};
    else if (r->report_us != now->report_us)
        *r = (struct mantri_rest){now->started_us, now->report_us, (aged + raw) / 2};
    if (now->now_us - now->report_us > delta_us)
        return mantri_left_s((double)(now->now_us - now->started_us) / 1e6, now->done, now->total);
    double since_s = (double)(now->now_us - now->report_us) / 1e6;
    return r->left_s > since_s ? r->left_s - since_s : 0;
}

static double left_s(const struct part_ctx *s, const struct attempt *a, struct phase_look *l)
{
    struct mantri *d = s->state;
    uint32_t index = (uint32_t)(a - s->world->attempts.at);
    while (d->records.count <= index)
        vec_push(&d->records, ((struct mantri_rest){.started_us = -1}));
    struct progress said = world_progress(s->world, a);
    if (said.total <= 0)
        return speculate_estimate(s->world, a, l).left_s;
    struct mantri_report now = {a->started_us, said.at_us, s->world->now_us, (double)said.done,
                                (double)said.total};
    return mantri_rest_update(&d->records.at[index], &now, par(s)->delta_us);
}

/* ---- t_new ---- */

/* Seconds per byte of the phase's copies, finished and running: a bag of samples, from every k-th
 * task of a large phase. Their mean is the look's threshold. */
static void phase_rates(const struct part_ctx *s, struct phase_look *l)
{
    const struct world *w = s->world;
    const struct phase *p = l->phase;
    uint32_t stride = speculate_stride(p);
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i += stride) {
        const struct task *t = &p->tasks[i];
        double bytes = (double)(phase_task_bytes(p, i) > 0 ? phase_task_bytes(p, i) : 1);
        if (t->state == TASK_DONE)
            vec_push(&l->rates, mantri_done_rate(t, bytes));
        FOR_ATTEMPTS (a, w, t) {
            struct progress said = world_progress(w, a);
            double rate = mantri_rate(&said, a->started_us, bytes);
            if (a->state == ATTEMPT_RUNNING && rate >= 0)
                vec_push(&l->rates, rate);
        }
    }
    for (uint32_t i = 0; i < l->rates.count; i++)
        sum += l->rates.at[i];
    l->threshold = l->rates.count ? sum / l->rates.count : 0;
}

/* The larger a rate, the longer its t_new, rounding included. So the probability is above `chance`
 * if the slowest of the fewest rates that make up more than that is fast enough. */
double mantri_deciding_rate(double *rates, uint32_t count, double chance)
{
    uint32_t fewest = (uint32_t)(chance * count);
    while (fewest <= count && !((double)fewest / count > chance))
        fewest++;
    return fewest <= count ? stat_quantile(rates, count, (fewest - 0.5) / count) : INFINITY;
}

double mantri_chance(const double *rates, uint32_t count, double bytes, double lag_s, double left,
                     uint32_t copies)
{
    uint32_t better = 0;
    for (uint32_t i = 0; i < count; i++)
        better += left > (rates[i] * bytes + lag_s) * (copies + 1) / copies;
    return count ? (double)better / count : 0;
}

double mantri_factor_max(double *rates, uint32_t count, double bytes, double lag_s, double left,
                         uint32_t copies, double chance)
{
    uint32_t needed = (uint32_t)(chance * count) + 1; /* rates that have to be low enough */
    if (needed > count)
        return 0;
    double rate = stat_quantile(rates, count, (needed - 0.5) / count);
    return rate > 0 ? (left * copies / (copies + 1) - lag_s) / (rate * bytes) : INFINITY;
}

/* ---- gamma ---- */

static uint32_t restarts_of(struct mantri *d, const struct attempt *a)
{
    const struct judged *t = judged_find(&d->judged, a);
    return t ? t->restarts : 0;
}

static void mantri_job_over(const struct part_ctx *s, struct job *j)
{
    struct mantri *d = s->state;
    judged_forget(&d->judged, j->id);
}

/* ---- whether acting pays ---- */

/* Whether to act on the task, on which the rules would: it stays in the group that it is in. */
static bool trial_allows(const struct part_ctx *s, const struct attempt *a, double fresh_s)
{
    struct mantri *d = s->state;
    const struct judged *seen = judged_find(&d->judged, a);
    if (seen)
        return seen->treated;
    struct judged *new = judged_add(&d->judged, a);
    new->since_us = s->world->now_us;
    new->fresh_s = fresh_s;
    new->treated = !par(s)->careful || trial_treats(&d->trial);
    return new->treated;
}

/* A task is done. What it cost since it was judged is the time of a slot, or of two. */
static void trial_note_end(const struct part_ctx *s, const struct attempt *a)
{
    struct mantri *d = s->state;
    struct judged *j = judged_find(&d->judged, a);
    if (!j || j->fresh_s <= 0)
        return;
    double took_s = (double)(s->world->now_us - j->since_us) / 1e6;
    trial_learn(&d->trial, j->treated, took_s / j->fresh_s * (j->copied ? 2 : 1));
    j->fresh_s = 0;
}

/* ---- the rules ---- */

static uint32_t copies_running(const struct part_ctx *s, const struct task *t)
{
    uint32_t n = 0;
    FOR_ATTEMPTS (a, s->world, t)
        n += a->state != ATTEMPT_FINISHED && !a->unwanted;
    return n;
}

static bool launched_recently(const struct part_ctx *s, const struct task *t)
{
    FOR_ATTEMPTS (a, s->world, t)
        if (s->world->now_us - a->launched_us < par(s)->delta_us)
            return true;
    return false;
}

static bool is_judged(const struct part_ctx *s, const struct attempt *a)
{
    return a->state == ATTEMPT_RUNNING && !a->unwanted && a->reported &&
           s->world->now_us - a->started_us >= par(s)->delta_us;
}

/* The copy that has done most of its work. */
static const struct attempt *furthest_of(const struct part_ctx *s, const struct task *t)
{
    const struct attempt *furthest = NULL;
    FOR_ATTEMPTS (a, s->world, t)
        if (is_judged(s, a) && (!furthest || a->score > furthest->score))
            furthest = a;
    return furthest;
}

static uint32_t judged_copies(const struct part_ctx *s, const struct task *t)
{
    uint32_t n = 0;
    FOR_ATTEMPTS (a, s->world, t)
        n += is_judged(s, a);
    return n;
}

/* Keeps the fastest alpha copies; those that have not run for Delta yet are not judged. Neither are
 * those that report nothing: by elapsed time alone the oldest always looks slowest, and a long task
 * would lose every copy before it could end. */
static void prune(const struct part_ctx *s, const struct attempt *first, struct phase_look *l)
{
    const struct world *w = s->world;
    const struct task *t = &attempt_phase(first)->tasks[first->task];
    for (uint32_t judged; (judged = judged_copies(s, t)) > par(s)->alpha;) {
        struct attempt *slowest = NULL;
        const struct attempt *furthest = furthest_of(s, t);
        double most = -1;
        FOR_ATTEMPTS (a, w, t) {
            if (!is_judged(s, a))
                continue;
            double left = left_s(s, a, l);
            if ((a != furthest || !par(s)->careful) && left > most) {
                most = left;
                slowest = a;
            }
        }
        if (!slowest)
            return;
        decider_stop(s->brain, slowest, &REASON(WHY_PRUNED, most, judged));
    }
}

/* While first attempts wait, a duplicate that has run for Delta and will not be the first to end is
 * in their way. */
static void drop_losers(const struct part_ctx *s, const struct attempt *first, struct phase_look *l)
{
    const struct world *w = s->world;
    const struct task *t = &attempt_phase(first)->tasks[first->task];
    double least = left_s(s, first, l);
    FOR_ATTEMPTS (a, w, t) {
        if (a == first || a->kind != LAUNCH_BACKUP || a->state != ATTEMPT_RUNNING || a->unwanted ||
            !a->reported || w->now_us - a->started_us < par(s)->delta_us)
            continue;
        double left = left_s(s, a, l);
        if (left > least)
            decider_stop(s->brain, a, &REASON(WHY_PRUNED, left, 2));
        else
            least = left;
    }
}

/* t_rem of the attempt's task: it is over when the first of its copies is. */
static double task_left_s(const struct part_ctx *s, const struct attempt *a, struct phase_look *l)
{
    const struct task *t = &attempt_phase(a)->tasks[a->task];
    double least = left_s(s, a, l);
    FOR_ATTEMPTS (other, s->world, t) {
        if (other == a || other->state != ATTEMPT_RUNNING || other->unwanted)
            continue;
        double its = left_s(s, other, l);
        least = its < least ? its : least;
    }
    return least;
}

/* What is expected of a task: t_rem, and E[t_new] of another copy. */
struct outlook {
    double bytes, lag_s, left_s, fresh_s;
};

static struct outlook outlook_of(const struct part_ctx *s, const struct attempt *a,
                                 struct phase_look *l)
{
    const struct mantri *d = s->state;
    double bytes = (double)phase_task_bytes(attempt_phase(a), a->task);
    struct outlook o = {.bytes = bytes > 0 ? bytes : 1, .left_s = task_left_s(s, a, l)};
    o.lag_s = d->lags ? d->lag_sum_s / (double)d->lags : 0;
    o.fresh_s = l->threshold * o.bytes + o.lag_s;
    return o;
}

/* Whether another copy gains what it must where slots are idle. */
static bool is_behind(const struct part_ctx *s, const struct outlook *o)
{
    return o->left_s - o->fresh_s > par(s)->rho * (double)par(s)->delta_us / 1e6;
}

/* Whether a duplicate for idle slots would stand beside tasks that wait: then no slot is idle. */
static bool would_wait(const struct part_ctx *s)
{
    return par(s)->careful && decider_firsts_wait(s->brain);
}

/* Settles the lows of a phase that has been measured, or raises them. */
static void note_lows(const struct part_ctx *s, const struct phase_look *l)
{
    struct mantri *d = s->state;
    struct lull_phase *x = lull_entry(&d->lull, l->phase);
    if (x)
        lull_settle_phase(x, l->phase, l->threshold, l->decided ? l->deciding : 0);
}

/* Found out for phases of which it is asked, and for those whose lows need it. */
static double deciding_rate(const struct part_ctx *s, struct phase_look *l)
{
    if (l->decided)
        return l->deciding;
    l->deciding = mantri_deciding_rate(l->rates.at, l->rates.count, par(s)->chance);
    l->decided = true;
    note_lows(s, l);
    return l->deciding;
}

/* Whether a duplicate is likely enough to save work. Asked of every task that is looked at, and
 * answered by a single rate of the phase. */
static bool is_likely(const struct part_ctx *s, const struct outlook *o, uint32_t copies,
                      struct phase_look *l)
{
    double rate = deciding_rate(s, l);
    return mantri_chance(&rate, 1, o->bytes, o->lag_s, o->left_s, copies) > 0;
}

/* What to do with the task of its oldest judged copy, by Mantri's first pseudocode. */
static void judge(const struct part_ctx *s, uint32_t index, struct phase_look *l)
{
    struct mantri *d = s->state;
    const struct attempt *a = world_attempt(s->world, index);
    const struct phase *p = attempt_phase(a);
    const struct task *t = &p->tasks[a->task];
    uint32_t copies = copies_running(s, t);
    double delta = (double)par(s)->delta_us / 1e6;
    struct outlook o = outlook_of(s, a, l);
    if (l->rates.count == 0)
        return;
    struct move m = {index, false, o.left_s - o.fresh_s, o.left_s, o.fresh_s,
                     0,     0,     attempt_ref_of(a)};
    bool may_copy = copies < par(s)->copies_max && !launched_recently(s, t);
    if (p->pending_count > 0) {
        m.restart =
            copies == 1 && o.left_s > o.fresh_s + delta && restarts_of(d, a) < par(s)->gamma;
        if (!m.restart && may_copy && is_likely(s, &o, copies, l))
            m.chance =
                mantri_chance(l->rates.at, l->rates.count, o.bytes, o.lag_s, o.left_s, copies);
        if ((!m.restart && !(m.chance > par(s)->chance)) || !trial_allows(s, a, o.fresh_s))
            return;
        m.factor_max = mantri_factor_max(l->rates.at, l->rates.count, o.bytes, o.lag_s, o.left_s,
                                         copies, par(s)->chance);
        vec_push(&d->moves, m);
    } else if (may_copy && is_behind(s, &o) && !would_wait(s)) {
        m.factor_max = (o.left_s - o.lag_s - par(s)->rho * delta) / (l->threshold * o.bytes);
        vec_push(&d->moves, m);
    }
}

/* Largest gain first; equal ones in the order in which they started. */
static bool gains_more(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const struct move *)a)->gain_s > ((const struct move *)b)->gain_s;
}

/* False: there is no room for the duplicate. */
static bool act(const struct part_ctx *s, const struct move *m)
{
    struct mantri *d = s->state;
    struct attempt *a = world_attempt(s->world, m->index);
    struct phase *p = attempt_phase(a);
    struct reason why = REASON(m->restart ? WHY_RESTART_FASTER : WHY_DUPLICATE_SAVES, m->left_s,
                               m->new_s, m->chance, p->pending_count);
    if (m->restart) {
        judged_find(&d->judged, a)->restarts++;
        decider_stop(s->brain, a, &why);
        return true;
    }
    struct node_id node = decider_place(s->brain, p, a->task);
    if (node.v == NODE_NONE.v)
        return false;
    double factor = location_factor(&d->location, s->world, p, node.v);
    if (factor <= 1 || factor < m->factor_max) {
        struct judged *t = judged_find(&d->judged, a);
        if (t)
            t->copied = true;
        decider_backup(s->brain, p, a->task, node, &why);
    }
    return true;
}

/* A copy of a task that may be judged at all: side effects, copies of whole jobs, finished tasks
 * and those that have failed for good are left alone. */
static bool may_judge(const struct part_ctx *s, const struct attempt *a)
{
    const struct phase *p = attempt_phase(a);
    const struct task *t = &p->tasks[a->task];
    return !a->unwanted && a->job->state == JOB_LIVE && a->job->copy == 0 && !p->clone_never &&
           task_is_open(t) && !t->spent && s->world->now_us - a->started_us >= par(s)->delta_us;
}

/* The attempt of a move, if it still runs. */
static const struct attempt *still_running(const struct part_ctx *s, const struct move *m)
{
    const struct job *j = world_job(s->world, m->at.job);
    if (!j)
        return NULL;
    const struct task *t = &j->phases[m->at.phase].tasks[m->at.task];
    FOR_ATTEMPTS (a, s->world, t)
        if (a == world_attempt(s->world, m->index) && a->ordinal == m->at.attempt &&
            a->state == ATTEMPT_RUNNING)
            return a;
    return NULL;
}

/* Slots may have come free since the last look: those who wait for one to duplicate come first. */
static void mantri_before(const struct part_ctx *s)
{
    struct mantri *d = s->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->wishes.count; i++) {
        const struct attempt *a = still_running(s, &d->wishes.at[i]);
        if (a && may_judge(s, a) && !launched_recently(s, &attempt_phase(a)->tasks[a->task]) &&
            !act(s, &d->wishes.at[i]))
            d->wishes.at[kept++] = d->wishes.at[i];
    }
    d->wishes.count = kept;
}

/* A partner's clones are its to keep, unless all are slow and have to make room for a new one. */
static bool may_prune(const struct part_ctx *s, const struct attempt *a, struct phase_look *l)
{
    if (!attempt_phase(a)->cloned)
        return true;
    struct outlook o = outlook_of(s, a, l);
    return is_behind(s, &o);
}

static bool is_oldest_running(const struct part_ctx *s, const struct attempt *a)
{
    const struct task *t = &attempt_phase(a)->tasks[a->task];
    FOR_ATTEMPTS (other, s->world, t)
        if (other->state == ATTEMPT_RUNNING && !other->unwanted)
            return other == a;
    return false;
}

static struct lull_rules lull_rules_of(const struct part_ctx *s)
{
    return (struct lull_rules){par(s)->delta_us, par(s)->rho, par(s)->chance, par(s)->copies_max};
}

/* Measures a phase. */
static void begin_phase(const struct part_ctx *s, struct phase_look *l)
{
    struct mantri *d = s->state;
    phase_rates(s, l);
    const struct lull_phase *x = lull_entry(&d->lull, l->phase);
    bool waits = l->phase->pending_count > 0;
    if (l->rates.count > 0 && waits && x && !(x->settled && x->waits))
        deciding_rate(s, l);
    else if (l->rates.count > 0)
        note_lows(s, l);
}

/* Notes until when the task needs no look, once more if that depends on what was done with it while
 * tasks of its phase waited: few tasks need to be searched for. */
static bool settle_task(const struct part_ctx *s, const struct lull_rules *rules,
                        struct lull_task *task)
{
    struct mantri *d = s->state;
    if (lull_settle(&d->lull, s->world, rules, task))
        return true;
    bool waits = attempt_phase(task->best)->pending_count > 0;
    const struct judged *seen = waits ? judged_find(&d->judged, task->best) : NULL;
    if (!seen)
        return false;
    task->left_alone = !seen->treated;
    task->restarted = seen->restarts >= par(s)->gamma;
    return lull_settle(&d->lull, s->world, rules, task);
}

/* Notes until when the task of its oldest running copy needs no look. Returns false if it needs one
 * now. Each duplicate that is to end no later than those before it is in nobody's way. A report may
 * change that, and so may a silence: of the duplicate, whose t_rem then grows, or one of those
 * before it that begins. */
static bool settle(const struct part_ctx *s, const struct attempt *oldest,
                   const struct lull_rules *rules)
{
    const double rounding_s = 1; /* far more than that */
    const struct task *t = &attempt_phase(oldest)->tasks[oldest->task];
    struct lull_task task = {.best = oldest,
                             .left_s = HUGE_VAL,
                             .copies = copies_running(s, t),
                             .wait = would_wait(s),
                             .most_us = INT64_MAX};
    if (task.copies > par(s)->alpha)
        return false;
    double before_s = HUGE_VAL;
    FOR_ATTEMPTS (a, s->world, t) {
        if (a->state != ATTEMPT_RUNNING || a->unwanted)
            continue;
        struct progress said = world_progress(s->world, a);
        if (said.total <= 0)
            return false;
        double its_s = left_s(s, a, NULL);
        bool extra = a != oldest && a->kind == LAUNCH_BACKUP;
        task.idle_only |= extra && its_s + rounding_s > before_s;
        if (its_s < task.left_s) {
            task.left_s = its_s;
            task.best = a;
        }
        int64_t silent_us = said.at_us + rules->delta_us + 1;
        if (extra || (a->next != ATTEMPT_NONE && silent_us > s->world->now_us))
            task.most_us = silent_us < task.most_us ? silent_us : task.most_us;
        before_s = its_s;
    }
    if (task.idle_only)
        task.most_us = INT64_MAX;
    return settle_task(s, rules, &task);
}

static void mantri_tick(const struct part_ctx *s)
{
    struct mantri *d = s->state;
    const struct world *w = s->world;
    struct cluster_look look = {0};
    struct lull_rules rules = lull_rules_of(s);
    vec_clear(&d->moves);
    vec_clear(&d->wishes);
    lull_begin(&d->lull, w, &rules, would_wait(s));
    for (uint32_t k = 0; k < d->lull.due.count; k++) {
        uint32_t i = w->running.at[d->lull.due.at[k]];
        if (lull_holds(&d->lull, i, w->now_us))
            continue; /* since another attempt of the task was looked at */
        const struct attempt *a = world_attempt(w, i);
        if (w->now_us - a->started_us < par(s)->delta_us)
            break; /* all others started later */
        if (a->job->copy > 0 || attempt_phase(a)->clone_never)
            lull_ignore(&d->lull, w, a);
        if (!may_judge(s, a) || !is_oldest_running(s, a))
            continue;
        if (settle(s, a, &rules))
            continue; /* its report changes nothing: the phase need not be measured */
        bool is_new;
        struct phase_look *l = speculate_phase(&look, attempt_phase(a), &is_new);
        if (is_new)
            begin_phase(s, l);
        if (may_prune(s, a, l))
            prune(s, a, l);
        if (!a->unwanted && would_wait(s))
            drop_losers(s, a, l);
        if (!a->unwanted)
            judge(s, i, l);
        if (!a->unwanted && is_new)
            settle(s, a, &rules);
    }
    sort_stable(d->moves.at, d->moves.count, sizeof *d->moves.at, gains_more, NULL);
    for (uint32_t i = 0; i < d->moves.count; i++)
        if (!act(s, &d->moves.at[i]) && (d->moves.at[i].chance > 0 || !par(s)->careful))
            vec_push(&d->wishes, d->moves.at[i]);
    speculate_end(&look);
}

static void mantri_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct mantri *d = s->state;
    if (type == EV_ATTEMPT_FINISHED)
        trial_note_end(s, a);
    d->lag_sum_s += (double)(a->started_us - a->launched_us) / 1e6;
    d->lags++;
    lull_attempt_ended(&d->lull, s->world, a);
}

static void mantri_reported(const struct part_ctx *s, const struct attempt *a)
{
    struct mantri *d = s->state;
    lull_reported(&d->lull, s->world, a);
}

static void mantri_task_done(const struct part_ctx *s, const struct phase *p, uint32_t task)
{
    struct mantri *d = s->state;
    lull_task_done(&d->lull, p, task);
}

static void mantri_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct mantri *d = s->state;
    location_phase(&d->location, s->world, p);
}

static void mantri_fini(const struct part_ctx *s)
{
    struct mantri *d = s->state;
    vec_free(&d->records);
    judged_fini(&d->judged);
    vec_free(&d->moves);
    vec_free(&d->wishes);
    location_fini(&d->location);
    lull_fini(&d->lull);
}

const struct mitigate_ops mantri_mitigate = {
    .part = {.name = "mantri",
             .help = "restarts or duplicates a task when a new copy would end sooner",
             PART_PARAMS(params),
             .state_size = sizeof(struct mantri),
             .fini = mantri_fini,
             .attempt_ended = mantri_ended,
             .phase_finished = mantri_phase_finished,
             .before = mantri_before,
             PART_TICK(mantri_tick, scan_us)},
    .job_over = mantri_job_over,
    .reported = mantri_reported,
    .task_done = mantri_task_done,
    .reads_progress = true,
    .reads_words = true,
    .backs_up = true,
    .ends_copies = true,
    .reads_running = true,
};
