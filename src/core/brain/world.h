/* world.h - all that the brain knows at an instant. Policies read it and never write it.
 *
 * Owned by the brain. Jobs, phases and tasks of a job live in one block that is freed when the job
 * is over and its last attempt has ended; attempts live in a pool and are referred to by their
 * index in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/pool.h"
#include "base/vec.h"
#include "base/window.h"
#include "core/brain/queue.h"
#include "core/brain/recall.h"
#include "core/match/match.h"
#include "core/model/decision.h"
#include "core/model/id.h"
#include "core/model/job.h"
#include "core/model/res.h"

#define ATTEMPT_NONE UINT32_MAX

enum node_state { NODE_UNKNOWN, NODE_UP, NODE_SUSPECT, NODE_DRAIN, NODE_DOWN };

struct node {
    struct res capacity, free; /* free may be negative after capacity shrank */
    uint32_t rack;
    uint32_t live; /* attempts that hold resources here */
    uint8_t state; /* enum node_state */
    int64_t avoid_until_us;
    int64_t pressed_until_us; /* no clones until then; INT64_MAX: until its body reports the end */
    int32_t disk, memory;     /* ... and its last values (event `pressure`) */
    bool trial; /* after a fault and a rest it gets one attempt until one shows that it works */
    uint32_t newest_extra;  /* head of the list of live clones and backups here, if it is kept */
    int64_t extra_ended_us; /* when one has ended last; -1: never */
    /* Since it last was up: attempts that succeeded here, and the slot-seconds for which it took
     * attempts until its last change, at changed_us. */
    uint64_t finished;
    double offered_s;
    int64_t changed_us;
};

enum attempt_state {
    ATTEMPT_LAUNCHING,
    ATTEMPT_RUNNING,
    ATTEMPT_ENDED,    /* has stopped and holds no room; its ending is not reported yet */
    ATTEMPT_FINISHED, /* holds no resources; its output is kept until won or discarded */
};

struct attempt {
    struct job *job;
    uint32_t task;
    uint16_t phase, ordinal;
    struct node_id node;
    uint32_t next;       /* next attempt of the task, in launch order; or next free entry */
    uint8_t kind;        /* enum launch_kind */
    uint8_t state;       /* enum attempt_state */
    bool unwanted;       /* it should end ... */
    bool asked;          /* ... and a kill or withdraw is on its way ... */
    uint16_t stop_why;   /* ... for this reason (enum reason_code) */
    bool source : 1;     /* finished, and kept for readers in addition to the committed output */
    bool barred : 1;     /* ... but could not be committed: it takes no new readers */
    bool stale : 1;      /* it may have read an input that has changed: it must not win */
    bool spare : 1;      /* launched although its task was done: in case that output is lost */
    bool reported : 1;   /* it has reported its progress, which is `score` */
    bool dying;          /* a clone that counts in clone_dying */
    uint32_t checksum;   /* of its output, once ready (output_mark) */
    uint32_t running_at; /* its index in world.running, if that is kept */
    union {
        double score;   /* share of its work that was done at its last report, if there was any; */
        double left_s;  /* else, when it is to end because it is slow, how long it had to go; */
        int64_t ran_us; /* in ATTEMPT_ENDED: from start to end */
    };
    int64_t launched_us;
    union {
        int64_t started_us; /* while it runs */
        int64_t took_us;    /* from start to end, once it has finished */
    };
};
_Static_assert(sizeof(struct attempt) <= 64, "one cache line");

/* A live attempt's neighbours in the order of launches; ATTEMPT_NONE at the ends. */
struct copy_link {
    uint32_t newer, older;
};

/* The last report of an attempt, unchanged. */
struct progress {
    int64_t at_us;       /* when */
    int64_t done, total; /* total 0: it has never reported */
};

enum task_state {
    TASK_WAITING,    /* for the phases above */
    TASK_PENDING,    /* to be launched */
    TASK_ACTIVE,     /* has live attempts, or will be pending when the last dying one is gone */
    TASK_COMMITTING, /* the commit of a finished attempt is on its way */
    TASK_DONE,
    TASK_LOST,     /* was done, its output is gone, and is not needed now */
    TASK_GIVEN_UP, /* failed too often, and the job can do without it */
};

