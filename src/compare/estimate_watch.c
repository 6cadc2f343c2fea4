/* estimate_watch.c - estimates now, the truth later.
 *
 * At each report the estimate is made by the policy's own code (mantri_rest_update) and kept until
 * the attempt ends. The paper gives the error "of the actual completion time", so the difference
 * between what was thought to be left and what was is divided by how long the attempt took in all.
 * t_new stands in the reason of a duplicate, and of the kill that a restart follows; it is compared
 * with the time from launch to finish of the attempt that came of it.
 *
 * Attempts are found by their name in a table with open addressing; what is over leaves a mark. */
#include "compare/estimate_watch.h"

#include <math.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"
#include "policy/mantri.h"

struct guess {
    int64_t at_us;
    double left_s;
};

enum entry_state { ENTRY_FREE, ENTRY_USED, ENTRY_GONE };

struct entry {
    struct attempt_ref at;
    uint8_t state;
    int64_t launched_us, started_us;
    double new_s; /* what it was expected to take; 0: nobody said */
    struct mantri_rest rest;
    VEC(struct guess) guesses;
};

struct estimate_watch {
    int64_t delta_us;
    struct entry *table;
    uint32_t size, filled; /* a power of two; entries that are not free */
    VEC(double) trem, tnew;
    VEC(struct guess_of_task {
        struct attempt_ref task;
        double new_s;
    })
    restarts; /* killed, and not launched again yet */
};

struct estimate_watch *estimate_watch_create(int64_t delta_us)
{
    struct estimate_watch *w = mem_zalloc(1, sizeof *w);
    w->delta_us = delta_us;
    w->size = 1024;
    w->table = mem_zalloc(w->size, sizeof *w->table);
    return w;
}

void estimate_watch_destroy(struct estimate_watch *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->size; i++)
        vec_free(&w->table[i].guesses);
    mem_free(w->table);
    vec_free(&w->trem);
    vec_free(&w->tnew);
    vec_free(&w->restarts);
    mem_free(w);
}

static uint32_t place_of(const struct estimate_watch *w, struct attempt_ref at)
{
    uint64_t h = at.job.v;
    h = h * 0x9e3779b97f4a7c15 + at.phase;
    h = h * 0x9e3779b97f4a7c15 + at.task;
    h = h * 0x9e3779b97f4a7c15 + at.attempt;
    h *= 0x9e3779b97f4a7c15;
    return (uint32_t)(h >> 32) & (w->size - 1);
}

static struct entry *find(const struct estimate_watch *w, struct attempt_ref at)
{
    for (uint32_t i = place_of(w, at);; i = (i + 1) & (w->size - 1)) {
        struct entry *e = &w->table[i];
        if (e->state == ENTRY_FREE)
            return NULL;
        if (e->state == ENTRY_USED && attempt_equal(e->at, at))
            return e;
    }
}

static struct entry *add(struct estimate_watch *w, struct attempt_ref at);

static void rebuild(struct estimate_watch *w)
{
    struct entry *old = w->table;
    uint32_t size = w->size, used = 0;
    for (uint32_t i = 0; i < size; i++)
        used += old[i].state == ENTRY_USED;
    while (w->size < 4 * used)
        w->size *= 2;
    w->table = mem_zalloc(w->size, sizeof *w->table);
    w->filled = 0;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].state == ENTRY_USED)
            *add(w, old[i].at) = old[i];
    mem_free(old);
}

static struct entry *add(struct estimate_watch *w, struct attempt_ref at)
{
    if (w->filled * 2 >= w->size)
        rebuild(w);
    uint32_t i = place_of(w, at);
    while (w->table[i].state != ENTRY_FREE)
        i = (i + 1) & (w->size - 1);
    w->filled++;
    w->table[i] = (struct entry){.at = at, .state = ENTRY_USED, .rest = {.started_us = -1}};
    return &w->table[i];
}

