/* story_join.h - shows several jobs as one.
 *
 * If the arguments of `dolly map` arrive while tasks run, each batch of them is a job for the brain
 * (src/jobs/map/map_feed.c). Users see one list of tasks: records are changed before they reach the
 * story so that it has one job, with the tasks of all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/engine/engine.h"
#include "core/model/decision.h"
#include "core/model/event.h"

/* All zero: no jobs. */
struct story_join {
    VEC(uint32_t) firsts; /* of each job, its first task in the list */
    uint32_t tasks;
    uint32_t over; /* jobs that have ended */
    bool failed;   /* one of them failed */
    struct job_spec spec;
    struct phase_spec phase;
    VEC(struct event) events; /* of the turn that is passed on */
    VEC(struct decision) decisions;
};

/* Adds a job, of one phase with this number of tasks. Call before the first turn. */
void story_join_add(struct story_join *j, uint32_t tasks);
void story_join_fini(struct story_join *j);

/* Changes the event; its pointers are valid as long as *j. Returns false if it is to be skipped.
 * With less than two jobs nothing changes. */
bool story_join_event(struct story_join *j, struct event *e);

/* Changes the decision, as story_join_event does. */
bool story_join_decision(struct story_join *j, struct decision *d);

/* Passes `to` the turn with its records changed, unless nothing of it is left. */
int story_join_turn(struct story_join *j, const struct turn *turn, struct tap to, struct err *err);
