/* map_feed.h - arguments, and blocks of --pipe, that come while tasks run.
 *
 * To the brain each piece of them is a job of its own; here a task has one number in the whole run,
 * as if all were of job 0. */
#ifndef JOBS_MAP_MAP_FEED_H
#define JOBS_MAP_MAP_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "inputs/workload/workload.h"

struct map;

struct map_feed {
    bool on;              /* arguments come while tasks run, or came so in an earlier life */
    bool ended;           /* stdin has come to its end */
    VEC(uint32_t) firsts; /* the first task of each job */
    uint32_t given;       /* jobs that the body has, or will submit next */
    uint32_t submitted;   /* jobs that the brain knows */
    uint32_t cancelled;   /* jobs that we have ended */
};

/* Whether the run can begin before all of stdin is there. */
bool map_feed_applies(const struct map *m);

/* A hook of the body: takes what stdin has. */
int map_feed(void *ctx, struct err *err);

/* Leaves the stream of --pipe where it is while enough blocks wait; takes it again when some are
 * over. */
void map_feed_hold(struct map *m);

/* A task has opened its stdin; or it is over. */
void map_feed_started(struct map *m, uint32_t task);
void map_feed_over(struct map *m, uint32_t task);

/* Tasks of a job; 0: there is no such job. */
uint32_t map_feed_tasks(const struct map *m, uint32_t job);

/* The attempt as we number it, from the brain's numbers, and the reverse. */
struct attempt_ref map_feed_from_brain(const struct map_feed *f, struct attempt_ref at);
struct attempt_ref map_feed_to_brain(const struct map_feed *f, struct attempt_ref at);

/* A hook of the body: how the attempt's task and the number of tasks are called. */
void map_feed_name(void *ctx, struct attempt_ref *at, uint32_t *tasks);

/* The jobs so far, in their order: each has one phase with a task for each line of the plan. */
struct map_workload {
    struct workload workload;
    struct map *map;
};
struct map_workload map_feed_workload(struct map *m);

/* What an attempt of a task takes of its node. */
struct res map_feed_demand(const struct map *m);

/* Ends all jobs. */
void map_feed_cancel(struct map *m);

#endif
