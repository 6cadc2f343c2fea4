/* job_draw.h - random jobs for the swarm. */
#pragma once

#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

/* What a seed's jobs are like. */
struct job_draw {
    uint64_t seed;
    const struct cluster *cluster; /* borrowed: demands fit some node of it */
    uint32_t jobs;
    double gap_us;         /* mean time between submissions */
    uint32_t misfits_from; /* jobs from this index on have a phase that fits no node */
    bool storm;            /* long chains of short tasks, most of which start early */
};

/* A stream of `jobs` jobs, each a function of seed and index alone. Destroy with w->destroy(w). */
struct workload *job_draw_workload(const struct job_draw *draw);

/* What tasks take on a node of speed 1 without bad luck, all together (one attempt each) and at
 * most; what the job takes that is longest if it has the cluster to itself; and what tasks read, of
 * all phases together, and at most between two of them. */
struct job_draw_work {
    double time_us, time_us_most, job_us_most, bytes, bytes_most;
    uint64_t tasks;
};

struct job_draw_work job_draw_work(const struct job_draw *draw);
