/* job_counters.h - sums up the counters of a job's attempts whose output was committed. */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "jobs/task/counters.h"
#include "jobs/task/plan.h"

/* Adds up the counters of winners in OUTPUT/_temporary/counters. Returns 0, or -1 with *err. */
int job_counters_gather(const struct task_plan *plan, const char *output, struct counters *sum,
                        struct err *err);

/* Returns {GROUP: {NAME: N}}, owned by the caller. Bytes that are not UTF-8 are escaped. */
json_t *job_counters_json(const struct counters *c);

/* Writes OUTPUT/_counters.json, if there are any. Returns 0, or -1 with *err. */
int job_counters_write(const struct counters *c, const char *output, struct err *err);