struct task {
    uint32_t attempts; /* index of the oldest one kept, ATTEMPT_NONE: none */
    uint16_t launches;
    uint16_t ordinals; /* the next one; those of all copies are counted in the lead */
    uint16_t winner;   /* ordinal of the committed (or committing) attempt */
    uint8_t state;     /* enum task_state */
    uint8_t live;      /* attempts whose ending was not reported yet */
    uint8_t finished;  /* attempts that finished and are neither won nor discarded */
    uint8_t failures;
    uint8_t clones;     /* launched since the phase began */
    bool recompute : 1; /* it had been done before */
    bool stale : 1;     /* the output being committed was made from an input that has changed */
    bool unqueued : 1;  /* its clones that were not launched have left the queue */
    bool backed : 1;    /* the first attempt to finish was a backup */
    bool spent : 1;     /* it has failed as often as it may: no new attempt starts */
    uint32_t checksum;  /* of the committed output (output_mark) */
    float took_us;      /* from start to finish of the committed attempt */
};
_Static_assert(sizeof(struct task) == 24, "there is one for every task of every live job");

/* The part of an output's checksum that is kept: it is only compared for equality. */
static inline uint32_t output_mark(uint64_t checksum)
{
    return (uint32_t)(checksum ^ checksum >> 32);
}

/* A committed output. */
struct output {
    int64_t bytes;
    struct node_id node;
};

/* The result of an ended attempt, for the statistics of its node and its kind. */
struct phase_sample {
    float per_byte; /* us (attempt_shown_us); negative: it was stopped, unfinished */
    struct node_id node;
};

/* The times of a phase's tasks (core/brain/expect.h); of a lead only. */
struct task_times {
    int64_t declared_us, declared_dev_us; /* by the submitter; 0: unknown */
    struct moments own;                   /* of its tasks that are done */
    uint32_t history;                     /* entry of world.recall, or RECALL_NONE */
    bool taught;                          /* which its own have entered */
};

struct phase {
    struct job *job;
    struct task *tasks;
    uint32_t count;
    uint16_t index;
    uint16_t edge_count, consumer_count;
    const struct edge_spec *edges;
    const uint16_t *consumers; /* phases that read this one */
    struct res demand;
    uint32_t fit;         /* number of the demand in world.fit */
    uint64_t place_trunk; /* of the random numbers that placement begins with */
    int64_t input_bytes;
    const int64_t *input_each; /* or NULL */
    /* Where task t's input is: replicas[replica_from[t]] .. replicas[replica_from[t + 1] - 1];
     * NULL: unknown. */
    const uint32_t *replica_from;
    const struct node_id *replicas;
    bool clone_never;
    /* Times of earlier runs, newest first, and of how many attempts then how many straggled. */
    const int64_t *past_us;
    uint32_t past_count, past_seen, past_straggled;

    struct queued_phase queued;
    uint32_t live;                       /* attempts whose ending was not reported yet */
    uint32_t pending_count;              /* tasks in TASK_PENDING */
    uint32_t done, lost;                 /* tasks in TASK_DONE, TASK_LOST */
    uint32_t given_up, failures_allowed; /* tasks in TASK_GIVEN_UP, and how many may be */
    uint32_t incomplete;                 /* tasks that were never done and may still be */
    bool open;                           /* the phases above are there: tasks may be launched */
    bool started; /* mitigation has decided about it, before its first task ran */

    uint16_t copies; /* attempts per task that it was offered; 1: no clones */
    bool cloned;     /* one was launched: extra attempts but backups are charged to the budget */
    uint64_t clones_queued; /* that wait, and that their tasks still want */

    bool early;         /* it may start before a phase above is done */
    bool early_readers; /* a phase that reads it may */
    bool piecewise;     /* early, and each task starts when its inputs are done */
    bool stuck;         /* yield.c: it is noted as waiting for the job's running_max */
    bool fill_due;      /* todo.c: readers may be waiting for new sources */
    bool prepared;      /* launch.c: the seam `place` was asked for place_state */

    VEC(struct phase_sample) samples; /* ended attempts, kept until the phase has finished once */
    bool measured;                    /* ... which it has */
    double median;                    /* time per byte of the finished ones */
    struct task_times times;          /* kept for policies that set reads_expected */

    int64_t *won_us;        /* commit time of each task; NULL: the seam `shuffle` never reads it */
    struct output *outputs; /* of each task, once committed; NULL: none, or no part reads them */
    /* Bytes that tasks above have written for each task here, and in all, as far as their
     * partitions were reported; NULL: never. And of each task here, whether its own partitions were
     * reported, and how many; NULL and 0: never. */
    int64_t *read_bytes;
    int64_t read_sum;
    bool *parted;
    uint32_t partition_count;
    void *place_state; /* one block of the seam `place`, made by its hook, freed with the job */
    void *guard;       /* the same of the seam `protect` */
};

