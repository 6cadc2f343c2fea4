/* speculate.h - functions that reactive policies share: which running tasks may get a backup, how a
 * phase is doing, and where backups may run. */
#pragma once

#include <stdbool.h>

#include "base/lookup.h"
#include "core/brain/seam.h"
#include "core/estimate/estimate.h"
#include "core/parts/param.h"

/* The parameter `scan` of every such policy, the member scan_us of its PARAMS. */
#define SPECULATE_SCAN PARAM_TIME("scan", scan_us, "1s", 0.001, 3600, "how often it looks")

/* The parameter, member `careful`, that keeps backups out of the way of first attempts
 * (backups_yield). An idle slot is often needed before a backup has ended. A backup that ends for a
 * task that then fits delays none, whatever it was expected to gain, and has used only idle time.
 * (Mantri asks whether acting pays, trial.h: it acts while tasks wait. Rejected here: to end only
 * backups that are expected to lose. Without progress reports that is not known.) */
#define SPECULATE_CAREFUL                                                                          \
    PARAM_CHOICE("careful", careful, "yes", "no|yes",                                              \
                 "no: as published; yes: backups start while no first attempt waits, and end for " \
                 "one")

/* A phase with more tasks is judged by every k-th of them, about this many: a scan must not cost
 * more the larger a job is. */
enum { SPECULATE_SAMPLES = 1024 };
/* The stride of the tasks by which the phase is judged. */
uint32_t speculate_stride(const struct phase *p);
/* An upper limit of the number of those tasks. */
uint32_t speculate_samples(const struct phase *p);

/* The state of a phase, measured once per scan. */
struct phase_look {
    const struct phase *phase;
    double threshold; /* value that the policy compares with */
    double *times;    /* of finished tasks, s; owned; NULL until speculate_times */
    uint32_t count;
    VEC(double) rates; /* for policies that need more than one number ... */
    double deciding;   /* ... and the one of these that decides most questions, once it is known */
    bool decided;
};

/* One scan of the cluster: the phases inspected so far. Zeroed at the start; free with
 * speculate_end. */
struct cluster_look {
    VEC(struct phase_look) phases;
    struct lookup by_phase;
};

/* The scan's entry for the phase; sets *is_new if it is new (its threshold is then still to be
 * set). Valid until the next call. */
struct phase_look *speculate_phase(struct cluster_look *l, const struct phase *p, bool *is_new);
void speculate_end(struct cluster_look *l);

/* Fills in the times of finished tasks. */
void speculate_times(struct phase_look *l);

/* The estimate of a running attempt; uses finished siblings only if it has not reported. */
struct estimate speculate_estimate(const struct world *w, const struct attempt *a,
                                   struct phase_look *l);

/* The rate of that estimate. */
static inline double speculate_rate(const struct world *w, const struct attempt *a,
                                    struct phase_look *l)
{
    return a->reported ? estimate_rate(w, a) : speculate_estimate(w, a, l).rate;
}

/* Returns true if tasks of the phase may get backups: the part of speculate_may that is the same
 * for all of them. */
static inline bool speculate_phase_may(const struct phase *p, bool early)
{
    return p->job->state == JOB_LIVE && p->job->copy == 0 && !p->clone_never &&
           (early || p->pending_count == 0);
}

/* Returns true if the attempt is the oldest of its task that runs, and no other is a backup or to
 * end. */
bool speculate_stands_for_clones(const struct world *w, const struct attempt *a,
                                 const struct task *t);

/* Returns true if the attempt's task may get a backup: wanted, unfinished, allowed to run twice, of
 * a phase that (unless `early`) has no task waiting, and alone or, of its clones, the oldest that
 * runs: it represents all of them, once, as long as none is a backup and none is being ended. False
 * for jobs that are cloned as a whole. */
static inline bool speculate_may(const struct world *w, const struct attempt *a, bool early)
{
    const struct phase *p = attempt_phase(a);
    if (a->unwanted || !speculate_phase_may(p, early))
        return false;
    const struct task *t = &p->tasks[a->task]; /* last: it is seldom in a cache */
    return task_is_open(t) && !t->spent &&
           (t->live == 1 || (p->cloned && speculate_stands_for_clones(w, a, t)));
}

/* The estimate of the attempt's task, which ends with the first of its copies. */
struct estimate speculate_best(const struct world *w, const struct attempt *a,
                               struct phase_look *l);

/* Returns true if a task of any phase that has a running attempt may get a backup, or if that is
 * not certain. Cheaper than a walk over the running attempts, which are many while phases have
 * tasks waiting. */
bool speculate_may_anywhere(const struct world *w, bool early);

/* The task's running attempt that was launched first, or NULL. */
const struct attempt *speculate_oldest_running(const struct world *w, const struct task *t);

/* Requests a backup of the attempt's task; does nothing if no node has room. */
void speculate_back_up(const struct part_ctx *s, const struct attempt *a, const struct reason *why);

/* Fills `rates` (capacity speculate_samples) with the progress rates (1/s) of the phase's finished
 * and running tasks, one per task, as if each read as much as the average (phase_read_load).
 * Returns how many. */
uint32_t speculate_rates(const struct part_ctx *s, struct phase_look *l, double *rates);

/* Returns true if one more backup of this phase fits when backups may hold `share` of the cluster's
 * slots of all kinds together (cores, map slots, reduce slots; memory does not count). */
bool speculate_allows(const struct world *w, const struct phase *p, double share, double *held,
                      double *limit);
