/* followed_run.h - a run that is read from its journal, which may still grow.
 *
 * The run does not know: only its journal, its lock and the times of its turns are looked at. The
 * account is that of `dolly explain`. A journal that was cut, or whose name another file has taken,
 * is read again from its start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "commands/explain/explain_open.h"
#include "commands/report/phase_sums.h"
#include "commands/report/read_run.h"
#include "commands/watch/failures.h"
#include "commands/watch/news.h"
#include "commands/watch/tail_file.h"
#include "commands/watch/time_buckets.h"

/* The state of a run. */
enum followed_state {
    FOLLOWED_RUNNING,
    FOLLOWED_DONE,
    FOLLOWED_FAILED,      /* over, and a task or a job failed */
    FOLLOWED_INTERRUPTED, /* not over, and no process of it is left */
    FOLLOWED_SILENT,      /* not over, and nothing was written for FOLLOWED_SILENT_S */
    FOLLOWED_READING,     /* not known: the end of the journal has not been reached yet */
    FOLLOWED_STATES,
};
enum { FOLLOWED_SILENT_S = 300, FOLLOWED_BINS = 5 };

struct followed_run {
    char *path; /* of the journal; owned */
    struct tail_file file;
    struct explain_input input;
    bool open;  /* `input` is */
    bool keeps; /* set before reading: `report` and `news` are kept */
    struct read_run report;
    struct news news;
    /* Of jobs that are forgotten; `times` has one for each of `phases`. */
    struct phase_sums phases;
    VEC(struct time_buckets) times;
    struct failures failures;
    struct time_buckets job_times[FOLLOWED_BINS]; /* of jobs that are done, by job_bin() - 1 */
    /* Of all jobs: */
    uint64_t jobs_end; /* all numbers of jobs are below it */
    uint64_t launched[LAUNCH_KIND_END], ended[LAUNCH_KIND_END][FATE_COUNT];
    uint64_t verdicts[WHY_CODE_END];
    VEC(uint8_t) nodes;     /* by id: the type of the last event of its state; 0: none */
    VEC(int64_t) seen_us;   /* by id: when something came from it last; -1: nothing has */
    struct follow *account; /* NULL: the journal was read to its end */
    struct res_kinds kinds; /* as of the last turn, and so are the others */
    double capacity_slots, held_slots, extra_slots, extra_share;
    bool reached;    /* the end of the journal was, since it was opened */
    bool over;       /* nothing more will be read */
    uint32_t resets; /* number of times it was read anew */
    const struct followed_pause *pause;
    bool stopped;            /* by the pause */
    enum tail_change change; /* why the reading ended */
    int64_t paused_us;       /* when the pause was called last */
};

/* Called at the current end of the journal, and now and then while much of it is read. */
struct followed_pause {
    void *ctx;
    /* Waits a moment if `idle`. Returns false to stop. */
    bool (*pause)(void *ctx, bool idle);
    void (*reset)(void *ctx, const char *why); /* the journal is read anew; NULL is fine */
};

/* Finds the journal that the user names, as explain_open_path does. Returns 0, or -1 with *err.
 * Free with followed_run_fini in both cases. */
int followed_run_init(struct followed_run *f, const char *name, struct err *err);
void followed_run_fini(struct followed_run *f);

/* Follows the run until its end or until the pause stops it; `pause` NULL: reads to the current
 * end. Returns 0; -1 with *err if the journal is damaged or gone. The account remains in both
 * cases, if f->open. */
int followed_run_read(struct followed_run *f, const struct followed_pause *pause, struct err *err);

/* Returns true if the journal of a run that was followed to its end has changed since: the run was
 * resumed, and is to be read anew. */
bool followed_run_goes_on(struct followed_run *f);

/* Returns the state of the run now. */
enum followed_state followed_run_state(const struct followed_run *f);

/* Returns the name of a state: "running", ... */
const char *followed_run_state_name(enum followed_state state);

/* Returns the name of an end: "won", ..., "finished" of one that has not won. */
const char *followed_run_end_name(enum attempt_fate end);

/* Returns the time of the run now: of its last turn, and the time since then while it runs. */
int64_t followed_run_now_us(const struct followed_run *f);

/* Returns the share of the capacity that extra attempts may hold, as the policy reported it last;
 * 0: it is not known, or there is no such limit. The run keeps its report. */
double followed_run_extra_limit(const struct followed_run *f);

/* Calls `see` for each job that is not forgotten, as x->job with its facts. */
void followed_run_open_jobs(const struct followed_run *f, void *ctx,
                            void (*see)(void *ctx, const struct explain *x));

/* Calls `see` for one of them. Returns false if it is not there. */
bool followed_run_open_job(const struct followed_run *f, uint32_t job, void *ctx,
                           void (*see)(void *ctx, const struct explain *x));
