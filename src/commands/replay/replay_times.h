/* replay_times.h - what the attempts of a recorded run take when it runs again. */
#ifndef COMMANDS_REPLAY_REPLAY_TIMES_H
#define COMMANDS_REPLAY_REPLAY_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "commands/replay/replay_log.h"
#include "inputs/workload/recorded.h"
#include "inputs/workload/workload.h"
#include "record/stats/pace.h"

/* What is known of a run when times are made, and what they came to. Zero-initialise `done` and
 * what stands behind it; free with replay_times_fini. */
struct replay_times {
    bool simulated;     /* answers are late in the simulator's own way */
    bool reads;         /* reading takes time of its own ... */
    int64_t startup_us; /* ... and begins so long after the start */
    int64_t last_us;    /* until when attempts were watched */
    struct recorded_rule rule;
    bool is_bound;             /* what was cut short takes the least that it can have taken */
    struct recorded_done done; /* of the phase at hand, ... */
    double median_us;          /* ... the median of these, ... */
    struct pace_pool pace;     /* ... and how slow its stragglers are */
    uint64_t cut, unseen;      /* attempts that were cut short; tasks of which none began */
    double cut_us, work_us;    /* what was drawn for these; of all attempts */
};

void replay_times_fini(struct replay_times *t);

/* A run's typical time, for phases of which no attempt was done: the mean over all that were, a
 * second if none was. */
int64_t replay_times_typical_us(const struct replay_times *t, const struct replay_log *l);

/* Fills times, failures and bytes of *truth for a phase. The arrays are owned by the caller: free
 * with replay_times_free. `job` and `phase` key what is drawn. */
void replay_times_make(struct replay_times *t, const struct replay_phase *p, uint32_t tasks,
                       uint32_t job, uint16_t phase, struct phase_truth *truth);
void replay_times_free(struct phase_truth *truth);

#endif
