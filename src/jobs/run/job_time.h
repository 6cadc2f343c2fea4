/* job_time.h - how long tasks of a simulated phase take, as people write it.
 *
 *     4s            every task
 *     2s-6s         between these, all alike likely
 *     5s~2s         mean and standard deviation, lognormal
 *     4s,5s,30s     the tasks take these in turn */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum job_time_kind { JOB_TIME_LIST, JOB_TIME_BETWEEN, JOB_TIME_AROUND };

/* Zero-initialise; free with vec_free(&t.us). */
struct job_lengths {
    enum job_time_kind kind;
    VEC(int64_t) us; /* those in turn; lowest and highest; mean and deviation. Empty: not known */
};

int job_time_parse(struct job_lengths *t, const char *text, struct err *err);

/* Returns the duration of a task, at least 1 us; always the same for the same task. */
int64_t job_time_of(const struct job_lengths *t, uint32_t phase, uint32_t task);
