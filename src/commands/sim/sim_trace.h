/* sim_trace.h - `dolly sim --trace`: the jobs of a trace, the cluster that they get, and the
 * readings in which they run. */
#ifndef COMMANDS_SIM_SIM_TRACE_H
#define COMMANDS_SIM_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/formats/request.h"
#include "inputs/trace/import.h"

/* Factors on what tasks take, on how often jobs arrive, and on the number of nodes of a cluster
 * that is made for the trace. */
struct sim_scale {
    double time, load, cluster;
};
#define SIM_SCALE_ONE ((struct sim_scale){1, 1, 1})

/* Reads "load=2,time=0.5" into a struct sim_scale: for a struct field. 0, or -1 with *err. */
int sim_trace_take_scale(void *scale, const char *text, struct err *err);

enum { SIM_TRACE_READINGS = 2 };

struct sim_trace {
    /* As the user wrote it. */
    struct trace_request request;
    const char *window, *variation;

    struct import *import; /* NULL: there is no trace */
    struct import_view view;
    struct workload_cut cut;              /* how much of the jobs in the window was cut short */
    uint8_t readings[SIM_TRACE_READINGS]; /* enum recorded_vary: those that run, one by one */
    uint32_t reading_count;
    char cluster_name[64]; /* of a cluster that was made */
};

/* Finds the readings that t->variation asks for. -1 with *err. */
int sim_trace_choose(struct sim_trace *t, struct err *err);

/* What a reading is called. */
const char *sim_trace_reading(uint8_t vary);

/* Reads the trace of the request and what is said about it. -1 with *err. Free with sim_trace_fini
 * in every case. */
int sim_trace_open(struct sim_trace *t, const struct sim_scale *scale, struct err *err);
void sim_trace_fini(struct sim_trace *t);

/* The cluster of the trace, where it says what its machines hold and `scale` does not change it;
 * else one as large as the assumed load of the window asks for. Its name is t->cluster_name. NULL
 * with *err. */
struct cluster *sim_trace_cluster(struct sim_trace *t, const struct sim_scale *scale,
                                  struct err *err);

#endif
