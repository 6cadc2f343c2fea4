/* job_fill.h - what a job gets when it is handed out, beside what its trace says: the nodes that
 * hold its input, and what copies of a task take that is alone in its phase.
 *
 * Neither can be said earlier: the cluster is chosen, and how much tasks differ is known, when the
 * trace has been read. Draws are keyed by the name of the job, so every run has the same. */
#ifndef IMPORT_JOB_FILL_H
#define IMPORT_JOB_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/id.h"
#include "model/job.h"

struct job_fill {
    uint32_t replicas, nodes; /* so many of so many nodes hold the input of a task; 0: none */
    /* Times of tasks over the median of their phase; without any, copies take the same. */
    const double *ratios;
    uint32_t ratio_count;
};

/* Times that a task alone in its phase gets besides its own. */
enum { JOB_FILL_COPIES = 7 };

/* The phase that something is drawn for. */
struct job_fill_key {
    uint64_t job; /* hash of its name */
    uint16_t phase;
};

/* How many nodes hold the input of each task of a phase that does or does not read from outside. */
uint32_t job_fill_replicas(const struct job_fill *f, bool reads_outside);

/* Fills nodes[i x replicas ..] for each task i: distinct nodes, each as likely as any other. */
void job_fill_nodes(const struct job_fill *f, struct job_fill_key key, uint32_t tasks,
                    struct node_id *nodes);

/* How many times a task gets besides its own, and what they are, where its own is us. */
uint32_t job_fill_copies(const struct job_fill *f, uint32_t tasks);
void job_fill_times(const struct job_fill *f, struct job_fill_key key, int64_t us, int64_t *times);

#endif
