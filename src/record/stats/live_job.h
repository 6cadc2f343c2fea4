/* live_job.h - the facts of a job for statistics, until it is over and its last attempt has ended.
 *
 * Plain data that record/stats/follow.c keeps and its subscribers read: a window of jobs by id,
 * their tasks in one block per job, and a pool of attempts. Code for every event is inline. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/vec.h"
#include "base/window.h"
#include "core/model/job.h"

#define LIVE_NONE UINT32_MAX      /* no attempt */
#define LIVE_NO_WINNER UINT16_MAX /* no ordinal: launches of a task are fewer */
enum { LIVE_OWNERS = 4 }; /* number of subscribers that may keep their own data about a job */

struct live_task {
    int64_t launched_us; /* its first launch; -1: not yet */
    int64_t won_us;      /* when the first attempt that was committed ended; below 0: none was */
    uint32_t attempts;   /* index of the newest one kept, or LIVE_NONE */
    uint16_t live;       /* attempts launched and not ended */
    uint16_t winner;     /* ordinal of the attempt that is committed and whose output is kept */
};
_Static_assert(sizeof(struct live_task) == 24, "there is one for every task of every live job");

struct live_phase {
    struct live_task *tasks;
    uint32_t count;
    struct res demand; /* of one attempt */
    int64_t input_bytes;
    const int64_t *input_each; /* or NULL */
};

struct live_job {
    struct job_id id;
    bool measured;
    bool over;     /* decided to be done or failed */
    uint64_t live; /* attempts launched and not ended */
    uint64_t tasks;
    int64_t arrived_us, wrapup_us;
    struct res_sum held, extra; /* by its attempts now, and of that by extra ones; 0 unless a
                                 * subscriber reads them (reads_job_sums) */
    void *own[LIVE_OWNERS];     /* of subscribers; NULL at first */
    uint16_t phase_count;
    struct live_phase phases[];
};

/* An attempt that has not ended, or that finished and may still win. For a task's first attempt
 * everything is known from the task, so it is kept only if a subscriber needs it (follow_keep). */
struct live_attempt {
    int64_t launched_us;
    int64_t started_us; /* -1: not yet, or not known */
    int64_t ended_us;   /* -1: not yet */
    int64_t left_us;    /* when it was reported to run no more, before its end; -1: it was not */
    uint32_t next;      /* older attempt of the task, or next free one */
    uint16_t ordinal;
    uint8_t kind; /* enum launch_kind */
    /* For subscribers that keep it; 0 at first. */
    bool copy;
    uint32_t node;
    uint32_t row[LIVE_OWNERS]; /* of subscribers: where they have more of it */
    int64_t fetch_us;          /* its longest fetch */
};

/* Zero-initialise; free with live_jobs_fini. */
struct live_jobs {
    WINDOW(struct live_job) window; /* by id */
    VEC(struct live_attempt) pool;
    uint32_t free_count; /* free ones, chained from free_head */
    uint32_t free_head;
};

void live_jobs_fini(struct live_jobs *l);

/* Copies the needed part of the job; its id must be above all earlier ones (checked). */
struct live_job *live_jobs_add(struct live_jobs *l, const struct job_spec *spec, bool measured);

/* Returns the job, or NULL if it is gone or was never added. */
static inline struct live_job *live_jobs_find(const struct live_jobs *l, struct job_id id)
{
    return window_find(&l->window, id.v);
}

/* The job, phase and task of an event or decision; job NULL if the job is gone. */
struct live_place {
    struct live_job *job;
    struct live_phase *phase;
    struct live_task *task;
};

/* Finds it. Returns false if the job exists and has no such phase or task. */
static inline bool live_jobs_place(const struct live_jobs *l, struct attempt_ref at,
                                   struct live_place *p)
{
    *p = (struct live_place){live_jobs_find(l, at.job), NULL, NULL};
    if (!p->job)
        return true;
    if (at.phase >= p->job->phase_count || at.task >= p->job->phases[at.phase].count)
        return false;
    p->phase = &p->job->phases[at.phase];
    p->task = &p->phase->tasks[at.task];
    return true;
}

/* Number of extra attempts of the task: those beyond one while it has no winner, all of them once
 * it has one. */
static inline int64_t live_extra(const struct live_place *p)
{
    int64_t needed = p->task->winner == LIVE_NO_WINNER ? 1 : 0;
    int64_t extra = p->task->live - needed;

    return extra > 0 ? extra : 0;
}

/* Duration of a task that was won: from its first launch to its first winner's end, at least 1. */
static inline double live_task_took_us(const struct live_task *t)
{
    int64_t took_us = t->won_us - t->launched_us;
    return (double)(took_us > 0 ? took_us : 1);
}

/* Its input, at least 1: a time per byte divides by it. */
static inline double live_task_bytes(const struct live_phase *p, uint32_t task)
{
    int64_t bytes = p->input_each ? p->input_each[task] : p->input_bytes;
    return (double)(bytes > 0 ? bytes : 1);
}

/* Forgets the job and its attempts. */
void live_jobs_drop(struct live_jobs *l, struct live_job *j);

/* Adds an attempt to its task; it becomes its newest. Valid until the next one is added. */
struct live_attempt *live_jobs_attempt_add(struct live_jobs *l, struct live_task *t,
                                           uint16_t ordinal, int64_t now_us);

/* Returns the attempt, or NULL. Valid until the next one is added. */
struct live_attempt *live_jobs_attempt_find(struct live_jobs *l, const struct live_task *t,
                                            uint16_t ordinal);

/* Return the newest attempt of a task that is kept, and the next older one; NULL: there is none. */
static inline const struct live_attempt *live_jobs_newest(const struct live_jobs *l,
                                                          const struct live_task *t)
{
    return t->attempts == LIVE_NONE ? NULL : &l->pool.at[t->attempts];
}

static inline const struct live_attempt *live_jobs_older(const struct live_jobs *l,
                                                         const struct live_attempt *a)
{
    return a->next == LIVE_NONE ? NULL : &l->pool.at[a->next];
}

/* Forgets one attempt, which must exist. */
void live_jobs_attempt_drop(struct live_jobs *l, struct live_task *t, uint16_t ordinal);