/* The bandwidth that a rack's links to the others still had when last measured, in bytes per
 * second; 0: never measured. */
struct rack_link {
    double up, down;
};

/* The result of an order for a job, for mitigation and for explanations. */
struct standing {
    uint32_t rank;   /* jobs of one rank are equals; 0: this order has none */
    uint32_t copies; /* of its tasks that the rank counts on; 0: it has none */
    double volume;   /* of the unfinished part: expected seconds x dominant share of the cluster */
    double time_s;   /* expected time along the longest unfinished path */
    double score;    /* unfinished work in the measure of the seam `place` (tetris) */
    /* volume and time come from declared times: its own progress and the cluster change them, but
     * not the times of other jobs */
    bool declared;
};

/* The sums of the jobs of a group (see the seam `order`). */
struct group {
    struct res_sum held;   /* by their live attempts ... */
    struct res_sum clones; /* ... and by the clones among them */
    bool stale;            /* the use has changed since the order was asked about the group ... */
    bool moved;            /* ... and without clones, since queue_groups_ease checked it */
};

enum job_state { JOB_LIVE, JOB_DONE, JOB_FAILED };

struct job {
    void *block; /* the block of all its data */
    struct job_id id;
    uint8_t state; /* enum job_state */
    uint16_t phase_count;
    struct phase *phases;
    uint32_t weight, running_max;
    uint32_t name_hash, user_hash, queue_hash;
    uint32_t group;   /* that the seam `order` put it in */
    uint32_t queued;  /* its phases that wait: once for first attempts, once for clones */
    uint32_t unkeyed; /* its place among those with old keys, from 1 on; 0: it has none */
    uint32_t app;     /* of its application, among world.recall, or RECALL_NONE */
    uint64_t tasks;
    bool early;           /* a phase may start before one above is done */
    bool changed;         /* an output was made again and came out different */
    uint32_t live;        /* attempts that hold resources; of a lead: those of all copies */
    uint32_t kept;        /* attempts in the pool: live ones and finished ones */
    uint32_t busy;        /* unfinished tasks with a live attempt: what fair shares count */
    uint32_t leaves_left; /* phases without readers that are not done */
    int64_t submitted_us;
    struct res_sum held;      /* by its live attempts, those of a lead's copies too; kept for orders
                               * that follow it */
    struct standing standing; /* as the seam `order` last published it */
    void *note;               /* one block of that seam (decider_note) */

    /* A job that is cloned as a whole is one struct job for each copy (see job_copy.c). The lead
     * is in world.jobs; copy counts from 1 on, 0: the job was never cloned. */
    struct job *lead;   /* NULL: this one is */
    struct job *copies; /* of a lead: the others, those that are dying too */
    struct job *next;   /* in that list */
    uint16_t copy;
    bool holds;           /* finished outputs are kept, and nothing is committed yet */
    uint16_t commit_next; /* ... which is done phase by phase: the first one not asked for */
    uint32_t commits_due; /* commits that were asked for and not answered */
};

struct world {
    int64_t now_us;
    POOL(struct node) nodes;
    POOL(struct attempt) attempts;
    bool keeps_progress;            /* some policy reads it (reads_words) */
    POOL(struct progress) progress; /* by attempt, as far as any has reported */
    uint32_t attempt_free;          /* head of the free list */
    struct fit_index fit;           /* free resources of the nodes that take attempts */
    struct res_kinds kinds;         /* which resources are slots */
    struct res_sum capacity;        /* of all nodes that are not down */
    struct res largest;             /* of each resource the most that any of them has */
    struct res_sum used;            /* charged by live attempts */
    struct res_sum clone_held;      /* charged to the clone budget (task_charged) */
    struct res_sum clone_dying;     /* charged by clones that were asked to end */
    uint64_t clones_live,
        clones_dying;              /* how many hold resources, and how many of these are to end */
    struct res_sum clone_queued;   /* clones that wait to be launched */
    struct res_sum backups;        /* the part of `used` that backups hold */
    uint32_t newest_clone,         /* head of the list of live clones, and ... */
        newest_backup;             /* ... of that of live backups, ... */
    POOL(struct copy_link) copies; /* ... whose links lie here, by attempt */
    POOL(struct copy_link) extras; /* and those of the lists of nodes, if they are kept */
    bool keeps_extras;             /* some part reads node->extras */
    /* Running attempts in the order in which they started, ATTEMPT_NONE for one that has ended.
     * Kept for policies that set reads_running. */
    bool keeps_running;
    uint32_t running_gone; /* entries without an attempt */
    POOL(uint32_t) running;
    bool keeps_expected;         /* some policy reads expected times (reads_expected) ... */
    struct recall recall;        /* ... from jobs of the same name or application */
    int32_t spare, each;         /* cores left to clones, and the use of one (event `cores`) */
    struct node_set *grown;      /* notes nodes that have more free; NULL: not asked for ... */
    struct node_set *changed;    /* ... or less; the same */
    struct node_set *roomier;    /* ... or whose extras may make more room; the same */
    uint32_t live;               /* attempts that hold resources */
    VEC(struct group) groups;    /* by number, if the order has any */
    WINDOW(struct job) jobs;     /* by id */
    VEC(struct rack_link) racks; /* by rack, as far as any was measured */
};

