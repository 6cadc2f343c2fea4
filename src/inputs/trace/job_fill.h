/* job_fill.h - what a job gets when it is handed out, beside what its trace says: the nodes that
 * hold its input, where the trace names hosts or not, and what copies of a task take that is alone
 * in its phase.
 *
 * Neither can be said earlier: the cluster is chosen, and how much tasks differ is known, when the
 * trace has been read. Draws are keyed by the name of the job, so every run has the same. */
#ifndef INPUTS_TRACE_JOB_FILL_H
#define INPUTS_TRACE_JOB_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "core/model/id.h"
#include "core/model/job.h"

struct job_fill {
    uint32_t replicas, nodes; /* how many of how many nodes hold the input of a task; 0: none */
    /* Hashes of the nodes' names; and whether a host that is none of them stands for a node all the
     * same, which its hash chooses. */
    const struct lookup *names;
    bool are_hosts_hashed;
    /* Times of tasks over the median of their phase; without any, copies take the same. */
    const double *ratios;
    uint32_t ratio_count;
};

/* Times that a task alone in its phase gets besides its own. */
enum { JOB_FILL_COPIES = 7 };

/* The task that something is drawn for. */
struct job_fill_key {
    uint64_t job; /* hash of its name */
    uint16_t phase;
    uint32_t task;
};

/* Hosts that hold the inputs of a phase, as hashes of their names: of task t at[from[t]] ..
 * at[from[t + 1] - 1]. Both NULL where none is known. */
struct job_hosts {
    const uint32_t *from;
    const uint64_t *at;
};
enum { JOB_FILL_HOSTS_MAX = 64 }; /* of one task: as many as a workload file may name */

/* How many nodes hold the input of each task of a phase that does or does not read from outside. */
uint32_t job_fill_replicas(const struct job_fill *f, bool reads_outside);

/* Fills in `replicas` nodes of a task: distinct ones in order, each as likely as any other. */
void job_fill_nodes(const struct job_fill *f, struct job_fill_key key, struct node_id *nodes);

/* Adds the node of a host to the *count ones that are there, distinct and in order; none where no
 * node stands for it. */
void job_fill_host(const struct job_fill *f, uint64_t host, struct node_id *nodes, uint32_t *count);

/* How many times a task gets besides its own, and what they are, where its own is us. */
uint32_t job_fill_copies(const struct job_fill *f, uint32_t tasks);
void job_fill_times(const struct job_fill *f, struct job_fill_key key, int64_t us, int64_t *times);

#endif
