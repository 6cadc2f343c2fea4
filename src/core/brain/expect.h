/* expect.h - how long a task of a phase is expected to take, and how sure that is.
 *
 * The first of these that is known is taken:
 *
 *   declared  with the job, if its user or its workload knows better (core/model/job.h)
 *   history   the same phase of earlier jobs of the same name, also what a job brings of it along
 *             (past_us); a run counts from the end of the phase on
 *   own       tasks of the phase that are done, from the third on
 *   app       tasks of all jobs of the same application
 *   prior     no time is known
 *
 * Times count from the start of the attempt that won to its end, once per task. How they are
 * averaged is in core/brain/moments.h, how many are remembered in core/brain/recall.h.
 *
 * For parts that set reads_expected: for others none of this is kept. The keys of an order
 * that follows it (FOLLOWS_EXPECTED) are asked for again when a task of the job is done; the times
 * of other jobs of its name and its application are added over time, and all keys are asked for
 * again when there are twice as many as the last time. */
#pragma once

#include "core/brain/world.h"

struct brain;

enum expected_basis {
    EXPECTED_PRIOR,
    EXPECTED_APP,
    EXPECTED_OWN,
    EXPECTED_HISTORY,
    EXPECTED_DECLARED,
};

/* The prior: ten seconds, and as uncertain as a time can be that has no memory (exponential). */
#define EXPECTED_PRIOR_US 10e6

/* No mean and no deviation is above this, about 32 years; no mean is below a microsecond. */
#define EXPECTED_MAX_US 1e15

enum { EXPECTED_OWN_MIN = 3 };

struct expected {
    double mean_us; /* 1 .. EXPECTED_MAX_US */
    double dev_us;  /* standard deviation, 0 .. EXPECTED_MAX_US; 0 also where it is not known */
    uint8_t basis;  /* enum expected_basis */
};

static inline struct expected expected_make(double mean_us, double dev_us, uint8_t basis)
{
    double mean = mean_us > 1 ? mean_us : 1;
    return (struct expected){mean < EXPECTED_MAX_US ? mean : EXPECTED_MAX_US,
                             dev_us < EXPECTED_MAX_US ? dev_us : EXPECTED_MAX_US, basis};
}

/* The expected time of a fresh attempt of a task of the phase. */
static inline struct expected phase_expected(const struct world *w, const struct phase *p)
{
    check(w->keeps_expected);
    const struct job *lead = job_lead(p->job);
    const struct task_times *t = &lead->phases[p->index].times;
    if (t->declared_us > 0)
        return expected_make((double)t->declared_us, (double)t->declared_dev_us, EXPECTED_DECLARED);
    struct moments m = recall_times(&w->recall, t->history);
    if (m.count > 0)
        return expected_make(m.mean, moments_deviation(&m), EXPECTED_HISTORY);
    if (t->own.count >= EXPECTED_OWN_MIN)
        return expected_make(t->own.mean, moments_deviation(&t->own), EXPECTED_OWN);
    m = recall_times(&w->recall, lead->app);
    if (m.count > 0)
        return expected_make(m.mean, moments_deviation(&m), EXPECTED_APP);
    return expected_make(EXPECTED_PRIOR_US, EXPECTED_PRIOR_US, EXPECTED_PRIOR);
}

/* ---- for the brain; each does nothing if no part reads expectations ---- */

/* Begins to keep the times of a job, or of a copy of one. */
void expect_job_made(struct brain *b, struct job *j, const struct job_spec *spec);
/* Ends that, before the job is freed. */
void expect_job_gone(struct brain *b, const struct job *j);

/* Exchanges the times of a job's old lead and of the copy that is its lead now. */
void expect_job_promoted(struct job *j, struct job *old);

/* Notes that a task was done for the first time; only where expectations are kept
 * (world.keeps_expected). */
void expect_task_done(struct brain *b, const struct phase *p, const struct task *t);

/* Records the phase in its history. Call when no task is left that was never done. */
void expect_phase_over(struct brain *b, const struct phase *p);
