/* follow.h - the one account of jobs, tasks and attempts under all statistics.
 *
 * A tap that follows every job of a run from its submission until it is over and its last attempt
 * has ended. Collectors (summary, detail, phase_times, ...) subscribe to it, so there is one
 * definition of which jobs are measured, which attempts are extra and which one has won. Works on
 * the turns of a live run and of a journal (journal_play.h) alike. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/engine.h"
#include "core/model/decision.h"
#include "core/model/event.h"
#include "record/stats/capacity.h"
#include "record/stats/live_job.h"

/* Callbacks of a subscriber, after the account has changed; any may be NULL. */
struct follow_hooks {
    void (*time)(void *ctx);     /* time has passed: follow.now_us is new, all else as it was */
    void (*turn_end)(void *ctx); /* the turn is complete */
    void (*submitted)(void *ctx, struct live_job *j, const struct job_spec *spec);
    void (*launched)(void *ctx, const struct live_place *p, const struct decision *d);
    /* Ended in any way, also by a failed launch; the attempt is forgotten unless it finished. */
    void (*ended)(void *ctx, const struct live_place *p, const struct event *e,
                  const struct live_attempt *a);
    /* Committed; the attempt is forgotten. */
    void (*won)(void *ctx, const struct live_place *p, const struct event *e,
                const struct live_attempt *a);
    /* The output of the winner is lost: the task has none. */
    void (*unwon)(void *ctx, const struct live_place *p, const struct event *e);
    void (*over)(void *ctx, struct live_job *j, bool done);
    /* Over, and its last attempt has ended; or follow_destroy. The job is forgotten. */
    void (*gone)(void *ctx, struct live_job *j);
    void (*event)(void *ctx, const struct event *e);       /* every event not shown above */
    void (*decision)(void *ctx, const struct decision *d); /* every one, before it has an effect */
    bool reads_job_sums; /* it needs live_job.held and .extra, which are not kept otherwise */
};

struct follow {
    int64_t warmup_us; /* jobs that arrived before it run but are not measured; */
    uint64_t jobs_max; /* nor are those after the first jobs_max of the others. 0: all are */
    int64_t now_us;
    uint64_t events;   /* of all turns so far */
    const char *wrong; /* a subscriber sets it in `launched` or `event`: why no run can have this */
    bool begun;        /* a job was submitted */
    uint64_t jobs_over, measured_taken, measured_over;
    struct capacity capacity;
    struct res_kinds kinds;
    /* What attempts hold now, from the decision to launch to the end: of all jobs, of measured
     * ones, and of extra attempts of all jobs. An attempt is extra when it is beyond one per
     * unfinished task, or belongs to a finished one. */
    struct res_sum held, measured, extra;
    uint64_t shifts; /* how often `extra`, the capacity or the kinds may have changed */
    struct live_jobs jobs;
    struct live_attempt first; /* shown to hooks in place of a first attempt that is not kept */
    uint32_t next_id;          /* of the next job; meaningful once begun */
    struct {
        void *ctx;
        const struct follow_hooks *hooks;
    } subscribers[LIVE_OWNERS];
    uint32_t subscriber_count;
    uint64_t sees;                      /* bit t: events of type t are looked at at all */
    bool shows_events, shows_decisions; /* a subscriber has the hook; most runs have none */
    bool keeps_job_sums;                /* one has reads_job_sums */
};

/* Creates an account. Destroy with follow_destroy, before its subscribers. */
struct follow *follow_create(int64_t warmup_us, uint64_t jobs_max);
void follow_destroy(struct follow *f); /* NULL is fine */

/* Adds a subscriber. Call before the first turn. Returns its index in live_job.own. Borrows both.
 */
uint32_t follow_subscribe(struct follow *f, void *ctx, const struct follow_hooks *hooks);

/* Returns the tap that follows a run. A turn that cannot be of a run (an attempt that ends twice, a
 * task that the job does not have) fails with an error of kind ERR_INPUT. */
struct tap follow_tap(struct follow *f);

/* Returns true if all of the jobs_max jobs have arrived. */
static inline bool follow_full(const struct follow *f)
{
    return f->jobs_max > 0 && f->measured_taken == f->jobs_max;
}

/* Returns true if all of the jobs_max jobs are over. */
static inline bool follow_settled(const struct follow *f)
{
    return f->jobs_max > 0 && f->measured_over == f->jobs_max;
}

/* Returns true if the present time is measured: the warm-up is over, and not all measured jobs are.
 */
static inline bool follow_counts(const struct follow *f)
{
    return f->now_us >= f->warmup_us && !follow_settled(f);
}

/* Keeps the attempt in the pool until it is forgotten. For a subscriber that stores something about
 * every attempt; call in its `launched`. Valid until the next one is launched. */
struct live_attempt *follow_keep(struct follow *f, const struct live_place *p, uint16_t ordinal);

/* Returns the attempt, or NULL if it does not exist or was not kept. Valid until the next one is
 * launched. */
struct live_attempt *follow_attempt(struct follow *f, struct attempt_ref at);
