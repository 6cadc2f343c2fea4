/* replay_sim.h - turns a replay into a request for simulations. */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "commands/replay/replay.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"

/* A request refers to this by its `recorded`. Zero-initialise; destroy with replay_sim_fini. */
struct replay_sim {
    struct replay *replay;
    struct sim_recorded recorded;
    struct sim_run row;
    struct sim_numbers n[SIM_TRACE_READINGS]; /* of sim_compare */
};

/* The options of a request without any. */
#define REPLAY_SIM_ARGS                                                                            \
    {                                                                                              \
        .seed = UINT64_MAX, .seeds = 1, .scale = SIM_SCALE_ONE, .warmup_us = -1,                   \
        .trace.request = REQUEST_DEFAULT                                                           \
    }

/* Reads the journal that the user names, a file or the folder of a run, and fills in *a from it:
 * jobs, cluster, seed (if a->seed is UINT64_MAX), and which jobs are measured. Returns 0, or -1
 * with *err. */
int replay_sim_open(struct replay_sim *s, const char *name, struct sim_args *a, struct err *err);

/* Opens what the user names in a->trace.request: one journal or folder of a run, by
 * replay_sim_open, or else the files of a trace (or a->workload), by sim_args_check. Makes the
 * policies of a->said. Returns 0, or -1 with *err. */
int replay_sim_source(struct replay_sim *s, struct sim_args *a, struct err *err);

/* Frees the request and everything else. */
void replay_sim_fini(struct replay_sim *s, struct sim_args *a);

/* Returns true if a request names a journal: one folder, or one file that begins as one. */
bool replay_sim_is_journal(const struct trace_request *request);

/* Returns the notes of the recorded run as a list of texts; empty without one. */
json_t *replay_sim_notes(const struct replay_sim *s);

/* Appends the name of the recipe with the parts of the recorded policy, else its text. */
void replay_sim_policy(const struct replay_sim *s, struct str *to);
