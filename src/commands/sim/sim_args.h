/* sim_args.h - the options of `dolly sim`, checked as a whole before anything runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/field.h"
#include "base/os/path.h"
#include "commands/sim/sim_trace.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/format.h"
#include "inputs/workload/tell.h"
#include "sim/ideal.h"
#include "sim/sim.h"

struct policy;
struct sim_run;

/* A run that was recorded, instead of a workload. The first row shows it as it was, the second
 * simulated again under its own policy. */
struct sim_recorded {
    void *ctx;
    struct workload *(*jobs)(void *ctx, uint8_t vary); /* enum recorded_vary */
    const struct sim_outside *outside;                 /* of struct sim_options */
    uint32_t outside_count;
    bool silent;         /* attempts report no progress, even to policies that need it */
    bool is_bound;       /* times of other policies are lower bounds */
    const char *policy;  /* its text in the journal */
    const char *cloning; /* of settings_policy, if policies are made as for real processes */
    bool is_real;
    const struct sim_run *row;
};
enum { SIM_RECORDED_ROWS = 2 };

struct sim_args {
    const char *workload;
    struct named_workload named;         /* the workload, once found; scaled by `scale` */
    struct sim_trace trace;              /* instead of a workload, if one is given */
    const struct sim_recorded *recorded; /* or NULL */
    struct sim_scale scale;
    enum tell tell;      /* what policies know about the durations of tasks ... */
    double expect_error; /* ... and the error of that */
    uint64_t jobs;       /* number of jobs to measure; 0: all */
    const char *cluster_name;
    struct cluster *cluster;
    char **names; /* of the policies, as given */
    struct policy **policies;
    uint32_t count;    /* number of policies, at least 1 */
    uint32_t baseline; /* index of the policy that the others are compared with */
    uint64_t seed;     /* the first one */
    uint32_t seeds;    /* number of seeds, at least 1 */
    int64_t warmup_us;
    enum ideal *yardsticks; /* worlds in which the baseline runs as well */
    uint32_t yardstick_count;
    const char *journal; /* or NULL */
    const char *report;  /* a page about the policies, or NULL */
    uint32_t parallel;   /* simulations at a time; 0: one per core */
    bool phases;         /* statistics of phases are asked for */
    bool estimates;      /* print the accuracy of Mantri's estimates */
    bool json, detail, wide;
    /* The options as given; the rest of this struct holds their values. */
    struct {
        const char *policies, *baseline, *yardsticks, *expect;
        struct field_list settings;
    } said;
};

/* Defaults of options that the user has not given, for a workload in memory. Borrowed. */
struct sim_given {
    const char *name, *text; /* of the workload */
    const char *cluster, *policies;
    struct field_list settings; /* before those of the user */
};

/* Fills *a; texts are borrowed from argv and `given` (NULL: nothing). Returns false with an exit
 * status after printing help or an error. Free with sim_args_fini in every case. */
bool sim_args_parse(struct sim_args *a, const struct sim_given *given, int argc, char **argv,
                    int *status);
void sim_args_fini(struct sim_args *a);

/* Adds a file of a trace, or a journal: the `operand` of a struct opt_command whose values begin
 * with a struct sim_args. Returns 0. */
int sim_args_take_file(void *values, const char *text);

/* Finds and makes everything that the options in *a name: workload or trace, cluster, policies,
 * yardsticks. Returns 0, or -1 with *err. */
int sim_args_check(struct sim_args *a, struct err *err);

/* Makes the policies of a->said.policies (NULL: only those of a recorded run), with their settings,
 * and finds the baseline and the yardsticks. Returns 0, or -1 with *err. */
int sim_args_policies(struct sim_args *a, struct err *err);

/* Returns the name of a row: of a policy or, behind these, of a yardstick. */
const char *sim_args_row(const struct sim_args *a, uint32_t row);

/* Returns true if more than one simulation is asked for: each journal then gets its own name. */
bool sim_args_many(const struct sim_args *a);

/* Returns the path of the journal of policy `p` and the k-th seed. Call only with a journal. */
struct path sim_args_journal(const struct sim_args *a, uint32_t p, uint32_t k);
