/* sim_args.h - what the user asked `dolly sim` for, checked as a whole before anything runs. */
#ifndef COMMANDS_SIM_SIM_ARGS_H
#define COMMANDS_SIM_SIM_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/field.h"
#include "commands/sim/sim_trace.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/format.h"
#include "inputs/workload/tell.h"
#include "sim/ideal.h"
#include "sim/sim.h"

struct policy;
struct sim_run;

/* A run that was recorded, in place of a workload. It is the first row, as it was, and the second,
 * simulated again under its own policy. */
struct sim_recorded {
    void *ctx;
    struct workload *(*jobs)(void *ctx, uint8_t vary); /* enum recorded_vary */
    const struct sim_outside *outside;                 /* of struct sim_options */
    uint32_t outside_count;
    bool silent;        /* attempts report no progress, also to policies that want it */
    bool is_bound;      /* times of other policies are lower bounds */
    const char *policy; /* its text in the journal */
    const struct sim_run *row;
};
enum { SIM_RECORDED_ROWS = 2 };

struct sim_args {
    const char *workload;
    struct format_source source;         /* the same, found; scaled by `scale` */
    struct sim_trace trace;              /* in its place, where there is one */
    const struct sim_recorded *recorded; /* or NULL */
    struct sim_scale scale;
    enum tell tell;      /* what policies are told of how long tasks take ... */
    double expect_error; /* ... and how wrong */
    uint64_t jobs;       /* to be measured; 0: all */
    const char *cluster_name;
    struct cluster *cluster;
    char **names; /* of the policies, as given */
    struct policy **policies;
    uint32_t count;    /* of policies, at least 1 */
    uint32_t baseline; /* index of the policy the others are compared with */
    uint64_t seed;     /* the first one */
    uint32_t seeds;    /* how many, at least 1 */
    int64_t warmup_us;
    enum ideal *yardsticks; /* worlds in which the baseline runs, too */
    uint32_t yardstick_count;
    const char *journal;                  /* or NULL */
    const char *report;                   /* a page about the policies, or NULL */
    char *report_folder, *report_journal; /* of sim_page.h */
    bool phases;                          /* statistics of phases are asked for */
    bool estimates;                       /* how right Mantri's estimates are */
    bool json, detail;
    /* As the user wrote them; the rest of this struct is what they mean. */
    struct {
        const char *policies, *baseline, *yardsticks, *expect;
        struct field_list settings;
    } said;
};

/* What stands for options that the user has not written, of a workload in memory. Borrowed. */
struct sim_given {
    const char *name, *text; /* of the workload */
    const char *cluster, *policies;
    struct field_list settings; /* before those of the user */
};

/* Fills *a; texts are borrowed from argv and `given` (NULL: nothing). False with an exit status
 * after printing help or what is wrong. Free with sim_args_fini in every case. */
bool sim_args_parse(struct sim_args *a, const struct sim_given *given, int argc, char **argv,
                    int *status);
void sim_args_fini(struct sim_args *a);

/* Finds and makes all that is said in *a: workload or trace, cluster, policies, yardsticks. -1 with
 * *err. */
int sim_args_check(struct sim_args *a, struct err *err);

/* Makes the policies of a->said.policies (NULL: none but those of a recorded run), with their
 * settings, and finds the baseline and the yardsticks. -1 with *err. */
int sim_args_policies(struct sim_args *a, struct err *err);

/* Whether more than one simulation is asked for: journals then get names of their own. */
bool sim_args_many(const struct sim_args *a);

/* Appends the path of the journal of policy `p` and the k-th seed. Only with a journal. */
void sim_args_journal(const struct sim_args *a, uint32_t p, uint32_t k, struct str *path);

#endif
