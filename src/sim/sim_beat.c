/* sim_beat.c - beats that do not know the future.
 *
 * Real attempts report by a clock that knows nothing of how they will fare (exec/process/runner.h).
 * So all attempts of a phase share one beat: one that will stall or is slow reports at the same
 * ages as its healthy siblings, and what it reports then is all that gives it away. A beat from
 * each attempt's own life, stall included, was the rule until policies could profit from it: the
 * first report of an attempt came late if it was going to stall. That rule is still there, for
 * numbers that were measured by it.
 *
 * Healthy is the median task of the phase, on a node of speed 1, with start-up but without noise,
 * slowness and stall. A task with recorded times counts by its shortest: nothing else is known of
 * its health. A phase of one such task therefore beats by its own time, but all its attempts alike.
 *
 * The clock of real runs, a quarter of a second for all, was rejected: tasks of an hour would
 * report ten thousand times, and tasks of milliseconds never. Some ten reports an attempt is what
 * policies need. One that outlives its phase's healthy time does not report on each beat: beyond
 * 10 n of them on every n-th further one, until report_every is reached. */
#include "sim/sim_beat.h"

#include "base/mem.h"
#include "base/stat.h"

/* The time of the task if nothing goes wrong. */
static int64_t task_healthy_us(const struct sim *s, const struct phase_truth *truth, uint32_t task)
{
    const uint32_t *from = truth->attempt_from;
    if (from && from[task] < from[task + 1]) {
        int64_t least_us = truth->attempts[from[task]];
        for (uint32_t i = from[task] + 1; i < from[task + 1]; i++)
            if (truth->attempts[i] < least_us)
                least_us = truth->attempts[i];
        return least_us;
    }
    int64_t size_us = truth->size_each ? truth->size_each[task] : truth->size_us;
    return s->cluster->luck.startup_us + (size_us < LUCK_US_MAX ? size_us : LUCK_US_MAX);
}

static int64_t phase_healthy_us(const struct sim *s, const struct sim_phase *phase)
{
    const struct phase_truth *truth = phase->truth;
    uint32_t tasks = phase->spec->tasks;
    if (!truth->size_each && !truth->attempt_from)
        return task_healthy_us(s, truth, 0);
    double *us = mem_zalloc(tasks, sizeof *us);
    for (uint32_t t = 0; t < tasks; t++)
        us[t] = (double)task_healthy_us(s, truth, t);
    double median_us = stat_quantile(us, tasks, 0.5);
    mem_free(us);
    return (int64_t)median_us;
}

/* The beat for a life of this length. */
static int64_t beat_of(const struct sim *s, int64_t life_us)
{
    int64_t tenth_us = life_us / BEATS_PER_LIFE;
    int64_t every_us = s->cluster->faults.report_every_us;
    int64_t beat_us = tenth_us < every_us ? tenth_us : every_us;
    return beat_us > 0 ? beat_us : 1;
}

int64_t sim_beat_measure(const struct sim *s, struct sim_phase *phase, const struct luck_plan *plan)
{
    if (s->cluster->faults.report_by == REPORT_BY_LIFE)
        return beat_of(s, luck_life_us(plan));
    return phase->beat_us = beat_of(s, phase_healthy_us(s, phase));
}
