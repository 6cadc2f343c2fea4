/* job_fill.h - additions to a job when it is handed out: the nodes that hold its input, whether the
 * trace names hosts or not, and the times of copies of a task that is alone in its phase.
 *
 * Neither is known earlier: the cluster is chosen, and the variation of tasks is known, when the
 * trace has been read. Draws are keyed by the name of the job, so every run has the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "core/model/id.h"
#include "core/model/job.h"

struct job_fill {
    /* number of nodes that hold the input of a task (0: none), and of all nodes */
    uint32_t replicas, nodes;
    /* Hashes of the nodes' names; and whether the hash of an unknown host chooses a node for it. */
    const struct lookup *names;
    bool are_hosts_hashed;
    /* Times of tasks over the median of their phase; without any, copies take the same time. */
    const double *ratios;
    uint32_t ratio_count;
};

/* Number of times that a task alone in its phase gets in addition to its own. */
enum { JOB_FILL_COPIES = 7 };

/* The task for which a number is drawn. */
struct job_fill_key {
    uint64_t job; /* hash of its name */
    uint16_t phase;
    uint32_t task;
};

/* The hosts that hold the inputs of a phase, as hashes of their names: of task t at[from[t]] ..
 * at[from[t + 1] - 1]. Both NULL if none is known. */
struct job_hosts {
    const uint32_t *from;
    const uint64_t *at;
};
enum { JOB_FILL_HOSTS_MAX = 64 }; /* of one task: the maximum in a workload file */

/* The number of nodes that hold the input of each task of a phase that does or does not read
 * external input. */
uint32_t job_fill_replicas(const struct job_fill *f, bool reads_outside);

/* Draws the `replicas` nodes of a task: distinct ones in order, each as likely as any other. */
void job_fill_nodes(const struct job_fill *f, struct job_fill_key key, struct node_id *nodes);

/* Adds the node of a host to the *count nodes so far, distinct and in order; adds none if no node
 * corresponds to it. */
void job_fill_host(const struct job_fill *f, uint64_t host, struct node_id *nodes, uint32_t *count);

/* The number of times that a task gets in addition to its own. */
uint32_t job_fill_copies(const struct job_fill *f, uint32_t tasks);
/* Draws these times; `us` is its own. */
void job_fill_times(const struct job_fill *f, struct job_fill_key key, int64_t us, int64_t *times);
