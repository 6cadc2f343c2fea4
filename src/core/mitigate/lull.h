/* lull.h - running attempts at which Mantri need not look for now: nothing that it does could
 * follow.
 *
 * Its looks are once a second, and nearly all of them find nothing to do. So a look notes of each
 * task until when that is certain, whatever becomes of the others of its phase: while the time that
 * it has left (t_rem) is below a bound under which no rule acts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "core/brain/world.h"

#define LULL_NONE UINT32_MAX

/* An attempt, by its index in the world. */
struct lull_attempt {
    int64_t until_us; /* no look is needed before; 0: it is needed */
    double rate;      /* s per byte, of which a sample is taken; negative: unknown, or not in it */
    uint32_t phase;   /* its entry; LULL_NONE: it has not reported, or is never judged */
    uint32_t best : 30;     /* index of the attempt that the lull relies on */
    uint32_t idle_only : 1; /* it ends when first attempts begin to wait, ... */
    uint32_t wait_only : 1; /* ... or when none waits any more */
};

/* A phase of which attempts have reported. Lows are bounds that lulls rely on; the sums are of the
 * sample of rates by which the phase is judged, of its running and of its finished tasks. */
struct lull_phase {
    struct job_id job;
    uint16_t phase;
    uint32_t attempts; /* that refer to it; 0: the entry is free */
    bool awake;        /* its attempts are looked at: the lows are not known to hold */
    bool settled;      /* the lows are known ... */
    bool waits;        /* ... for a phase of which tasks wait, or none do */
    double mean_low;   /* of the rates, and ... */
    double rate_low;   /* ... of the one that decides (mantri_deciding_rate) */
    uint32_t done;     /* tasks of the phase that are done, as far as is known */
    double done_sum, sum;
    uint32_t done_count, done_below, count, below; /* below: rates less than rate_low */
    uint32_t quiet; /* of a look: its attempts of which nothing needs one, or more */
};

/* What the bounds depend on. */
struct lull_rules {
    int64_t delta_us;
    double rho, chance;
    int64_t copies_max;
};

/* Zeroed at the start; free with lull_fini. */
struct lull {
    VEC(struct lull_attempt) attempts;
    VEC(struct lull_phase) phases;
    VEC(uint32_t) unused;
    struct lookup by_phase;
    VEC(uint32_t) due; /* of a look: indices in world.running, in order */
    bool unsorted;     /* scratch: not yet in order */
};

void lull_fini(struct lull *l);

/* The hooks of the same names. */
void lull_reported(struct lull *l, const struct world *w, const struct attempt *a);
void lull_task_done(struct lull *l, const struct phase *p, uint32_t task);
void lull_attempt_ended(struct lull *l, const struct world *w, const struct attempt *a);

/* Begins a look, at a time at which first attempts wait or not: finds out which phases and tasks
 * have to be looked at, and fills lull.due with the attempts of which the look need not pass over
 * all. */
void lull_begin(struct lull *l, const struct world *w, const struct lull_rules *rules, bool wait);

/* Returns true if this look may pass over the running attempt with this index. If not, its lull is
 * over. */
static inline bool lull_holds(struct lull *l, uint32_t index, int64_t now_us)
{
    struct lull_attempt *x = &l->attempts.at[index];
    if (x->until_us > now_us && (x->phase == LULL_NONE || !l->phases.at[x->phase].awake))
        return true;
    x->until_us = 0;
    return false;
}

/* Returns the entry of a phase whose lows can be known, or NULL. */
struct lull_phase *lull_entry(struct lull *l, const struct phase *p);

/* Settles the lows of the phase by its mean rate and its deciding one as they are now; the latter
 * is only used where tasks of the phase wait. Lows that are settled already can only rise; a rate
 * of 0 leaves theirs as it is. */
void lull_settle_phase(struct lull_phase *x, const struct phase *p, double mean, double deciding);

/* A task that was looked at, of which no copy is pruned whatever becomes of the others. */
struct lull_task {
    const struct attempt *best; /* its running copy with the least to go ... */
    double left_s;              /* ... which is this */
    uint32_t copies;            /* that are to go on */
    bool left_alone;            /* no rule acts on it while tasks of its phase wait ... */
    bool restarted;             /* ... or just none that restarts, as it was as often as it may */
    bool wait;                  /* no duplicate for idle slots starts now: first attempts wait */
    bool idle_only;             /* while these wait a copy might be in their way ... */
    int64_t most_us;            /* ... or from then on */
};

/* Notes that the task needs no look from now on for a while. Returns false if that is not so. */
bool lull_settle(struct lull *l, const struct world *w, const struct lull_rules *rules,
                 const struct lull_task *task);

/* Notes that the attempt is never judged. */
void lull_ignore(struct lull *l, const struct world *w, const struct attempt *a);
