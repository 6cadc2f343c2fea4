/* draft.h - a job while it is assembled from its rows. Texts point into the rows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "inputs/trace/assume.h"
#include "inputs/trace/row.h"
#include "inputs/trace/survey.h"
#include "inputs/trace/trouble.h"
#include "inputs/workload/recorded.h"
#include "inputs/workload/workload.h"

struct draft_attempt {
    int64_t number; /* ROW_UNKNOWN: none was given */
    int64_t start_us;
    int64_t time_us; /* from its start to its end, or to the last time it was seen */
    uint8_t end;     /* enum row_end */
};

struct draft_task {
    struct row_text name;
    uint32_t phase;
    uint32_t attempt, attempts; /* the first one, and how many */
    int64_t input_bytes, output_bytes;
    struct row_text parents; /* parent tasks, if known by task */
    struct row_text hosts;   /* of its input, if known */
    bool is_declared;        /* it is a task even without attempts */
    uint64_t where;
};

struct draft_phase {
    struct row_text key, name;
    uint32_t task, tasks; /* the first one, and the number that rows name */
    int64_t declared;     /* number according to the trace; ROW_UNKNOWN */
    int64_t mean_us, span_us, limit_us, input_bytes, output_bytes;
    double cpu, mem;
    bool is_share, is_mem_share, is_gang;
    uint8_t end; /* enum row_end; ROW_WAITING: no row says that it began */
    struct row_text parents;
    uint32_t edge, edges; /* the first one, and how many */
    uint64_t where;
};

struct draft {
    struct row_text job, name, user, queue, app;
    int64_t submit_us; /* ROW_UNKNOWN: no row has a time */
    uint64_t where;
    bool has_task_parents, has_hosts;
    VEC(struct draft_phase) phases;
    VEC(struct draft_task) tasks;       /* by phase */
    VEC(struct draft_attempt) attempts; /* by task, in order of time */
    VEC(uint32_t) edges;                /* phases above, by phase */
};

/* The state that all jobs of a trace share while they are assembled. */
struct draft_context {
    struct assume *assume;
    struct trouble *trouble;
    struct survey *survey;
};

/* Empties the draft and keeps its memory for the next job. */
static inline void draft_clear(struct draft *d)
{
    vec_clear(&d->phases);
    vec_clear(&d->tasks);
    vec_clear(&d->attempts);
    vec_clear(&d->edges);
    d->job = d->name = d->user = d->queue = d->app = (struct row_text){0};
    d->submit_us = ROW_UNKNOWN;
    d->where = 0;
    d->has_task_parents = d->has_hosts = false;
}

static inline void draft_fini(struct draft *d)
{
    vec_free(&d->phases);
    vec_free(&d->tasks);
    vec_free(&d->attempts);
    vec_free(&d->edges);
}

/* Finds the phases that each phase reads, and sorts phases so that those precede it. If parents are
 * known by task, tasks are grouped again: those of one phase and one level (the longest way from a
 * task without parents) are a phase. In draft_graph.c. */
void draft_graph(struct draft *d, struct draft_context *c);

/* The times of the attempts of a phase: `times` by task, of which from[0..tasks] are the
 * beginnings. */
struct draft_times {
    VEC(int64_t) times;
    VEC(uint32_t) from;
    struct recorded_done done;
};
/* Appends the times of the attempts of the phase, drawing the rest of those that were cut short,
 * and reports them to the survey. In draft_times.c. */
void draft_times(struct draft_times *to, const struct draft *d, uint32_t phase, uint32_t tasks,
                 struct draft_context *c);

/* The time of a task of a phase without times of its own, if the phase had not ended when `seen_us`
 * of it were seen: drawn like the time of an attempt, once for all of its tasks, up to the phase's
 * limit. -1: it had ended, or is to count as if. In draft_times.c. */
int64_t draft_times_cut(const struct draft *d, uint32_t phase, int64_t seen_us,
                        struct draft_context *c);

/* Makes jobs of drafts. In draft_job.c. */
struct draft_job;
struct draft_job *draft_job_create(void);
void draft_job_destroy(struct draft_job *s);
/* Appends the job as job_pack bytes. Returns false if the draft is not a valid job (counted in
 * draft_context.trouble). */
bool draft_job_make(struct draft_job *s, const struct draft *d, struct draft_context *c,
                    struct row_bytes *to, int64_t *arrived_us);
