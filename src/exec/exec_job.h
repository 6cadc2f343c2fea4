/* exec_job.h - submits jobs from the workload at their time and ends them when the brain decides
 * so. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/decision.h"
#include "inputs/workload/workload.h"

struct exec;

struct exec_job {
    struct workload_job *work;   /* owned; NULL once the job is over and its last attempt ended */
    uint32_t newest;             /* newest attempt, head of a list in the attempt table */
    uint32_t live;
    bool over;
    int64_t *phase_bytes; /* committed so far, per phase */
    /* The last failure of an attempt or commit, in case the job fails of it. */
    struct attempt_ref failed_at;
    uint8_t failed_cause;
    int32_t failed_detail;
    bool failed_full;    /* the disk was full then */
    const char *changed; /* a phase whose outputs came out different when they were made again */
};

struct exec_jobs {
    struct exec_job *at; /* by id */
    uint32_t count, cap;
    uint32_t open;             /* not over */
    struct workload_job *next; /* read ahead */
    char *failure;             /* of the first job that failed, in words */
};

/* Draws the next job from the workload into jobs.next and checks that it can be run. Returns 0, or
 * -1 with *err. */
int exec_job_draw(struct exec *x, struct err *err);

/* Draws the next job, and ends the run if it cannot be run. */
void exec_job_draw_more(struct exec *x);

/* Submits the job that was read ahead. */
void exec_job_submit(struct exec *x);

/* Submits the job that was read ahead, which is in the journal already, without an event. Returns
 * NULL, or the contradiction to the journal. */
const char *exec_job_recall(struct exec *x, const struct job_spec *recorded);

/* Ends the job as the brain decided. */
void exec_job_end(struct exec *x, const struct decision *d);

/* Notes that one attempt of the job has ended. */
void exec_job_attempt_ended(struct exec *x, struct exec_job *job);

/* Notes a failure of an attempt or commit. */
void exec_job_note(struct exec *x, struct attempt_ref at, uint8_t cause, int32_t detail);

/* Returns -1 with *err, which names a job that is not done. */
int exec_job_stalled(const struct exec *x, struct err *err);

void exec_job_fini(struct exec *x);
