/* map_feed.h - arguments, and blocks of --pipe, that arrive while tasks run.
 *
 * For the brain each piece of them is a job of its own; here a task has one number in the whole
 * run, as if all were of job 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "inputs/workload/workload.h"

struct map;

struct map_feed {
    bool arrives; /* arguments arrive while tasks run, or did in an earlier process of the run */
    bool ended; /* the end of stdin was read */
    VEC(uint32_t) firsts; /* the first task of each job */
    uint32_t given;       /* number of jobs that the body has, or will submit next */
    uint32_t submitted;   /* number of jobs that the brain has */
    uint32_t cancelled;   /* number of jobs that were cancelled */
};

/* Returns true if the run can begin before all of stdin was read. */
bool map_feed_applies(const struct map *m);

/* A hook of the body: reads stdin. */
int map_feed(void *ctx, struct err *err);

/* Stops reading the stream of --pipe while enough blocks wait; reads it again when some are over.
 */
void map_feed_hold(struct map *m);

/* Notes that a task has opened its stdin. */
void map_feed_started(struct map *m, uint32_t task);

/* Notes that a task is over. */
void map_feed_over(struct map *m, uint32_t task);

/* Returns the number of tasks of a job; 0: there is no such job. */
uint32_t map_feed_tasks(const struct map *m, uint32_t job);

/* Returns the attempt with the numbers of the run, from the brain's. */
struct attempt_ref map_feed_from_brain(const struct map_feed *f, struct attempt_ref at);

/* Returns the attempt with the brain's numbers, from those of the run. */
struct attempt_ref map_feed_to_brain(const struct map_feed *f, struct attempt_ref at);

/* A hook of the body: changes the number of the attempt's task and the number of tasks to those of
 * the run. */
void map_feed_name(void *ctx, struct attempt_ref *at, uint32_t *tasks);

/* The jobs so far, in their order: each has one phase with a task for each line of the plan. */
struct map_workload {
    struct workload workload;
    struct map *map;
};
struct map_workload map_feed_workload(struct map *m);

/* Returns the resources that an attempt needs on its node. */
struct res map_feed_demand(const struct map *m);

/* Ends all jobs. */
void map_feed_cancel(struct map *m);