static bool same_task(struct attempt_ref a, struct attempt_ref b)
{
    return a.job.v == b.job.v && a.phase == b.phase && a.task == b.task;
}

static void launched(struct estimate_watch *w, const struct decision *d, int64_t now_us)
{
    struct entry *e = add(w, d->at);
    e->launched_us = now_us;
    if (d->why.code == WHY_DUPLICATE_SAVES)
        e->new_s = d->why.num[1];
    for (uint32_t i = 0; i < w->restarts.count && d->kind == LAUNCH_RESTART; i++)
        if (same_task(w->restarts.at[i].task, d->at)) {
            e->new_s = w->restarts.at[i].new_s;
            w->restarts.at[i] = w->restarts.at[--w->restarts.count];
            return;
        }
}

static void reported(struct estimate_watch *w, const struct event *ev, int64_t now_us)
{
    struct entry *e = find(w, ev->at);
    if (!e || ev->u.progress.total <= 0 || ev->u.progress.done <= 0)
        return;
    struct mantri_report report = {e->started_us, now_us, now_us, (double)ev->u.progress.done,
                                   (double)ev->u.progress.total};
    double left = mantri_rest_update(&e->rest, &report, w->delta_us);
    vec_push(&e->guesses, ((struct guess){now_us, left}));
}

static void ended(struct estimate_watch *w, const struct event *ev, int64_t now_us)
{
    struct entry *e = find(w, ev->at);
    if (!e)
        return;
    double took_s = (double)(now_us - e->started_us) / 1e6;
    if (ev->type == EV_ATTEMPT_FINISHED && took_s > 0) {
        for (uint32_t i = 0; i < e->guesses.count; i++) {
            double left_s = (double)(now_us - e->guesses.at[i].at_us) / 1e6;
            vec_push(&w->trem, fabs(e->guesses.at[i].left_s - left_s) / took_s);
        }
        double all_s = (double)(now_us - e->launched_us) / 1e6;
        if (e->new_s > 0)
            vec_push(&w->tnew, fabs(e->new_s - all_s) / all_s);
    }
    vec_free(&e->guesses);
    e->state = ENTRY_GONE;
}

static int watch_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct estimate_watch *w = ctx;
    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *ev = &turn->events[i];
        struct entry *e;
        if (ev->type == EV_ATTEMPT_PROGRESS)
            reported(w, ev, turn->now_us);
        else if (ev->type == EV_ATTEMPT_STARTED && (e = find(w, ev->at)) != NULL)
            e->started_us = turn->now_us;
        else if (event_is_ending(ev->type) || ev->type == EV_ATTEMPT_LAUNCH_FAILED)
            ended(w, ev, turn->now_us);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        if (d->type == DO_LAUNCH)
            launched(w, d, turn->now_us);
        else if (d->type == DO_KILL && d->why.code == WHY_RESTART_FASTER)
            vec_push(&w->restarts, ((struct guess_of_task){d->at, d->why.num[1]}));
    }
    return 0;
}

struct tap estimate_watch_tap(struct estimate_watch *w)
{
    return (struct tap){.ctx = w, .turn = watch_turn};
}

static double quantile(double *at, uint32_t count, double q)
{
    return count ? stat_quantile(at, count, q) : NAN;
}

struct estimate_errors estimate_watch_errors(struct estimate_watch *w)
{
    uint32_t n = w->trem.count, m = w->tnew.count;
    return (struct estimate_errors){.reports = n,
                                    .trem_p50 = quantile(w->trem.at, n, 0.5),
                                    .trem_p90 = quantile(w->trem.at, n, 0.9),
                                    .trem_mean = n ? stat_mean(w->trem.at, n) : NAN,
                                    .copies = m,
                                    .tnew_p50 = quantile(w->tnew.at, m, 0.5),
                                    .tnew_p90 = quantile(w->tnew.at, m, 0.9),
                                    .tnew_mean = m ? stat_mean(w->tnew.at, m) : NAN};
}