/* The slot-seconds for which the node has taken attempts since it was last up. */
static inline double node_offered_s(const struct world *w, const struct node *n)
{
    struct res_sum all = {{0}};
    res_sum_plus(&all, &n->capacity);
    double since_s = n->state == NODE_UP ? (double)(w->now_us - n->changed_us) / 1e6 : 0;
    return n->offered_s + res_sum_slots(&w->kinds, &all) * since_s;
}

/* The lead of the job: itself, mostly. */
static inline struct job *job_lead(const struct job *j)
{
    return j->lead ? j->lead : (struct job *)(uintptr_t)j;
}

/* Returns true if the job runs as many attempts as it may. */
static inline bool job_is_full(const struct job *any)
{
    const struct job *j = job_lead(any);
    return j->running_max > 0 && j->live >= j->running_max;
}

static inline struct job *world_job(const struct world *w, struct job_id id)
{
    return window_find(&w->jobs, id.v);
}

static inline struct attempt *world_attempt(const struct world *w, uint32_t index)
{
    return &w->attempts.at[index];
}

/* The attempt of an index; NULL for ATTEMPT_NONE. */
static inline struct attempt *world_attempt_or_null(const struct world *w, uint32_t index)
{
    return index != ATTEMPT_NONE ? &w->attempts.at[index] : NULL;
}

/* Loops over the attempts of a task that are kept, oldest first. The body may end or forget `a`; it
 * may not launch another, since the pool may move then. */
