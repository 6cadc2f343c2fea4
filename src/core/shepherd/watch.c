/* watch.c - what looks read is worked out when a report comes.
 *
 * Looks are many times as frequent as reports: at most of them an attempt has reported nothing new,
 * and its pace, and what others of its phase have shown of their start, are as they were. Where
 * reports are frequent, two of them say little of a pace, and nothing of one that counts in whole
 * per cent: those that follow another one soon, for the age of the attempt, are left out. */
#include "core/shepherd/watch.h"

#include <math.h>

#include "base/stat.h"
#include "core/shepherd/outlook.h"

#define APART 0.05 /* of the age of an attempt, between reports that count */

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

/* When the attempt began to work: at its start, or after its last fetch. */
static inline int64_t began_us_of(const struct watch_record *r, const struct attempt *a)
{
    return r->ready_us > a->started_us ? r->ready_us : a->started_us;
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
static void note_pace(struct watch_record *r, int64_t began_us)
{
    double report_s = (double)(r->at_us - began_us) / 1e6;
    r->report_s = report_s > 0 ? report_s : 0;
    r->pace_s = outlook_pace_s(r->report_s, r->share);
    r->steady_s = outlook_steady_s(r->pace_s, r->lately_s);
    r->stuck_s = outlook_stuck_s(r->report_s, r->pace_s, r->still);
}

/* Whether a report comes long enough after the last one that counts, or the begin of the work. */
static bool counts(const struct watch_record *r, const struct progress *now, int64_t began_us,
                   int64_t apart_us)
{
    int64_t since_us = now->at_us - (r->at_us > began_us ? r->at_us : began_us);
    return since_us >= apart_us && (double)since_us >= APART * (double)(now->at_us - began_us);
}

bool watch_reported(struct watch *w, const struct world *world, const struct attempt *a,
                    int64_t apart_us)
{
    struct watch_record *r = record_of(w, world, a);
    struct progress now = world->progress.at[a - world->attempts.at];
    int64_t began_us = began_us_of(r, a);
    if (now.total <= 0 || now.at_us <= a->started_us)
        return false;
    if (!counts(r, &now, began_us, apart_us))
        return false;
    double share = (double)now.done / (double)now.total;
    bool first = r->at_us == 0, second = !first && !r->twice;
    r->still = r->at_us > 0 && share <= r->share;
    r->lately_s =
        r->at_us > 0 && !r->still ? (double)(now.at_us - r->at_us) / 1e6 / (share - r->share) : 0;
    r->at_us = now.at_us;
    r->share = share;
    r->twice = !first;
    note_pace(r, began_us);
    return first || second;
}

void watch_began(const struct watch *w, const struct world *world, const struct attempt *a,
                 struct watch_starts *starts)
{
    const struct watch_record *r = &w->records.at[a - world->attempts.at];
    double age_s = (double)(r->at_us - a->started_us) / 1e6;
    if (r->twice)
        note_start(starts, r, age_s);
    else
        note_first(starts, age_s);
}

int64_t watch_ended(struct watch *w, const struct world *world, const struct attempt *a)
{
    struct watch_record *r = record_of(w, world, a);
    int64_t began_us = began_us_of(r, a);
    *r = (struct watch_record){0};
    return began_us;
}

void watch_starts_fini(struct watch_starts *starts)
{
    vec_free(&starts->ages);
}
