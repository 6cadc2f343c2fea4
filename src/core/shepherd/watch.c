/* watch.c - what looks read is worked out when a report is taken in.
 *
 * Looks are many times as frequent as reports: at most of them an attempt has reported nothing new,
 * and its pace, and what others of its phase have shown of their start, are as they were. */
#include "core/shepherd/watch.h"

#include <math.h>

#include "base/stat.h"
#include "core/shepherd/outlook.h"

void watch_fini(struct watch *w)
{
    vec_free(&w->records);
}

void watch_grow(struct watch *w, const struct world *world)
{
    while (w->records.count < world->attempts.count)
        vec_push(&w->records, (struct watch_record){0});
}

static inline struct watch_record *record_of(struct watch *w, const struct world *world,
                                      const struct attempt *a)
{
    if (w->records.count < world->attempts.count)
        watch_grow(w, world);
    return &w->records.at[a - world->attempts.at];
}

void watch_fetched(struct watch *w, const struct world *world, const struct attempt *a)
{
    struct watch_record *r = record_of(w, world, a);
    r->ready_us = world->now_us;
    r->report_s = r->pace_s = r->steady_s = r->stuck_s = 0;
}

/* If the work went on as between its last two reports, it began share x lately_s before the last. A
 * start that was followed by a change of pace shows nothing beyond its bounds. */
static void note_start(struct watch_starts *starts, const struct watch_record *r, double age_s)
{
    struct moments *m = &starts->start;
    if (r->lately_s <= 0)
        return;
    moments_add(m, fmin(fmax(age_s - r->share * r->lately_s, 0), age_s));
    if (m->count >= WATCH_FIRSTS_MIN)
        starts->start_s = fmax(m->mean + 2 * moments_deviation(m), 1e-6);
}

static void note_first(struct watch_starts *starts, double age_s)
{
    if (starts->ages.count >= WATCH_FIRSTS_MAX)
        return;
    vec_reserve(&starts->ages, starts->ages.count + 1);
    stat_insert(starts->ages.at, starts->ages.count++, age_s);
    if (starts->ages.count >= WATCH_FIRSTS_MIN)
        starts->first_s = starts->ages.at[stat_rank(starts->ages.count, 0.75)];
}

/* What the reports show of the attempt, counted from the end of its fetches. */
static void note_pace(struct watch_record *r, const struct attempt *a)
{
    int64_t began_us = r->ready_us > a->started_us ? r->ready_us : a->started_us;
    double report_s = (double)(r->at_us - began_us) / 1e6;
    r->report_s = report_s > 0 ? report_s : 0;
    r->pace_s = outlook_pace_s(r->report_s, r->share);
    r->steady_s = outlook_steady_s(r->pace_s, r->lately_s);
    r->stuck_s = outlook_stuck_s(r->report_s, r->pace_s, r->still);
}

const struct watch_record *watch_take_in(struct watch *w, const struct world *world, uint32_t index,
                                         struct watch_starts *starts)
{
    const struct attempt *a = world_attempt(world, index);
    struct watch_record *r = &w->records.at[index];
    struct progress now = world->progress.at[index];
    if (now.total <= 0 || now.at_us <= a->started_us)
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
    note_pace(r, a);
    return r;
}

int64_t watch_ended(struct watch *w, const struct world *world, const struct attempt *a)
{
    struct watch_record *r = record_of(w, world, a);
    int64_t ready_us = r->ready_us;
    *r = (struct watch_record){0};
    return ready_us > a->started_us ? ready_us : a->started_us;
}

void watch_starts_fini(struct watch_starts *starts)
{
    vec_free(&starts->ages);
}