#define FOR_ATTEMPTS(a, w, t)                                                                      \
    for (struct attempt *a = world_attempt_or_null(w, (t)->attempts), *a##_next;                   \
         a && (a##_next = world_attempt_or_null(w, a->next), true); a = a##_next)

/* Returns true if a live attempt of the task is on the node. */
static inline bool task_is_on(const struct world *w, const struct task *t, uint32_t node)
{
    FOR_ATTEMPTS (a, w, t)
        if (a->node.v == node && a->state != ATTEMPT_FINISHED)
            return true;
    return false;
}

/* The number of live attempts of a task, in all copies of its job if that is cloned as a whole. */
static inline uint32_t phase_live_attempts(const struct phase *p, uint32_t task)
{
    const struct job *lead = job_lead(p->job);
    uint32_t n = lead->phases[p->index].tasks[task].live;
    for (const struct job *j = lead->copies; j; j = j->next)
        n += j->phases[p->index].tasks[task].live;
    return n;
}

/* Returns the next running attempt, oldest first: begin with *cursor 0; ATTEMPT_NONE at the end.
 * They may not start or end meanwhile, which only events cause. */
static inline uint32_t world_next_running(const struct world *w, uint32_t *cursor)
{
    enum { AHEAD = 8 }; /* memory is slow, and the order of starts is not that of the pool */
    check(w->keeps_running);
    const uint32_t *at = w->running.at, count = w->running.count;
    for (uint32_t i = *cursor; i < count; i++) {
        if (count - i > AHEAD && at[i + AHEAD] != ATTEMPT_NONE)
            __builtin_prefetch(&w->attempts.at[at[i + AHEAD]]);
        if (at[i] == ATTEMPT_NONE)
            continue;
        *cursor = i + 1;
        return at[i];
    }
    return ATTEMPT_NONE;
}

/* Loops over the live clones, newest first. The body may ask them to end. */
#define FOR_CLONES(a, w) FOR_COPIES (a, w, (w)->newest_clone)

/* Loops over the live backups in the same way. */
#define FOR_BACKUPS(a, w) FOR_COPIES (a, w, (w)->newest_backup)

#define FOR_COPIES(a, w, newest)                                                                   \
    for (struct attempt *a = world_attempt_or_null(w, newest); a;                                  \
         a = world_attempt_or_null(w, (w)->copies.at[a - (w)->attempts.at].older))

/* The live clone that was launched before this one, or ATTEMPT_NONE. */
static inline uint32_t world_older_clone(const struct world *w, uint32_t index)
{
    return w->copies.at[index].older;
}

/* The last report of the attempt, for policies that set reads_words. */
static inline struct progress world_progress(const struct world *w, const struct attempt *a)
{
    size_t index = (size_t)(a - w->attempts.at);
    check(w->keeps_progress);
    return index < w->progress.count ? w->progress.at[index] : (struct progress){0};
}

static inline struct attempt_ref attempt_ref_of(const struct attempt *a)
{
    return (struct attempt_ref){a->job->id, a->task, a->phase, a->ordinal};
}

/* The time that it has run, if it has started and not finished. */
static inline int64_t attempt_elapsed_us(const struct world *w, const struct attempt *a)
{
    return a->state == ATTEMPT_ENDED ? a->ran_us : w->now_us - a->started_us;
}

/* Returns true if it was launched in addition to one that its task has anyway. */
static inline bool attempt_is_extra(const struct attempt *a)
{
    return a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP;
}

static inline struct phase *attempt_phase(const struct attempt *a)
{
    return &a->job->phases[a->phase];
}

/* Returns true if it was launched in this very turn: a withdrawal would precede the answer to the
 * launch. */
static inline bool attempt_is_new(const struct world *w, const struct attempt *a)
{
    return a->state == ATTEMPT_LAUNCHING && a->launched_us == w->now_us;
}

/* Returns true if a phase that reads this one has work left. */
static inline bool phase_has_readers_left(const struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        const struct phase *reader = &p->job->phases[p->consumers[i]];
        if (reader->done + reader->lost + reader->given_up < reader->count)
            return true;
    }
    return false;
}

/* The bytes that the task reads of other tasks' outputs, and at least the average of the phase: a
 * task with hardly anything to read spends most of its time otherwise. 0: no partitions were
 * reported. */
static inline int64_t phase_read_bytes(const struct phase *p, uint32_t task)
{
    if (!p->read_bytes)
        return 0;
    int64_t mean = p->read_sum / p->count;
    return p->read_bytes[task] > mean ? p->read_bytes[task] : mean;
}

/* The bytes that the task reads over the average; at least 1. */
static inline double phase_read_load(const struct phase *p, uint32_t task)
{
    return p->read_sum > 0 ? (double)phase_read_bytes(p, task) * p->count / (double)p->read_sum : 1;
}

/* The bytes of external input of the task. */
static inline int64_t phase_own_bytes(const struct phase *p, uint32_t task)
{
    return p->input_each ? p->input_each[task] : p->input_bytes;
}
/* The bytes of external input, plus shuffle bytes known so far. */
static inline int64_t phase_task_bytes(const struct phase *p, uint32_t task)
{
    return phase_own_bytes(p, task) + phase_read_bytes(p, task);
}

/* Returns true for a task without a finished attempt: one live attempt of it is needed, the others
 * are extra. */
static inline bool task_is_open(const struct task *t)
{
    return t->finished == 0 && t->state < TASK_COMMITTING;
}

/* The number of attempts of the task that hold resources beyond the one that is needed. */
static inline uint32_t task_extra(const struct task *t)
{
    uint32_t needed = task_is_open(t) ? 1 : 0;
    return t->live > needed ? t->live - needed : 0;
}

/* Returns true if the attempt is a fair sample of straggling. Backups are not: they are made of
 * slow tasks, often for a reason of the task's own. */
static inline bool attempt_is_fair(const struct attempt *a)
{
    return a->kind != LAUNCH_BACKUP;
}

/* The time that an ending attempt has run. One that is ended because it is slow counts with the
 * time it would have taken at its pace or, if it never reported, with the time that the policy
 * which ended it expected. */
int64_t attempt_shown_us(const struct world *w, const struct attempt *a, bool finished);

/* Returns true if the task would still have a wanted attempt without this one. (One that could not
 * be committed does not count, although it may be kept for its readers.) */
bool attempt_is_spare(const struct world *w, const struct attempt *a);
