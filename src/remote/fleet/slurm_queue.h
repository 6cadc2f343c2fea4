/* slurm_queue.h - jobs of a run that wait in Slurm's queue, for the user: why, and when they are
 * expected to start. Asked for once, by commands that show a run; the fleet itself uses
 * slurm_jobs.h. */
#pragma once

#include "base/err.h"
#include "base/vec.h"

/* Slurm's words; borrowed from the queue. */
struct slurm_queue_job {
    const char *id, *nodes, *start, *reason; /* start: by Slurm's clock, or "N/A" */
};

/* Zero-initialise. */
struct slurm_queue {
    VEC(struct slurm_queue_job) at;
    char *text;
};

/* Asks squeue for the jobs of this name, which is one that dolly gives to jobs of a run; takes up
 * to half a minute if Slurm does not answer. Returns 0, or -1 with *err. Free in both cases. */
int slurm_queue_ask(struct slurm_queue *q, const char *name, struct err *err);

/* Parses the output of squeue, which becomes the queue's: lines ID|NODES|START|REASON; skips
 * others. */
void slurm_queue_read(struct slurm_queue *q, char *text);

void slurm_queue_fini(struct slurm_queue *q);
