/* measured.h - which jobs of a run count: those that arrive after the warm-up, and of these the
 * first so many.
 *
 * The rule is the same in every collector, or numbers from two of them would not fit together. */
#ifndef STATS_MEASURED_H
#define STATS_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

/* Set the first two, zero the rest. */
struct measured {
    int64_t warmup_us; /* jobs that arrived before it run but do not count */
    uint64_t jobs_max; /* so many of the others do; 0: all */
    uint64_t jobs_taken, jobs_over;
};

/* Whether the job that was just submitted counts. Call once for each, in their order. */
static inline bool measured_take(struct measured *m, const struct job_spec *spec)
{
    bool taken =
        spec->arrived_us >= m->warmup_us && (m->jobs_max == 0 || m->jobs_taken < m->jobs_max);

    m->jobs_taken += taken;
    return taken;
}

/* Whether all of the `jobs_max` jobs have come, and whether all of them are over. The owner counts
 * `jobs_over`. */
static inline bool measured_full(const struct measured *m)
{
    return m->jobs_max > 0 && m->jobs_taken == m->jobs_max;
}

static inline bool measured_settled(const struct measured *m)
{
    return m->jobs_max > 0 && m->jobs_over == m->jobs_max;
}

#endif
