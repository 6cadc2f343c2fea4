/* ideal.h - worlds without one kind of trouble, to measure how much of the possible gain a policy
 * got.
 *
 * A yardstick is not a policy: the same jobs run under the same policy in a world that spares them
 * something. The names are those of Mantri's benchmarks (OSDI'10, 6.1) and of Dolly's question what
 * jobs would gain if stragglers vanished (NSDI'13, 2.1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

enum ideal {
    IDEAL_NONE,
    IDEAL_NOSKEW,      /* every attempt takes the median time of its phase */
    IDEAL_CHOPTAIL,    /* ... the mean of all but the longest quarter */
    IDEAL_MEDIAN_RATE, /* ... the median time per byte x its input */
    IDEAL_NO_BAD_LUCK, /* no stalls and no slow attempts */
    /* The same; and where times are recorded, no attempt is slower than the median rate of its
     * phase or, if tasks differ by size (vary), than the fastest attempt of its task. */
    IDEAL_NO_STRAGGLERS,
    IDEAL_REDUCE,    /* no traffic between racks is ever in the way */
    IDEAL_RECOMPUTE, /* no output is ever lost */
    IDEAL_COUNT,
};

/* The name on the command line: noskew, noskew+choptail, no-stragglers=median,
 * no-stragglers=stalls, no-stragglers, ideal-reduce, ideal-recompute. */
const char *ideal_name(enum ideal i);

/* Reads a name. Returns -1 with *err that lists all of them. */
int ideal_parse(const char *text, enum ideal *out, struct err *err);

/* Returns true if attempts take the same time whatever their luck. */
static inline bool ideal_is_even(enum ideal i)
{
    return i >= IDEAL_NOSKEW && i <= IDEAL_MEDIAN_RATE;
}

/* Changes luck and wires of the cluster to those of the world. */
void ideal_cluster(enum ideal i, struct cluster *c);

/* For even worlds: microseconds per task or, for IDEAL_MEDIAN_RATE, per byte, of a phase that runs
 * without mitigation. Each task's time is that of its first attempt on a node drawn for it, started
 * when the job arrives; times that the workload gives count as they are. */
double ideal_measure(enum ideal i, const struct cluster *c, uint64_t seed, struct job_id job,
                     uint16_t phase, const struct phase_spec *spec, const struct phase_truth *truth,
                     int64_t at_us);

/* The time of a task in an even world. */
int64_t ideal_task_us(enum ideal i, double measure, const struct phase_spec *spec, uint32_t task);

/* The maximum time of an attempt of a task with recorded times, for IDEAL_NO_STRAGGLERS; `measure`
 * is that of IDEAL_MEDIAN_RATE. */
int64_t ideal_most_us(double measure, const struct phase_spec *spec,
                      const struct phase_truth *truth, uint32_t task);

/* The duration of an attempt by the truth and its luck alone. Where further attempts take the time
 * of another task (luck.further), it is that of the other's first attempt, had it started here. */
struct luck_plan;
struct luck_plan ideal_plan_real(const struct cluster *c, uint64_t seed, struct attempt_ref at,
                                 struct node_id node, double speed, const struct phase_spec *spec,
                                 const struct phase_truth *truth, int64_t start_us);

/* The same with the trunks of its phase at hand (luck.h). */
struct luck_trunks;
struct luck_plan ideal_plan_from(const struct cluster *c, uint64_t seed,
                                 const struct luck_trunks *trunks, struct attempt_ref at,
                                 struct node_id node, double speed, const struct phase_spec *spec,
                                 const struct phase_truth *truth, int64_t start_us);
