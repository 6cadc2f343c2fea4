/* gather.h - what a report shows of a run, gathered from its turns in one pass and in bounded
 * memory: attempts with their tracks, jobs, and values over time. */
#ifndef COMMANDS_REPORT_GATHER_H
#define COMMANDS_REPORT_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "commands/report/attempt_log.h"
#include "commands/report/series.h"
#include "commands/report/tracks.h"
#include "record/stats/follow.h"

enum { GATHER_JOBS_MAX = 20000 };

/* Values over time. Names and order are known to web/report.js. */
enum gather_series {
    GATHER_RUNNING,    /* attempts */
    GATHER_WAITING,    /* tasks that have no attempt and are not done, of all phases */
    GATHER_EXTRA,      /* share of the cluster that extra attempts hold, in per cent */
    GATHER_NODES_DOWN, /* and those that take no attempts */
    GATHER_OMEGA,      /* seconds that readers wait for an output of their own, as chosen last */
    GATHER_SLOTS,      /* what attempts hold of the first resource, in slots or units */
    GATHER_SLOTS_ALL,  /* and what there is of it */
    GATHER_USED,       /* RES_COUNT - 1 of them: share of each other resource, in per cent */
    GATHER_CPU = GATHER_USED + RES_COUNT - 1, /* CPU seconds a second, as attempts used them */
    GATHER_CLONES,     /* share of the cluster that a clone budget has paid for, in per cent */
    GATHER_CLONES_MAX, /* and the largest that it allows, as the policy said last; 0: none is */
    GATHER_BACKUPS,    /* the same of backups */
    GATHER_BACKUPS_MAX,
    GATHER_SERIES,
};

struct gather_job {
    struct job_id id;
    char *name;   /* owned */
    char *phases; /* their names with a newline behind each; owned */
    uint64_t tasks, clones;
    uint64_t given_up; /* tasks that failed for good; the job went on without them */
    int64_t arrived_us, began_us, ended_us; /* began: its first launch; -1: never */
    bool failed, open;                      /* open: not over at the end of the journal */
    bool measured;                          /* it counts */
};

struct gather {
    struct follow *follow;
    uint32_t owner; /* our index in live_job.own */
    struct attempt_log log;
    struct tracks tracks;
    struct series *series;
    VEC(struct gather_job)
    jobs; /* the longest GATHER_JOBS_MAX, in order of their end until sorted */
    uint64_t job_count, measured_count;
    struct cutoff job_cutoff;
    bool all; /* nothing is left out */
    uint64_t running, waiting, nodes_down;
    struct res_sum charged, backups; /* held by what a clone budget pays for, and by backups */
    VEC(struct usage) uses;          /* with `all`: of attempts that ended */
    VEC(uint8_t) nodes;              /* by id: event type of its state */
    uint64_t verdicts[WHY_CODE_END];
    bool resource_used[RES_COUNT];
};

/* Subscribes; before the first turn. `all`: every attempt and job is kept, in as much memory as
 * they need. Free with gather_fini, after the follow is destroyed, which closes what is still open.
 */
void gather_init(struct gather *g, struct follow *f, bool all);
void gather_fini(struct gather *g);

/* What limits say under this policy, once the run has been read: a clone budget that does not hold
 * clones back (budget=idle), or counts more than them, is none. */
void gather_settle(struct gather *g, const char *policy);

/* What the attempt of the row has used; NULL: it is not known, or not kept. */
const struct usage *gather_use(const struct gather *g, const struct attempt_row_shown *r);

/* Leaves out what would have been without `all`. */
void gather_limit(struct gather *g);

/* Brings the jobs in order of their numbers, and finds one then; NULL: it was left out. */
void gather_sort(struct gather *g);
const struct gather_job *gather_find(const struct gather *g, struct job_id id);

#endif
