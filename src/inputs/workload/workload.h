/* workload.h - where jobs come from, together with the truth about them that no policy may see. */
#ifndef INPUTS_WORKLOAD_WORKLOAD_H
#define INPUTS_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/job.h"

/* What really lies behind a phase. The simulator uses sizes and attempt times, the executor
 * commands. */
struct phase_truth {
    int64_t size_us;          /* work of each task on a node of speed 1; where size_each is NULL */
    const int64_t *size_each; /* per task, or NULL */

    /* Explicit times: attempt k of task t takes attempts[attempt_from[t] + k], without noise or
     * stalls, and with a start-up only if `startup_us` says so; the last one repeats for further
     * attempts. A task with an empty range uses its size. NULL: none. */
    const uint32_t *attempt_from; /* tasks + 1 entries */
    const int64_t *attempts;
    const int64_t *attempt_fails; /* beside them: it fails after so long; 0: no; NULL: none does */
    /* Beside them: how long after it is killed, or its node goes down, its end is told; -1: as the
     * cluster says; NULL: that of all. */
    const int64_t *attempt_lags;
    int64_t startup_us; /* so much of each of these times passes before it reads and works */
    /* What further attempts take instead of the last time (recorded.h). */
    uint8_t vary;                /* enum recorded_vary */
    double line_us, line_per_us; /* with RECORDED_BYTES: the line, in us and us per byte */
    bool copies_drawn; /* all times but the first of a task are no record but of this reading */

    int64_t output_bytes; /* of each task, read by the phase below */
    /* Of readers that each get a part of every output, the first gets this many times as much as
     * each of the others; up to 1: all get the same, and parts are not told. */
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

/* Of jobs of a trace: what their attempts take in all, how much of that is drawn, because it was
 * cut short when it was recorded, and how many times that is: of attempts, and of phases of which
 * all tasks have one time. */
struct workload_cut {
    double work_us, drawn_us;
    uint64_t drawn;
};

/* A job, its submission time, and its truth. One block of memory behind it all, but for what the
 * jobs of a workload have in common, which is the workload's. */
struct workload_job {
    struct job_spec spec; /* spec.id is set when it is submitted */
    int64_t submit_us;
    const struct phase_truth *truth; /* spec.phase_count of them */
    void *memory;                    /* owned: the block, which holds this struct too */
    uint64_t line;                   /* where it stands in its file, for messages; 0: generated */
    struct workload_cut cut;
};

void workload_job_free(struct workload_job *job); /* NULL is fine */

/* A stream of jobs in order of submit_us, implemented by readers and generators. It may be endless
 * until its user closes it. */
struct workload {
    const char *name;
    bool closed; /* set by workload_close */
    /* The next job, owned by the caller, who frees it before the workload; or NULL at the end and
     * once the stream is closed. */
    struct workload_job *(*next)(struct workload *w);
    void (*destroy)(struct workload *w);
};

/* No more jobs come: next returns NULL from now on. Jobs that were handed out stay. */
void workload_close(struct workload *w);

/* Reads a hand-written workload (docs/reference/workload-file.md). NULL with *err as "file:line:
 * what is wrong, and what would be right". The whole file is checked before the first job is handed
 * out. Node names of replicas are looked up in `cluster` (NULL: any name is an error). Destroy with
 * w->destroy(w). */
struct cluster;
struct workload *workload_file_read(const char *path, const struct cluster *cluster,
                                    struct err *err);
/* The same of text in memory; `shown` stands for its name. */
struct workload *workload_file_read_text(const char *shown, const char *text,
                                         const struct cluster *cluster, struct err *err);

#endif
