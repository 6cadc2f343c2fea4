/* replay.h - a finished run as a workload: its jobs with the times that their attempts took, its
 * machines with their failures, and what its users did. docs/use/replay-and-whatif.md */
#ifndef COMMANDS_REPLAY_REPLAY_H
#define COMMANDS_REPLAY_REPLAY_H

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
    char *policy, *body; /* as the journal has them */
    uint64_t seed;
    struct about_text about; /* .cluster NULL: it says nothing */
    struct cluster *cluster; /* for the simulator: without luck, which is in the times */
    char *cluster_name;
    /* Which jobs count, if the run was simulated: at most jobs_max of those that arrive after
     * warmup_us. */
    uint64_t jobs_max;
    int64_t warmup_us;
    struct replay_log log;
    struct replay_times times;
    VEC(struct phase_truth) truths; /* of all phases of all jobs, in order */
    uint64_t tasks;
    uint32_t jobs_open; /* that had not ended */
    bool complete;      /* the journal was closed */
    int64_t last_us;    /* of the last turn */
    uint64_t torn_bytes, digest, events;
    struct summary_result recorded;
    VEC(char *) notes; /* what had to be assumed or was left out, a sentence each */
};

/* Reads the journal at `path`. NULL with *err: it cannot be read, or has no jobs to run. Destroy
 * with replay_destroy. */
struct replay *replay_open(const char *path, struct err *err);
void replay_destroy(struct replay *r); /* NULL is fine */

/* Whether the run was one of the simulator. */
bool replay_is_simulated(const struct replay *r);

/* Its jobs, where further attempts take what this reading (enum recorded_vary) says. Borrows the
 * replay. Destroy with w->destroy(w). */
struct workload *replay_jobs(const struct replay *r, uint8_t vary);

#endif
