#include "core/shepherd/rate.h"

#include <math.h>

#include "base/stat.h"
#include "core/shepherd/outlook.h"

enum { SAMPLES_MAX = FLOCK_ORDERED }; /* a median is taken of about this many */

void rate_fini(struct rate *rate)
{
    vec_free(&rate->known);
}

/* The rates of those that ended, of every `stride`-th attempt. */
static void add_ended(struct rate *rate, const struct fold *fold, uint32_t stride)
{
    for (uint32_t i = 0; i < fold->took.count; i += stride)
        if (fold->took.at[i] >= 0)
            vec_push(&rate->known, (double)fold->took.at[i]);
}

/* Adds the rates of those that run, by their pace. Returns how many are unknown. */
static uint32_t add_running(struct rate *rate, const struct fold *fold, const struct phase *p,
                            const struct watch *watch, const struct world *w)
{
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < fold->tasks.count; i++)
        FOR_ATTEMPTS (a, w, &p->tasks[fold->tasks.at[i]]) {
            if (!rate_counts(a) || a->state != ATTEMPT_RUNNING)
                continue;
            const struct watch_record *r = &watch->records.at[a - w->attempts.at];
            if (r->pace_s > 0 && !r->still)
                vec_push(&rate->known, r->pace_s * 1e6 / rate_bytes(p, a->task));
            else
                unknown++;
        }
    return unknown;
}

/* Whether hardly more has ended or is running than when the rate was worked out. */
static bool is_as_it_was(const struct fold *fold, uint32_t ended, uint32_t tried)
{
    uint32_t more = ended - fold->known,
             change = tried > fold->tried ? tried - fold->tried : fold->tried - tried;
    return more <= fold->known / 50 && change <= fold->tried / 50;
}

/* How many of those that ended took longer per byte. */
static uint32_t slower(const struct fold *fold, double per_byte_us)
{
    uint32_t ended = fold->finished.count, slow = 0;
    if (fold->took.count <= FLOCK_ORDERED)
        return ended - (uint32_t)stat_up_to(fold->finished.at, ended, per_byte_us);
    for (uint32_t i = 0; i < fold->took.count; i++)
        slow += (double)fold->took.at[i] > per_byte_us;
    return slow;
}

double rate_median(struct rate *rate, const struct fold *fold)
{
    vec_clear(&rate->known);
    add_ended(rate, fold, 1);
    return stat_quantile(rate->known.at, rate->known.count, 0.5);
}

double rate_work_out(struct rate *rate, struct fold *fold, const struct phase *p,
                     const struct healthy *healthy, const struct watch *watch,
                     const struct world *w)
{
    uint32_t ended = fold->took.count - fold->stopped, known = ended;
    uint32_t tried = ended + fold->tasks.count, stride = fold->took.count / SAMPLES_MAX + 1;
    bool enough = 2 * ended >= tried && ended > 0; /* without those that run */
    if (enough && fold->rate > 0 && is_as_it_was(fold, ended, tried))
        return fold->rate;
    uint32_t unknown = fold->tasks.count / stride;
    bool in_order = enough && stride == 1;
    if (!in_order) {
        vec_clear(&rate->known);
        add_ended(rate, fold, stride);
        if (!enough)
            unknown = add_running(rate, fold, p, watch, w);
        known = rate->known.count;
    }
    fold->rate = healthy_guess(healthy, w, p, fold->bytes);
    if (known > 0 && (known >= unknown || fold->rate <= 0)) {
        double part = fmin(1, 0.5 * (known + unknown) / known);
        fold->rate = in_order ? fold->finished.at[stat_rank(known, part)]
                              : stat_quantile(rate->known.at, known, part);
    }
    fold->slow = slower(fold, OUTLOOK_STRAGGLES * fold->rate);
    fold->known = ended;
    fold->tried = tried;
    return fold->rate;
}
