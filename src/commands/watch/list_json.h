/* list_json.h - lists of jobs and tasks, and values over time, as far as a query asks for them. */
#pragma once

#include <jansson.h>

#include "commands/watch/followed_run.h"
#include "commands/watch/http_query.h"

/* Returns the jobs in order of their numbers: those that are not over, and the GATHER_JOBS_MAX
 * longest of the others. The run keeps its report. */
json_t *list_json_jobs(const struct followed_run *f, const struct http_query *q);

/* Returns the tasks of a phase of x->job in the user's order. */
json_t *list_json_tasks(const struct explain *x, uint16_t phase, const struct http_query *q);

/* Returns the columns of series.csv. */
json_t *list_json_series(const struct gather *g, const struct http_query *q);
