/* where.h - `--on WAY:SPEC` for commands: nodes whose agents run the attempts, instead of this
 * machine. */
#pragma once

#include "base/err.h"
#include "exec/exec.h"
#include "inputs/cluster/cluster.h"
#include "remote/coordinator/coordinator.h"

/* The user's options. */
struct where_options {
    const char *spec;                          /* WAY:SPEC of --on */
    const char *scratch;                       /* --scratch; NULL: agents choose one */
    const char *slurm;                         /* --slurm; NULL: none */
    const char *linger;                        /* --linger; NULL: the default */
    const char *munge;                         /* --munge must; NULL: not given */
    const char *lease;                         /* --lease; NULL: the default */
    const char *listen;                        /* --listen; NULL: any address */
    int64_t grow_us, idle_us, drain_us;        /* -1: not given */
    void (*ending)(void *ctx, int64_t left_us, /* as on_ending of coordinator.h; NULL: a note */
                   uint32_t running);          /* of coordinator.h; NULL: a note */
    bool pull;
    const char *plan, *counters; /* with `pull`: as in coordinator.h */
    bool inputs;                 /* tasks read files of the folder of the run: not with `pull` */
    bool sees;                   /* nodes have to see the folder of the run */
    bool resumable; /* the run can be resumed: agents wait for that if dolly is killed */
    uint32_t slots; /* per node; 0: one for each core */
};

/* Zero-initialise. */
struct where {
    struct coordinator *coordinator;
    uint32_t *of;
    struct exec_groups groups; /* for exec_options */
};

/* The options before any were given. */
#define WHERE_UNSAID                                                                               \
    {                                                                                              \
        .grow_us = -1, .idle_us = -1, .drain_us = -1                                               \
    }

/* Refuses options that would be ignored: those of agents without agents, and of Slurm without
 * Slurm. Fills in defaults. Returns 0, or -1 with *err. */
int where_check(struct where_options *options, struct err *err);

/* Returns true if WAY:SPEC, which may be wrong, can be more than one node. */
bool where_is_several(const char *text);

/* Returns a cluster with a node for each agent that may join, with guessed capacities until it
 * does. Returns NULL with *err on failure. */
struct cluster *where_cluster(const struct where_options *options, struct err *err);

/* Prepares for agents; they are started when the body waits for the first time. `dir` is the folder
 * of the run, `cluster` is that of where_cluster, `ctx` is passed to `note`. Returns 0, or -1 with
 * *err. */
int where_open(struct where *o, const struct where_options *options, const char *dir,
               struct cluster *cluster, void *ctx, void (*note)(void *ctx, const char *text),
               struct err *err);

/* Waits for the agents to leave. Call once the body is destroyed. May be called again. */
void where_close(struct where *o);
