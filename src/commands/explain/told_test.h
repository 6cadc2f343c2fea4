/* told_test.h - a run with one job, made by hand, for tests of the sentences about it. */
#pragma once

#include "commands/explain/explain.h"

enum { TOLD_TASKS = 4 };

/* Job 7, "sort": phase map of four tasks without any attempt, and phase reduce, of one task, which
 * reads it. Tests change it freely. Nodes are n0 and one without a name. */
struct told {
    struct explain x;
    struct story_run run;
    struct story_node nodes[2];
    struct story_job job;
    struct story_phase phases[2];
    struct story_task tasks[2][TOLD_TASKS];
    struct story_phase_facts facts[2];
    struct edge_spec edge;
    struct str out;
};

void told_init(struct told *t);
void told_fini(struct told *t);

/* Stores the numbers of a reason in the job. */
struct story_why told_why(struct told *t, struct reason r);

/* Adds the next attempt of a task of phase 0: launched at this time, not started, because its turn
 * had come. Valid until the next one is added. */
struct story_attempt *told_attempt(struct told *t, uint32_t task, uint8_t kind,
                                   int64_t launched_us);

/* Returns true if the text that was added to t->out since the last call is this one; else prints
 * both. */
bool told_is(struct told *t, const char *expected);
