/* stage_test.h - a stage for tests of the simulator: a hand-made cluster and workload, and a script
 * of decisions in place of a brain. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

enum { STAGE_JOBS_MAX = 4096, STAGE_PHASES_MAX = 4 };

#define STAGE_S INT64_C(1000000) /* a second */

/* A phase of tasks that need one core each. With `reads`, it reads the phase before it. */
struct stage_phase {
    uint32_t tasks;
    int64_t size_us, output_bytes, input_bytes;
    bool reads;
    double skew;                  /* of readers of its parts */
    struct edge_spec edge;        /* pattern and slowstart, with `reads` */
    const uint32_t *attempt_from; /* explicit attempt times, as in struct phase_truth */
    const int64_t *attempts, *attempt_fails, *attempt_lags;
    const uint32_t *replica_from; /* locations of input, as in struct phase_spec */
    const struct node_id *replicas;
};

struct sim_stage {
    struct cluster *cluster; /* change luck and faults before stage_start */
    struct workload workload;
    struct workload_job *jobs[STAGE_JOBS_MAX];
    uint32_t job_count, job_next;
    uint64_t seed;
    bool reports, samples;
    enum ideal ideal;
    const struct sim_outside *outside;
    uint32_t outside_count;
    struct sim *sim;
    struct batch batch; /* of the last stage_wait */
    struct err err;
    uint64_t decisions;
};

void stage_init(struct sim_stage *st, uint32_t nodes, uint32_t cores);
void stage_fini(struct sim_stage *st);

/* Adds a job of `count` phases; times of submission must rise. */
void stage_job(struct sim_stage *st, int64_t submit_us, const struct stage_phase *phases,
               uint16_t count);

/* Creates the simulator and takes the first batch. */
void stage_start(struct sim_stage *st);

/* Gets the next batch in st->batch; returns the result of wait. */
int stage_wait(struct sim_stage *st);

/* All that is upstream of a reader, in phase 0 of job 0. */
extern const struct attempt_ref stage_all;

struct attempt_ref stage_ref(uint32_t job, uint16_t phase, uint32_t task, uint16_t attempt);

/* Performs one decision (its id is filled in). */
void stage_do(struct sim_stage *st, struct decision d);
void stage_launch(struct sim_stage *st, struct attempt_ref at, uint32_t node);
void stage_ask(struct sim_stage *st, uint8_t type, struct attempt_ref at);
void stage_read(struct sim_stage *st, struct attempt_ref reader, struct attempt_ref source);
void stage_replicate(struct sim_stage *st, struct attempt_ref at, uint32_t node);
void stage_timer(struct sim_stage *st, uint32_t id, int64_t at_us);

/* Launches the attempt on a node, waits until it has ended, and commits it. For runs without faults
 * in which nothing else happens. */
void stage_run(struct sim_stage *st, struct attempt_ref at, uint32_t node);

/* Returns true if the i-th event of the last batch is this one; false if there is none. */
bool stage_saw(const struct sim_stage *st, uint32_t i, uint8_t type, uint8_t cause,
               struct attempt_ref at);

/* Returns true if the last batch is exactly this event about an attempt, at this time. */
bool stage_only(const struct sim_stage *st, int64_t now_us, uint8_t type, uint8_t cause,
                struct attempt_ref at);

/* Returns true if performing the decision aborts the program (in a child; the stage itself is not
 * changed). */
bool stage_aborts(struct sim_stage *st, struct decision d);
