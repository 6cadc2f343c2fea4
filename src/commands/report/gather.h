/* gather.h - collects what a report shows of a run from its turns, in one pass and in bounded
 * memory: attempts with their tracks, jobs, and values over time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "commands/report/attempt_log.h"
#include "commands/report/series.h"
#include "commands/report/tracks.h"
#include "record/stats/follow.h"

enum { GATHER_JOBS_MAX = 20000 };

/* Values over time. web/report.js knows names and order. */
enum gather_series {
    GATHER_RUNNING,    /* attempts */
    GATHER_WAITING,    /* tasks that have no attempt and are not done, of all phases */
    GATHER_EXTRA,      /* share of the cluster that extra attempts hold, in per cent */
    GATHER_NODES_DOWN, /* nodes that are down or take no attempts */
    GATHER_OMEGA,      /* seconds that readers wait for an output of their own, as chosen last */
    GATHER_SLOTS,      /* use of the first resource by attempts, in slots or units */
    GATHER_SLOTS_ALL,  /* and its capacity */
    GATHER_USED,       /* RES_COUNT - 1 of them: share of each other resource, in per cent */
    GATHER_CPU = GATHER_USED + RES_COUNT - 1, /* CPU seconds a second, as attempts used them */
    GATHER_CLONES, /* share of the cluster that clones within the budget hold, in per cent */
    /* And the largest share that the budget allows, as reported last; 0: none is. */
    GATHER_CLONES_MAX,
    GATHER_BACKUPS, /* the same for backups */
    GATHER_BACKUPS_MAX,
    GATHER_SERIES,
};

/* Returns its name for programs: "running", ... */
const char *gather_series_name(enum gather_series which);

struct gather_job {
    struct job_id id;
    char *name;   /* owned */
    char *phases; /* their names, each followed by a newline; owned */
    uint64_t tasks, clones;
    uint64_t given_up; /* tasks that failed for good; the job continued without them */
    int64_t arrived_us, began_us, ended_us; /* began: its first launch; -1: never */
    uint16_t verdict; /* the reason of the last one about copies of its tasks; WHY_NONE: none */
    bool failed, open;                      /* open: not over at the end of the journal */
    bool measured;                          /* it is included in statistics */
};

/* Returns the time from arrival to end. */
static inline int64_t gather_took_us(const struct gather_job *j)
{
    return j->ended_us - j->arrived_us;
}

/* A node that had run attempts went down. */
struct gather_down {
    int64_t at_us;
    uint32_t node;
};

struct gather {
    struct follow *follow; /* set it to NULL when the account has ended */
    uint32_t owner;        /* index of this subscriber in live_job.own */
    struct attempt_log log;
    struct tracks tracks;
    struct series *series;
    VEC(struct gather_job)
    jobs; /* the longest GATHER_JOBS_MAX, in order of their end until sorted */
    uint64_t job_count, measured_count;
    struct cutoff job_cutoff;
    bool all; /* nothing is dropped */
    uint64_t running, waiting, nodes_down;
    struct res_sum charged, backups; /* held by clones within the budget, and by backups */
    VEC(struct usage) uses;          /* with `all`: usage of attempts that ended */
    VEC(uint8_t) nodes;              /* by id: event type of its state */
    VEC(struct gather_down) downs;   /* with `all`, in order of time */
    uint64_t verdicts[WHY_CODE_END];
    bool resource_used[RES_COUNT];
};

/* Subscribes. Call before the first turn. `all`: keeps every attempt and job, in as much memory as
 * they need. Free with gather_fini, after the follow is destroyed, which closes open rows. */
void gather_init(struct gather *g, struct follow *f, bool all);
void gather_fini(struct gather *g);

/* Returns true if the clone budget of this policy limits clones alone; else (budget=idle, or one
 * that counts other attempts) its series means nothing. */
bool gather_limits_clones(const char *policy);

/* Returns the resources that the attempt of the row has used; NULL: not known, or not kept. */
const struct usage *gather_use(const struct gather *g, const struct attempt_row_shown *r);

/* Returns the facts so far of a job that is not gone, or NULL. Valid until the next turn. */
const struct gather_job *gather_open(const struct gather *g, struct job_id id);

/* Drops what would have been dropped without `all`. */
void gather_limit(struct gather *g);

/* Sorts the jobs by their numbers. */
void gather_sort(struct gather *g);

/* Finds a job after gather_sort; NULL: it was dropped. */
const struct gather_job *gather_find(const struct gather *g, struct job_id id);
