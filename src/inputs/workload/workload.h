/* workload.h - streams of jobs, together with the truth about them that no policy may see. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/model/job.h"

/* The truth about a phase. The simulator uses sizes and attempt times, the executor commands. */
struct phase_truth {
    int64_t size_us;          /* work of each task on a node of speed 1, if size_each is NULL */
    const int64_t *size_each; /* per task, or NULL */

    /* Explicit times: attempt k of task t takes attempts[attempt_from[t] + k], without noise or
     * stalls, and with a start-up only if `startup_us` is set; the last one repeats for further
     * attempts. A task with an empty range uses its size. NULL: none. */
    const uint32_t *attempt_from; /* tasks + 1 entries */
    const int64_t *attempts;
    const int64_t *attempt_fails; /* parallel: when it fails; 0: never; NULL: none does */
    /* Parallel to attempts: time between its kill, or the failure of its node, and the report of
     * its end; -1: that of the cluster; NULL: all are -1. */
    const int64_t *attempt_lags;
    int64_t startup_us; /* the part of each of these times before it reads and works */
    /* The times of further attempts, instead of the last time (recorded.h). */
    uint8_t vary;                /* enum recorded_vary */
    double line_us, line_per_us; /* with RECORDED_BYTES: the line, in us and us per byte */
    bool copies_drawn;           /* only the first time of each task was recorded */

    int64_t output_bytes; /* of each task, read by the phase below */
    /* Of readers that each get a part of every output, the first gets this many times as much as
     * each of the others; up to 1: all get the same, and parts are not reported. */
    double skew;

    const char *command;             /* run by sh -c for each task; NULL: none */
    const char *const *command_each; /* per task, NULL entries fall back to `command`; or NULL */
};

/* The share of each output of the phase that task `task` of `readers` all-to-all readers gets. */
static inline double phase_truth_share(const struct phase_truth *t, uint32_t readers, uint32_t task)
{
    double first = t->skew > 1 ? t->skew : 1;
    return (task == 0 ? first : 1) / (first + readers - 1);
}

/* For jobs of a trace: the time of their attempts in all, the drawn part of it, which was cut short
 * when it was recorded, and the number of drawn times: of attempts, and of phases whose tasks all
 * have one time. */
struct workload_cut {
    double work_us, drawn_us;
    uint64_t drawn;
};

/* A job, its submission time, and its truth. In one block of memory, except for data that the jobs
 * of a workload share, which the workload owns. */
struct workload_job {
    struct job_spec spec; /* spec.id is set when it is submitted */
    int64_t submit_us;
    const struct phase_truth *truth; /* spec.phase_count of them */
    void *memory;                    /* owned: the block, which holds this struct too */
    uint64_t line;                   /* line in its file, for messages; 0: generated */
    struct workload_cut cut;
};

static inline void workload_job_free(struct workload_job *job) /* NULL is fine */
{
    if (job)
        mem_free(job->memory);
}

/* A stream of jobs in order of submit_us, implemented by readers and generators. It may be endless
 * until its user closes it. */
struct workload {
    const char *name;
    bool closed; /* set by workload_close */
    /* Returns the next job, which the caller frees before the workload; or NULL at the end and once
     * the stream is closed. */
    struct workload_job *(*next)(struct workload *w);
    void (*destroy)(struct workload *w);
};

/* Ends the stream: next returns NULL from now on. Jobs that were handed out are not affected. */
static inline void workload_close(struct workload *w)
{
    w->closed = true;
}

/* Reads a hand-written workload (docs/reference/workload-file.md). Returns NULL with *err as
 * "file:line: error, and the expected value". The whole file is checked before the first job is
 * handed out. Node names of replicas are looked up in `cluster` (NULL: any name is an error).
 * Destroy with w->destroy(w). */
struct cluster;
struct workload *workload_file_read(const char *path, const struct cluster *cluster,
                                    struct err *err);
/* Reads the same format from memory; messages call it `shown`. */
struct workload *workload_file_read_text(const char *shown, const char *text,
                                         const struct cluster *cluster, struct err *err);

/* Appends the lines of the job, in the same format. Reading them gives the same job, except for
 * spec.id and the line number. `cluster` gives the nodes of replicas their names; it may be NULL if
 * there are none. All edges of a phase must have one pattern and one slow start, as in the format.
 */
void workload_write(const struct workload_job *job, const struct cluster *cluster, struct str *to);
