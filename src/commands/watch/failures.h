/* failures.h - the tasks of a run that failed for good: where, when and why. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "commands/explain/explain.h"

enum { FAILURES_MAX = 100 };

struct failure {
    struct attempt_ref at;    /* its last attempt */
    uint64_t number;          /* the user's number of the task */
    int64_t at_us;            /* -1: unknown */
    char *phase, *node, *why; /* owned; why: "failed with exit status 3" */
};

/* Zero-initialise; free with failures_fini. */
struct failures {
    VEC(struct failure) v;
    uint64_t count; /* also of those beyond FAILURES_MAX */
};

void failures_fini(struct failures *f);

/* Adds the failed tasks of x->job. */
void failures_job(struct failures *f, const struct explain *x);
