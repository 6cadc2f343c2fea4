/* kept_jobs.h - the stories of single jobs of a followed run: a job that is not over is shown from
 * the account; of one that is, which the account has forgotten, the journal is read once, and the
 * KEPT_JOBS that were asked for last are kept. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "commands/watch/followed_run.h"

enum { KEPT_JOBS = 8 };

/* Zero-initialise; free with kept_jobs_fini. */
struct kept_jobs {
    struct kept_job {
        bool used;
        uint32_t job;
        uint64_t asked; /* when, in questions */
        struct explain_input input;
    } at[KEPT_JOBS];
    uint64_t questions;
    uint64_t reads;  /* of the journal, so far */
    uint32_t resets; /* of the run, for which they are valid */
};

void kept_jobs_fini(struct kept_jobs *k);

/* Calls `see` once: with the job as x->job, or with NULL if the run has not got it. Returns 0, or
 * -1 with *err if the journal cannot be read. */
int kept_jobs_show(struct kept_jobs *k, const struct followed_run *f, uint32_t job, void *ctx,
                   void (*see)(void *ctx, const struct explain *x), struct err *err);
