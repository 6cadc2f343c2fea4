/* on.h - `--on WAY:SPEC` as commands see it: nodes whose attempts are run by agents, instead of
 * this machine. */
#ifndef REMOTE_COORDINATOR_ON_H
#define REMOTE_COORDINATOR_ON_H

#include "base/err.h"
#include "exec/exec.h"
#include "inputs/cluster/cluster.h"
#include "remote/coordinator/coordinator.h"

/* What the user has asked for. */
struct on_options {
    const char *on;                     /* WAY:SPEC */
    const char *scratch;                /* --scratch; NULL: agents find one */
    const char *slurm;                  /* --slurm; NULL: nothing */
    const char *linger;                 /* --linger; NULL: the default */
    const char *munge;                  /* --munge must; NULL: not said */
    const char *lease;                  /* --lease; NULL: the default */
    const char *listen;                 /* --listen; NULL: anywhere */
    int64_t grow_us, idle_us, drain_us; /* -1: not said */
    void (*ending)(void *ctx, int64_t left_us,
                   uint32_t running); /* of coordinator.h; NULL: a note */
    bool pull;
    const char *plan, *counters; /* with `pull`: of coordinator.h */
    bool inputs;    /* tasks read what lies in the folder of the run: not with `pull` */
    bool sees;      /* nodes have to see the folder of the run */
    bool resumable; /* the run can be resumed: agents wait for that when we are killed */
    uint32_t slots; /* of each node; 0: as many as it has cores */
};

/* Zero-initialise. */
struct on {
    struct coordinator *coordinator;
    uint32_t *of;
    struct exec_groups groups; /* for exec_options */
};

/* What options are before the user has said anything. */
#define ON_UNSAID                                                                                  \
    {                                                                                              \
        .grow_us = -1, .idle_us = -1, .drain_us = -1                                               \
    }

/* Refuses what would be ignored: options of agents without agents, and of Slurm without Slurm. What
 * was not said becomes what is usual. 0, or -1 with *err. */
int on_check(struct on_options *options, struct err *err);

/* Whether WAY:SPEC, which may be wrong, can be more than one node. */
bool on_is_several(const char *on);

/* A cluster with a node for each agent that may come; what it has is a guess until it comes. NULL
 * with *err. */
struct cluster *on_cluster(const struct on_options *options, struct err *err);

/* Prepares for agents; they are started when the body waits for the first time. `dir` is the folder
 * of the run, `cluster` what on_cluster gave, `ctx` goes to `note`. 0, or -1 with *err. */
int on_open(struct on *o, const struct on_options *options, const char *dir,
            struct cluster *cluster, void *ctx, void (*note)(void *ctx, const char *text),
            struct err *err);

/* Once the body is destroyed: waits for the agents to leave. May be called again. */
void on_close(struct on *o);

#endif
