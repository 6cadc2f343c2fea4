/* estimate_watch.c - estimates now, the truth later.
 *
 * At each report the estimate is made by the policy's own code (mantri_rest_update) and kept until
 * the attempt ends. The paper gives the error "of the actual completion time", so the difference
 * between what was thought to be left and what was is divided by how long the attempt took in all.
 * t_new stands in the reason of a duplicate, and of the kill that a restart follows; it is compared
 * with the time from launch to finish of the attempt that came of it. */
#include "commands/sim/estimate_watch.h"

#include <math.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"
#include "core/mitigate/mantri.h"

struct guess {
    int64_t at_us;
    double left_s;
};

/* Of an attempt, by its index in the pool of the account. */
struct attempt_estimate {
    double new_s; /* what it was expected to take; 0: unknown */
    struct mantri_rest rest;
    VEC(struct guess) guesses;
};

struct estimate_watch {
    struct follow *follow;
    int64_t delta_us;
    VEC(struct attempt_estimate) estimates;
    VEC(double) trem, tnew;
    VEC(struct guess_of_task {
        struct attempt_ref task;
        double new_s;
    })
    restarts; /* killed, and not launched again yet */
};

void estimate_watch_destroy(struct estimate_watch *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->estimates.count; i++)
        vec_free(&w->estimates.at[i].guesses);
    vec_free(&w->estimates);
    vec_free(&w->trem);
    vec_free(&w->tnew);
    vec_free(&w->restarts);
    mem_free(w);
}

static bool same_task(struct attempt_ref a, struct attempt_ref b)
{
    return a.job.v == b.job.v && a.phase == b.phase && a.task == b.task;
}

static struct attempt_estimate *estimate_of(const struct estimate_watch *w,
                                            const struct live_attempt *a)
{
    return &w->estimates.at[a - w->follow->jobs.pool.at];
}

static void launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    struct estimate_watch *w = ctx;
    const struct live_attempt *a = follow_keep(w->follow, p, d->at.attempt);
    while (w->estimates.count < w->follow->jobs.pool.count)
        vec_push(&w->estimates, (struct attempt_estimate){0});
    struct attempt_estimate *e = estimate_of(w, a);
    vec_free(&e->guesses);
    *e = (struct attempt_estimate){.rest = {.started_us = -1}};
    if (d->why.code == WHY_DUPLICATE_SAVES)
        e->new_s = d->why.num[1];
    for (uint32_t i = 0; i < w->restarts.count && d->kind == LAUNCH_RESTART; i++)
        if (same_task(w->restarts.at[i].task, d->at)) {
            e->new_s = w->restarts.at[i].new_s;
            w->restarts.at[i] = w->restarts.at[--w->restarts.count];
            return;
        }
}

static void see_event(void *ctx, const struct event *ev)
{
    struct estimate_watch *w = ctx;
    int64_t now_us = w->follow->now_us;
    if (ev->type != EV_ATTEMPT_PROGRESS || ev->u.progress.total <= 0 || ev->u.progress.done <= 0)
        return;
    const struct live_attempt *a = follow_attempt(w->follow, ev->at);
    if (!a || a->ended_us >= 0)
        return;
    struct attempt_estimate *e = estimate_of(w, a);
    struct mantri_report report = {a->started_us, now_us, now_us, (double)ev->u.progress.done,
                                   (double)ev->u.progress.total};
    double left = mantri_rest_update(&e->rest, &report, w->delta_us);
    vec_push(&e->guesses, ((struct guess){now_us, left}));
}

static void ended(void *ctx, const struct live_place *p, const struct event *ev,
                  const struct live_attempt *a)
{
    struct estimate_watch *w = ctx;
    struct attempt_estimate *e = estimate_of(w, a);
    int64_t now_us = w->follow->now_us;
    double took_s = (double)(now_us - a->started_us) / 1e6;
    (void)p;
    if (ev->type != EV_ATTEMPT_FINISHED || took_s <= 0)
        return;
    for (uint32_t i = 0; i < e->guesses.count; i++) {
        double left_s = (double)(now_us - e->guesses.at[i].at_us) / 1e6;
        vec_push(&w->trem, fabs(e->guesses.at[i].left_s - left_s) / took_s);
    }
    double all_s = (double)(now_us - a->launched_us) / 1e6;
    if (e->new_s > 0)
        vec_push(&w->tnew, fabs(e->new_s - all_s) / all_s);
}

static void see_decision(void *ctx, const struct decision *d)
{
    struct estimate_watch *w = ctx;
    if (d->type == DO_KILL && d->why.code == WHY_RESTART_FASTER)
        vec_push(&w->restarts, ((struct guess_of_task){d->at, d->why.num[1]}));
}

struct estimate_watch *estimate_watch_create(struct follow *f, int64_t delta_us)
{
    static const struct follow_hooks hooks = {
        .launched = launched, .ended = ended, .event = see_event, .decision = see_decision};
    struct estimate_watch *w = mem_zalloc(1, sizeof *w);
    w->follow = f;
    w->delta_us = delta_us;
    follow_subscribe(f, w, &hooks);
    return w;
}

struct estimate_errors estimate_watch_errors(struct estimate_watch *w)
{
    uint32_t n = w->trem.count, m = w->tnew.count;
    return (struct estimate_errors){.reports = n,
                                    .trem_p50 = stat_quantile_or_nan(w->trem.at, n, 0.5),
                                    .trem_p90 = stat_quantile_or_nan(w->trem.at, n, 0.9),
                                    .trem_mean = n ? stat_mean(w->trem.at, n) : NAN,
                                    .copies = m,
                                    .tnew_p50 = stat_quantile_or_nan(w->tnew.at, m, 0.5),
                                    .tnew_p90 = stat_quantile_or_nan(w->tnew.at, m, 0.9),
                                    .tnew_mean = m ? stat_mean(w->tnew.at, m) : NAN};
}
