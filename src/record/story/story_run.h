/* story_run.h - the sums over all jobs of a run, and the history of its nodes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "record/story/story_facts.h"
#include "record/story/story_job.h"
#include "record/story/story_race.h"

enum { STORY_SLOWEST = 5, STORY_NAMES = 8, STORY_FAILED = 3, STORY_NODES_MAX = 1 << 24 };

/* A job that took long. */
struct story_slow_job {
    struct job_id id;
    char *name;
    uint64_t tasks;
    int64_t took_us;   /* from arrival to its end */
    int64_t waited_us; /* from arrival to its first launch */
    struct story_difference would;
    uint32_t unsure; /* see story_facts.h */
    bool cloned, failed;
};

struct story_node {
    char *name; /* the latest: before its agent has joined, a node has another one */
    struct res capacity;
    bool used; /* an attempt was launched on it; before that, that it is down means nothing */
    uint32_t avoided, downs;
    struct reason avoid_why; /* the latest */
};

/* Zero-initialise; free with story_run_fini. */
struct story_run {
    int64_t first_us, last_us;   /* first submission, last turn */
    uint64_t jobs, done, failed; /* that are measured */
    uint64_t others;             /* number of other jobs, which are counted nowhere else */
    double took_us;              /* from arrival to end, summed over jobs that are done */
    uint64_t tasks, tasks_done, tasks_failed; /* submitted; of jobs that were added: */
    struct job_id first_job, last_job;        /* of all */
    char *names[STORY_NAMES];                 /* of jobs: the first different ones */
    uint32_t name_count;
    bool more_names;
    struct job_id failed_first[STORY_FAILED]; /* as many as failed, up to these */
    /* Of jobs that are over: */
    uint64_t jobs_cloned, phases, phases_cloned;
    uint64_t not_cloned[WHY_CODE_END]; /* phases, by story_job_cloning */
    uint64_t launched[LAUNCH_KIND_END], won[LAUNCH_KIND_END], withdrawn, killed, failures;
    double slot_s, vain_slot_s[LAUNCH_KIND_END], open_slot_s;
    uint64_t won_by_extra, beat_straggler, beat_unknown, unsure, stragglers;
    struct story_difference would; /* sums over jobs */
    struct story_held {
        uint64_t phases; /* whose slowest task was held up by this */
        int64_t us;      /* and how long, in all */
    } held[STORY_CAUSES];
    struct story_slow_job slowest[STORY_SLOWEST]; /* longest first */
    uint32_t slowest_count;
    VEC(struct story_node) nodes; /* by id */
    char *resources[RES_COUNT];   /* the cluster's names; NULL: the built-in ones */
};

/* Adds a job that no later record concerns, with its facts. */
void story_run_add(struct story_run *r, const struct story_job *j, const struct story_facts *f);

/* Counts a submission. */
void story_run_submitted(struct story_run *r, const struct job_spec *spec, bool measured,
                         int64_t now_us);

/* Counts the end of a job that is measured. */
void story_run_over(struct story_run *r, struct job_id id, bool done);

/* Takes an event of resources and nodes. */
void story_run_event(struct story_run *r, const struct event *e);

/* Takes a decision about nodes. */
void story_run_decision(struct story_run *r, const struct decision *d);

void story_run_fini(struct story_run *r);
