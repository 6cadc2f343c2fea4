/* job_counters.h - what the attempts of a job have counted, summed up over those whose output was
 * taken. */
#ifndef JOBS_RUN_JOB_COUNTERS_H
#define JOBS_RUN_JOB_COUNTERS_H

#include <jansson.h>

#include "base/err.h"
#include "jobs/task/counters.h"
#include "jobs/task/plan.h"

/* Adds up what winners have left in OUTPUT/_temporary/counters. -1 with *err. */
int job_counters_gather(const struct task_plan *plan, const char *output, struct counters *sum,
                        struct err *err);

/* As {GROUP: {NAME: N}}; the caller's. Bytes that are no text are written as text that shows
 * them. */
json_t *job_counters_json(const struct counters *c);

/* Writes OUTPUT/_counters.json, if there are any. */
int job_counters_write(const struct counters *c, const char *output, struct err *err);

#endif
