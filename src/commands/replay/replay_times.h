/* replay_times.h - the durations of a recorded run's attempts when it runs again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "commands/replay/replay_log.h"
#include "inputs/workload/recorded.h"
#include "inputs/workload/workload.h"
#include "record/stats/pace.h"

/* The facts of a run from which durations are made, and a summary of the result. Zero-initialise
 * `done` and the fields after it; free with vec_free(&done.us). */
struct replay_times {
    bool simulated;     /* answers are late in the simulator's own way */
    bool reads;         /* reading takes time of its own ... */
    int64_t startup_us; /* ... and begins this long after the start */
    int64_t last_us;    /* until when attempts were watched */
    struct recorded_rule rule;
    bool is_bound; /* attempts that were cut short get their shortest possible duration */
    struct recorded_done done; /* of the phase at hand, ... */
    double median_us;          /* ... the median of these, ... */
    struct pace_pool pace;     /* ... and how slow its stragglers are */
    uint64_t cut, unseen;      /* attempts that were cut short; tasks of which none began */
    double cut_us, work_us;    /* total drawn for these; total of all attempts */
};

/* Returns the typical duration of a run, for phases without a finished attempt: the mean of all
 * finished ones, a second if there is none. */
int64_t replay_times_typical_us(const struct replay_times *t, const struct replay_log *l);

/* Fills durations, failures and bytes of *truth for a phase. The arrays are owned by the caller:
 * free with replay_times_free. `job` and `phase` are the key of random draws. */
void replay_times_make(struct replay_times *t, const struct replay_phase *p, uint32_t tasks,
                       uint32_t job, uint16_t phase, struct phase_truth *truth);
void replay_times_free(struct phase_truth *truth);
