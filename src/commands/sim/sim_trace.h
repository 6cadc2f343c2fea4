/* sim_trace.h - `dolly sim --trace`: the jobs of a trace, their cluster, and the readings in which
 * they run. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/formats/request.h"
#include "inputs/trace/import.h"

/* Factors for the durations of tasks, the arrival rate of jobs, and the number of nodes of a
 * cluster that is made for the trace. */
struct sim_scale {
    double time, load, cluster;
};
#define SIM_SCALE_ONE ((struct sim_scale){1, 1, 1})

/* Parses "load=2,time=0.5" into a struct sim_scale; for a struct field. Returns 0, or -1 with *err.
 */
int sim_trace_take_scale(void *scale, const char *text, struct err *err);

enum { SIM_TRACE_READINGS = 2 };

struct sim_trace {
    /* The options as given. */
    struct trace_request request;
    const char *window, *variation;

    struct import *import; /* NULL: no trace is given */
    struct import_view view;
    struct workload_cut cut;              /* share of the jobs in the window that was cut short */
    uint8_t readings[SIM_TRACE_READINGS]; /* enum recorded_vary: those that run, one by one */
    uint32_t reading_count;
    char cluster_name[64]; /* of a cluster that was made */
};

/* Finds the readings that t->variation asks for. Returns 0, or -1 with *err. */
int sim_trace_choose(struct sim_trace *t, struct err *err);

/* Returns the name of a reading. */
const char *sim_trace_reading(uint8_t vary);

/* Returns the number of times that everything runs: once for each reading, or once if there is
 * none. */
static inline uint32_t sim_trace_runs(const struct sim_trace *t)
{
    return t->reading_count ? t->reading_count : 1;
}

/* Returns the name of the reading of the k-th of these, or NULL if there is none. */
static inline const char *sim_trace_reading_at(const struct sim_trace *t, uint32_t k)
{
    return t->reading_count ? sim_trace_reading(t->readings[k]) : NULL;
}

/* Reads the trace of the request. Returns 0, or -1 with *err. Free with sim_trace_fini in every
 * case. */
int sim_trace_open(struct sim_trace *t, const struct sim_scale *scale, struct err *err);
void sim_trace_fini(struct sim_trace *t);

/* Returns the cluster of the trace, if the trace records its machines and `scale` does not change
 * it; else one of the size that the assumed load of the window needs. Its name is t->cluster_name.
 * Returns NULL with *err on failure. */
struct cluster *sim_trace_cluster(struct sim_trace *t, const struct sim_scale *scale,
                                  struct err *err);
