/* ranks.h - the order of jobs by DollyMP's Algorithm 1, a middle between the shortest job first and
 * the smallest.
 *
 * Level l takes, of the jobs that can end within 2^l slots of time, as many as have a volume of no
 * more than 2^l together, the smallest first; a job's rank is the first level that takes it. A job
 * that is taken counts again at every level above. A volume is a time of the whole cluster: work
 * times the share of the cluster that it needs.
 *
 * The paper's last level is log2(sum of volumes / (1 - greatest share)), which leaves a job out
 * that takes longer than all volumes together: any long one, on a large cluster. The levels
 * continue here until all are taken, which is at the larger of the sum of volumes and the longest
 * time; the first term is never less than that sum, and changes nothing. There is always a level
 * 1. */
#pragma once

#include <stdint.h>

/* Levels end before 2^62 ns, some 146 years. */
enum { RANKS_LEVELS = 62 };

/* A job to rank. In whole nanoseconds, so that sums are exact, in whatever order. */
struct ranks_job {
    int64_t volume_ns, time_ns; /* >= 0 */
    double alpha;               /* of its tasks (speedup.h), >= 2; used only if copies_max > 1 */
    /* The result: */
    uint32_t rank;   /* 1..RANKS_LEVELS; above: taken by no level, ordered by volume */
    uint32_t copies; /* of its tasks, with which it ends within its level */
};

/* Converts seconds to nanoseconds: negative and NaN give 0; values above the last level
 * saturate. */
int64_t ranks_ns(double seconds);

/* Ranks the jobs; equal volumes in the order of the array. `slot_us` > 0 is the unit of time.
 *
 * copies_max 1 is Algorithm 1. Otherwise it is that of Corollary 4.1: a job may be taken at a level
 * that it reaches with at most copies_max copies, and counts there with their volume: that many
 * times its own, over their speedup.
 *
 * One sort, and a pass over the jobs for each level up to the last rank. */
void ranks_find(struct ranks_job *jobs, uint32_t count, int64_t slot_us, uint32_t copies_max);
