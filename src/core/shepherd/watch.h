/* watch.h - the last reports of each running attempt: its pace, and whether it moves at all; and
 * how attempts of a phase begin. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/moments.h"
#include "core/brain/world.h"

struct watch_record {
    int64_t ready_us; /* when its last fetch was done; 0: it has fetched nothing */
    int64_t at_us;    /* of the last report that counts; 0: none does */
    double share;     /* of its work that was done then */
    double lately_s;  /* for all its work, by the last two; 0: there were none */
    double report_s;  /* its age then, from the end of its fetches on; 0: it has fetched since */
    double pace_s;    /* for all its work, by that age; 0: unknown */
    double steady_s;  /* outlook_steady_s of these ... */
    double stuck_s;   /* ... and outlook_stuck_s */
    bool still;       /* the last two reported the same */
    bool twice;       /* it has reported more than once */
};

enum { WATCH_FIRSTS_MIN = 3, WATCH_FIRSTS_MAX = 500 };

/* How the attempts of a phase begin. Times are 0 until WATCH_FIRSTS_MIN attempts have shown them.
 * Zeroed at the start; free with watch_starts_fini. */
struct watch_starts {
    VEC(double) ages;     /* at first reports, up to WATCH_FIRSTS_MAX of them, in order */
    struct moments start; /* time before the work began, of attempts that have reported twice */
    /* What follows from these: */
    double first_s; /* age by which three quarters of those that have reported at all had done so */
    double start_s; /* time that attempts hardly ever take until they begin to work: the mean and
                     * two deviations, above 0 */
};

/* Zeroed at the start; free with watch_fini. */
struct watch {
    VEC(struct watch_record) records; /* by attempt, as far as any was looked at */
};

void watch_fini(struct watch *w);

/* Makes a record for every attempt of the world. Call it before records are read. */
void watch_grow(struct watch *w, const struct world *world);

/* Notes that a fetch of the attempt is done. */
void watch_fetched(struct watch *w, const struct world *world, const struct attempt *a);

/* Takes in what the running attempt has just reported, unless that is sooner than `apart_us`, or
 * soon for its age, after the last report that counts or after it began to work. Returns true if it
 * shows how attempts of its phase begin: then call watch_began. */
bool watch_reported(struct watch *w, const struct world *world, const struct attempt *a,
                    int64_t apart_us);

/* Notes what the first or second report of the attempt shows. */
void watch_began(const struct watch *w, const struct world *world, const struct attempt *a,
                 struct watch_starts *starts);

/* Returns the time since the attempt began to work: since its start, or its last fetch. */
static inline double watch_age_s(const struct watch_record *r, const struct world *world,
                                 const struct attempt *a)
{
    int64_t began_us = r->ready_us > a->started_us ? r->ready_us : a->started_us;
    return (double)(world->now_us - began_us) / 1e6;
}

/* Forgets an attempt that has ended; the world may use its entry for another. Returns when it began
 * to work: after its start and its last fetch. */
int64_t watch_ended(struct watch *w, const struct world *world, const struct attempt *a);

void watch_starts_fini(struct watch_starts *starts);
