#include "core/shepherd/watch.h"

#include <math.h>

#include "base/stat.h"

void watch_fini(struct watch *w)
{
    vec_free(&w->records);
}

static struct watch_record *record_of(struct watch *w, const struct world *world,
                                      const struct attempt *a)
{
    uint32_t index = (uint32_t)(a - world->attempts.at);
    while (w->records.count <= index)
        vec_push(&w->records, (struct watch_record){0});
    struct watch_record *r = &w->records.at[index];
    if (!attempt_equal(r->of, attempt_ref_of(a)))
        *r = (struct watch_record){.of = attempt_ref_of(a)};
    return r;
}

void watch_fetched(struct watch *w, const struct world *world, const struct attempt *a)
{
    record_of(w, world, a)->ready_us = world->now_us;
}

/* If the work went on as between its last two reports, it began share x lately_s before the last. A
 * start that was followed by a change of pace shows nothing beyond its bounds. */
static void note_start(struct watch_starts *starts, const struct watch_record *r, double age_s)
{
    if (r->lately_s > 0)
        moments_add(&starts->start_s, fmin(fmax(age_s - r->share * r->lately_s, 0), age_s));
}

static void note_first(struct watch_starts *starts, double age_s)
{
    if (starts->ages.count < WATCH_FIRSTS_MAX)
        vec_push(&starts->ages, age_s);
}

const struct watch_record *watch_take_in(struct watch *w, const struct world *world,
                                         const struct attempt *a, struct watch_starts *starts)
{
    struct watch_record *r = record_of(w, world, a);
    struct progress now = world_progress(world, a);
    if (now.total <= 0 || now.at_us <= a->started_us || now.at_us == r->at_us)
        return r;
    double share = (double)now.done / (double)now.total;
    r->still = r->at_us > 0 && share <= r->share;
    r->lately_s =
        r->at_us > 0 && !r->still ? (double)(now.at_us - r->at_us) / 1e6 / (share - r->share) : 0;
    double age_s = (double)(now.at_us - a->started_us) / 1e6;
    bool first = r->at_us == 0;
    r->at_us = now.at_us;
    r->share = share;
    if (first)
        note_first(starts, age_s);
    else if (!r->twice)
        note_start(starts, r, age_s);
    r->twice = !first;
    return r;
}

int64_t watch_began_us(const struct watch *w, const struct world *world, const struct attempt *a)
{
    size_t index = (size_t)(a - world->attempts.at);
    if (index >= w->records.count || !attempt_equal(w->records.at[index].of, attempt_ref_of(a)) ||
        w->records.at[index].ready_us < a->started_us)
        return a->started_us;
    return w->records.at[index].ready_us;
}

void watch_starts_fini(struct watch_starts *starts)
{
    vec_free(&starts->ages);
}

double watch_first_s(struct watch_starts *starts)
{
    if (starts->ages.count < WATCH_FIRSTS_MIN)
        return 0;
    if (starts->counted < starts->ages.count)
        starts->upper_s = stat_quantile(starts->ages.at, starts->ages.count, 0.75);
    starts->counted = starts->ages.count;
    return starts->upper_s;
}

double watch_start_s(const struct watch_starts *starts)
{
    const struct moments *m = &starts->start_s;
    return m->count < WATCH_FIRSTS_MIN ? 0 : fmax(m->mean + 2 * moments_deviation(m), 1e-6);
}
