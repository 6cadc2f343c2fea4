/* recorded.c - draws from the recorded times of a phase.
 *
 * The draw is over all recorded attempts of the other tasks, evenly: each is a time that an attempt
 * of this phase has taken. A phase of one task has no others, so its attempts take its recorded
 * time in every reading.
 *
 * An attempt that was killed, evicted or lost, or that still ran when the record ends, would have
 * taken longer than recorded. How much longer is drawn: from the times of the phase's own finished
 * attempts that took longer; where none did, from a Pareto tail that begins at the recorded time.
 * Its exponent is fitted to the phase's own longest fifth if it has ten times or more. Taking the
 * recorded time was rejected: it would make evicted tasks look short, and long tasks that the end
 * of the record cut off, which hold much of the work, harmless. */
#include "inputs/workload/recorded.h"

#include <math.h>

#include "base/stat.h"

enum { FIT_MIN = 10 };

static double bytes_of(const struct phase_spec *spec, uint32_t task)
{
    return (double)phase_input_bytes(spec, task);
}

void recorded_fit(const struct phase_spec *spec, struct phase_truth *truth)
{
    double n = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    const uint32_t *from = truth->attempt_from;
    for (uint32_t t = 0; t < spec->tasks; t++) {
        if (from[t] == from[t + 1])
            continue;
        double x = bytes_of(spec, t), y = (double)truth->attempts[from[t]];
        double off = x - mean_x;
        n++;
        mean_x += off / n;
        mean_y += (y - mean_y) / n;
        xx += off * (x - mean_x);
        xy += off * (y - mean_y);
    }
    double slope = xx > 0 && xy > 0 ? xy / xx : 0;
    double least = mean_y - slope * mean_x;
    if (least < 0) { /* no task takes less than nothing: the line goes through 0 */
        least = 0;
        slope = mean_x > 0 ? mean_y / mean_x : 0;
    }
    truth->line_us = least;
    truth->line_per_us = slope;
}

static double on_line(const struct phase_spec *spec, const struct phase_truth *truth, uint32_t task)
{
    return fmax(1, truth->line_us + truth->line_per_us * bytes_of(spec, task));
}

/* The task whose recorded attempts the entry is among. */
static uint32_t task_of(const struct phase_truth *truth, uint32_t tasks, uint32_t entry)
{
    uint32_t low = 0, high = tasks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (truth->attempt_from[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t recorded_time_us(const struct phase_spec *spec, const struct phase_truth *truth,
                         uint64_t seed, struct attempt_ref at)
{
    const uint32_t *from = truth->attempt_from;
    uint32_t own = from[at.task + 1] - from[at.task], others = from[spec->tasks] - from[0] - own;
    if (at.attempt < own)
        return truth->attempts[from[at.task] + at.attempt];
    if (truth->vary == RECORDED_SIZE || others == 0)
        return truth->attempts[from[at.task + 1] - 1];
    struct rng r = rng_stream(seed, RNG_RECORDED, at.job.v, at.phase, at.task, at.attempt);
    uint32_t entry = from[0] + (uint32_t)rng_below(&r, others);
    if (entry >= from[at.task])
        entry += own;
    double us = (double)truth->attempts[entry];
    if (truth->vary == RECORDED_BYTES)
        us *= on_line(spec, truth, at.task) /
              on_line(spec, truth, task_of(truth, spec->tasks, entry));
    return us < 1 ? 1 : us < (double)RECORDED_US_MAX ? (int64_t)(us + 0.5) : RECORDED_US_MAX;
}

/* ---- attempts that were cut short ---- */

void recorded_seal(struct recorded_done *d)
{
    uint32_t n = d->us.count;
    stat_sort(d->us.at, n);
    d->tail = n >= FIT_MIN ? stat_hill(d->us.at, n, n - n / 5) : NAN;
}

/* The first of the ascending values above this. */
static uint32_t above(const struct recorded_done *d, double value)
{
    uint32_t low = 0, high = d->us.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->us.at[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t recorded_draw(const struct recorded_done *d, struct recorded_rule *rule, struct rng r,
                      int64_t seen_us)
{
    uint32_t n = d->us.count, first = above(d, (double)seen_us);
    if (first < n)
        return (int64_t)d->us.at[first + rng_below(&r, n - first)];
    if (seen_us <= 0)
        return rule->base_us;
    bool fitted = d->tail > 0.1;
    rule->tails += !fitted;
    double factor = pow(1 - rng_unit(&r), -1 / (fitted ? d->tail : rule->tail));
    rule->cut += factor > rule->tail_max;
    double us = (double)seen_us * fmin(factor, rule->tail_max);
    return us < (double)RECORDED_US_MAX ? (int64_t)us : RECORDED_US_MAX;
}
