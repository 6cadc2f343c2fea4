/* replay.h - a finished run as a workload: its jobs with the durations of their attempts, its
 * machines with their failures, and the actions of its users. docs/use/replay-and-whatif.md */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "commands/replay/replay_log.h"
#include "commands/replay/replay_times.h"
#include "inputs/cluster/about.h"
#include "inputs/workload/workload.h"
#include "record/stats/summary.h"

struct replay {
    char *path;
    char *policy, *body; /* as in the journal */
    uint64_t seed;
    struct about_text about; /* .cluster NULL: not recorded */
    struct cluster *cluster; /* for the simulator: without luck, which is in the durations */
    char *cluster_name;
    /* The measured jobs, if the run was simulated: at most jobs_max of those that arrive after
     * warmup_us. */
    uint64_t jobs_max;
    int64_t warmup_us;
    struct replay_log log;
    struct replay_times times;
    VEC(struct phase_truth) truths; /* of all phases of all jobs, in order */
    uint64_t tasks;
    uint32_t jobs_open; /* number of jobs that had not ended */
    bool complete;      /* the journal was closed */
    int64_t last_us;    /* of the last turn */
    uint64_t torn_bytes, digest, events;
    struct summary_result recorded;
    VEC(char *) notes; /* assumptions and omissions, a sentence each */
};

/* Reads the journal at `path`. Returns NULL with *err if it cannot be read, or has no jobs to run.
 * Destroy with replay_destroy. */
struct replay *replay_open(const char *path, struct err *err);
void replay_destroy(struct replay *r); /* NULL is fine */

/* Returns true if the run was one of the simulator. */
bool replay_is_simulated(const struct replay *r);

/* Returns its jobs; the durations of further attempts follow this reading (enum recorded_vary).
 * Borrows the replay. Destroy with w->destroy(w). */
struct workload *replay_jobs(const struct replay *r, uint8_t vary);
