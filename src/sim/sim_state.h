/* sim_state.h - private to src/sim: what a simulated cluster consists of.
 *
 * Everything is referred to by small numbers, so that a queue entry is 16 bytes and an attempt 32:
 *
 *     job id --window--> sim_job --> sim_phase --> sim_task --first--> attempt --> attempt ...
 *                                        sim_node ------------first--> attempt <-> attempt ...
 *
 * An attempt (struct sim_attempt) is one from its launch on and, when it ends well, the output that
 * it leaves behind. Its state changes at the moment the event about it is written, never before.
 *
 * Reading order, from the ground up: each file calls only those above it, which tools/tidy proves.
 *
 *     luck.c         how long an attempt takes; ideal.c: the same in worlds without some trouble
 *     sim_answer.c   how a decision is answered: with a refusal, or later
 *     sim_timer.c    timers that the brain sets
 *     sim_content.c  what outputs consist of; sim_source.c: where they lie
 *     sim_job.c      jobs are submitted, and freed when the brain and their attempts are done
 *     sim_input.c    the input of jobs, read over the network
 *     sim_reader.c   what an attempt reads, and has under way
 *     sim_attempt.c  the pool of attempts, and how they end
 *     sim_report.c   progress reports; sim_beat.c: how often they come; sim_round.c: those that are
 *                    due at the same moment
 *     sim_launch.c   attempts are launched and start
 *     sim_feed.c     readers get their inputs
 *     sim_batch.c    what a fetch has on its way
 *     sim_spoil.c    nodes that silently lose the outputs they keep
 *     sim_fetch.c    reads under way
 *     sim_output.c   commits, losses, replicas
 *     sim_flow.c     flows and reads arrive
 *     sim_read.c     which attempt may read what; sim_read.h: how reading takes time
 *     sim_node.c     nodes have room for attempts, fail and return
 *     sim_sample.c   what the links between racks could still carry
 *     sim.c          the body: a queue of future entries, a batch of present events */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/pool.h"
#include "base/timeq.h"
#include "base/vec.h"
#include "base/window.h"
#include "core/model/decision.h"
#include "core/model/event.h"
#include "sim/luck.h"
#include "sim/sim.h"

/* ---- the parts ---- */

enum sim_attempt_state {
    SIM_FREE,
    SIM_LAUNCHING,  /* launched, not started */
    SIM_RUNNING,    /* started */
    SIM_DYING,      /* still running; a kill is on its way */
    SIM_ENDED,      /* runs no more; how it ended is told when its node has lived on */
    SIM_FINISHED,   /* an output that is not committed */
    SIM_COMMITTING, /* ... whose commit is on its way */
    SIM_COMMITTED,  /* the task's output, or a replica of it */
    SIM_SPOILT,     /* the same, but its bytes are gone, which no reader has met yet */
};

#define NO_ATTEMPT 0 /* index 0 is never used, so zeroed memory means "none" */

struct sim_attempt {
    int64_t started_us; /* meaningful from SIM_RUNNING on */
    struct attempt_ref at;
    uint32_t node;
    uint32_t task_next;       /* next attempt of the task, or of the free list */
    uint32_t generation : 28; /* rises when the index is freed; marks queue entries as stale */
    uint32_t state : 4;       /* enum sim_attempt_state */
};
_Static_assert(sizeof(struct sim_attempt) == 32, "one for every live attempt and every output");

/* The other attempts of its node. Only a node that fails or loses outputs needs them. */
struct sim_neighbours {
    uint32_t prev, next;
};

enum task_mark {
    TASK_OPEN,
    TASK_COMMITTED, /* its output is there */
    TASK_LOST,      /* it was, and was lost */
};

enum { ATTEMPT_BITS = 30 };

struct sim_task {
    uint32_t first : ATTEMPT_BITS; /* attempt; newest first */
    uint32_t mark : 2;             /* enum task_mark */
    uint16_t launched;             /* attempts so far, which is the next ordinal */
    uint16_t winner;               /* whose output was committed last */
};
_Static_assert(sizeof(struct sim_task) == 8, "one for every task of every live job");

struct sim_phase {
    const struct phase_spec *spec;
    const struct phase_truth *truth;
    struct sim_task *tasks;
    uint8_t *commit_fails;    /* of each task: keys the luck of the next try; NULL: none failed */
    uint32_t committed, lost; /* tasks with this mark */
    uint32_t spoilt;          /* outputs in SIM_SPOILT */
    bool leaf;                /* no phase reads it: its outputs are durable */
    struct luck_trunks luck;
    uint64_t content; /* trunk of the random numbers that stand for what its outputs consist of */
    double ideal;     /* ideal_measure, once it was needed; 0: not yet */
    int64_t beat_us;  /* of its attempts' reports (sim_beat.h), likewise */

    /* For reads that take time. */
    bool replicated;             /* some output is, or was */
    uint32_t commits;            /* ever */
    uint32_t read_wake;          /* when commits reach this, idle fetches look again */
    struct source_list *sources; /* where its outputs are, or NULL */
};

struct sim_job {
    struct workload_job *work; /* owned */
    uint32_t live;             /* attempts launched and not ended */
    bool over;                 /* the brain has ended it */
    uint32_t fetches;          /* first one under way */
    struct sim_phase phases[]; /* and behind them the tasks */
};

struct sim_node {
    struct res free; /* capacity that no attempt holds */
    double speed;    /* next to the rest, so that a launch reads one cache line */
    uint32_t first;  /* attempt; newest first; only where sim.nodes_fail */
    uint32_t failures : 29;
    uint32_t planned : 1; /* the cluster says when it fails */
    uint32_t ending : 1;  /* it is about to fail, and has ended its attempts */
    uint32_t up : 1;
};
_Static_assert(sizeof(struct sim_node) == 32, "never in two cache lines");

/* A node that loses outputs. */
struct sim_spoil {
    int64_t until_us; /* outputs that come here are lost until then */
    bool asleep;      /* its next bad window is not in the queue */
};

struct sim_timer {
    uint32_t id;
    uint32_t serial; /* distinguishes the valid queue entry from those of cancelled timers */
};

/* A progress report on its way. */
struct sim_report {
    uint32_t attempt;
    uint32_t generation;
    int64_t done, total;
    uint8_t stage;
};

struct event_pool {
    struct event *at;
    uint32_t count, cap;
};

struct sim {
    const struct cluster *cluster;
    struct cluster spared; /* the same, in an ideal world */
    enum ideal ideal;
    struct workload *workload;
    uint64_t seed;
    bool reports, samples;
    bool reading_matters; /* an attempt took what the reading says (inputs/workload/recorded.h) */
    bool asleep; /* what repeats without an event was put off because nothing else went on */

    int64_t now_us;
    struct timeq *queue;
    struct event_pool emitted; /* events of the next batch, being written */
    struct event_pool batch;   /* the batch that the caller holds */
    uint64_t event_count;
    uint64_t ahead;           /* the queue entry that was last seen to come next ... */
    struct hint hint;         /* ... and the hint that was given about it */
    bool partitions_reported; /* outputs were reported with partitions, to be freed */
    uint32_t spoils_vain;     /* bad windows since an attempt or a node changed */
    uint32_t idle_turns;      /* batches in a row that found nothing running and nothing to come */

    POOL(struct sim_attempt) attempts;
    POOL(struct sim_neighbours) links; /* by attempt; only where nodes_fail */
    POOL(struct luck_plan) plans;      /* by attempt, once a plan was asked for again ... */
    bool keeps_plans;                  /* ... from when on they are kept */
    uint32_t attempt_free;
    uint64_t live; /* attempts launched and not ended, of all jobs */

    POOL(struct sim_node) node_pool;
    struct sim_node *nodes;             /* all of the pool */
    struct res *resized;                /* what each holds; NULL: what the cluster says */
    struct sim_spoil *spoils;           /* by node; NULL: none loses outputs */
    bool nodes_fail;                    /* or lose outputs */
    uint32_t nodes_up, nodes_returning; /* how many are up; returns in the queue */

    WINDOW(struct sim_job) jobs; /* by id */
    uint32_t job_open;
    struct workload_job *next_job; /* drawn, not yet submitted; NULL at the end */

    const struct sim_outside *outside; /* the next one, and how many are left */
    uint32_t outside_count;

    VEC(struct sim_timer) timers; /* set and not fired, in no order */
    uint32_t timer_serial;

    struct sim_reads *reads; /* NULL: reading takes no time */
    uint64_t starved;        /* live attempts that wait for input, with nothing on its way */

    bool sample_asleep;
    int64_t sample_changed_us; /* when a sample was reported last */
    double *sampled; /* bytes per us last reported, up and down of each rack; NULL: no samples */

    struct sim_rounds *rounds; /* NULL without reports */
    bool reports_steady;       /* none is late or lost, no attempt waits for input */
    VEC(struct sim_report) flying;
    VEC(uint32_t) flying_free;
};

/* ---- the queue and the batch (sim.c) ---- */

enum entry_kind {
    ENTRY_START, /* up to ENTRY_ROT: about an attempt */
    ENTRY_READY,
    ENTRY_FINISH,
    ENTRY_FAIL,
    ENTRY_KILLED,
    ENTRY_COMMIT,
    ENTRY_REPORT,
    ENTRY_ROT,            /* its bytes go; or they have, and a read has met that */
    ENTRY_ROUND,          /* index into `rounds` */
    ENTRY_REPORT_ARRIVES, /* index into `flying` */
    ENTRY_NODE_FAILS,     /* node; in place of the generation enum node_failure */
    ENTRY_NODE_RETURNS,   /* node */
    ENTRY_SPOIL,          /* node */
    ENTRY_TIMER,          /* id */
    ENTRY_OUTSIDE,        /* 0: the next job arrives; 1: another event from outside;
                           * from 2 on: sim_node_press, of that number less 2 */
    ENTRY_SAMPLE,
    ENTRY_KINDS,
};
_Static_assert(ENTRY_KINDS <= 16, "a kind has four bits");

enum { ENTRY_GENERATION_MASK = (1 << 28) - 1 };

/* True if something runs that is not waiting for a decision, or will. Whatever repeats for ever
 * without an event stops while nothing does, or a stall would never be seen. */
static inline bool sim_hopes(const struct sim *s)
{
    return s->live > s->starved || s->next_job || s->outside_count > 0;
}

/* Puts an entry `delay_us` from now into the queue, at the latest at the end of time. */
static inline void sim_push(struct sim *s, int64_t delay_us, enum entry_kind kind,
                            uint32_t generation, uint32_t index)
{
    int64_t left_us = INT64_MAX - s->now_us;
    uint64_t payload = (uint64_t)kind << 60 | (uint64_t)generation << 32 | index;
    timeq_push(s->queue, s->now_us + (delay_us < left_us ? delay_us : left_us), payload);
}

static inline void sim_push_attempt(struct sim *s, int64_t delay_us, enum entry_kind kind,
                                    uint32_t i)
{
    sim_push(s, delay_us, kind, s->attempts.at[i].generation, i);
}

/* Writes an event of the next batch and returns it, so that the caller can add its numbers. */
static inline struct event *sim_emit(struct sim *s, uint8_t type, uint8_t cause,
                                     struct attempt_ref at, uint32_t node)
{
    pool_add(&s->emitted);
    struct event *e = &s->emitted.at[s->emitted.count - 1];
    *e = (struct event){.type = type, .cause = cause, .at = at, .node = {node}};
    return e;
}

/* ---- jobs (sim_job.c) ---- */

/* Draws the next job of the workload and queues its submission. */
void sim_job_draw(struct sim *s);

/* Submits the drawn job. */
void sim_job_submit(struct sim *s);

/* Marks the job, whose outputs are gone, as ended by the brain; frees it, unless attempts of it
 * live. */
void sim_job_over(struct sim *s, struct sim_job *job);

/* Counts an attempt of the job as ended; frees the job if that was all that kept it. */
void sim_job_attempt_ended(struct sim *s, struct sim_job *job);

/* Fills *err with the name of a job that waits, and for what. Returns -1. */
int sim_job_stalled(const struct sim *s, struct err *err);

/* Frees all jobs. */
void sim_job_fini(struct sim *s);

/* NULL for a job that is gone or was never submitted. */
static inline struct sim_job *sim_job_find(const struct sim *s, struct job_id id)
{
    return window_find(&s->jobs, id.v);
}

static inline struct sim_phase *sim_phase_of(const struct sim *s, struct attempt_ref at)
{
    return &sim_job_find(s, at.job)->phases[at.phase];
}

static inline struct sim_task *sim_task_of(const struct sim *s, struct attempt_ref at)
{
    return &sim_phase_of(s, at)->tasks[at.task];
}

/* ---- nodes (sim_node.c) ---- */

/* Brings all nodes up and queues their first failures. */
void sim_node_init(struct sim *s);

/* Reports that the cluster's pressure `i` / 2 begins, or if `i` is odd ends. */
void sim_node_press(struct sim *s, uint32_t i);

enum node_failure {
    NODE_FAILS,         /* with attempts and outputs */
    NODE_RESTARTS,      /* the coordinator does, so outputs stay */
    NODE_RESTARTS_LAST, /* the same, once everything else of this instant has happened */
};

/* Takes a node down; brings it back. */
void sim_node_fails(struct sim *s, uint32_t node, enum node_failure how);
void sim_node_returns(struct sim *s, uint32_t node);

/* Returns what the node holds in all, free or not. */
const struct res *sim_node_capacity(const struct sim *s, uint32_t node);

/* Changes what the node holds in all, perhaps to less than its attempts have. Writes no event. */
void sim_node_resize(struct sim *s, uint32_t node, const struct res *capacity);

/* ---- timers (sim_timer.c) ---- */

/* Sets a timer, or moves one that is set; fires one that is due. */
void sim_timer_set(struct sim *s, const struct decision *d);
void sim_timer_due(struct sim *s, uint32_t id, uint32_t serial);

/* ---- answers (sim_answer.c) ---- */

/* Writes that the decision cannot be carried out. */
void sim_answer_refuse(struct sim *s, const struct decision *d, uint8_t cause);

/* Queues the entry of an attempt after a lag drawn from 0..max_us, which is above 0. Each lag has
 * its own place in the attempt's stream. */
enum lag { LAG_LAUNCH, LAG_KILL, LAG_COMMIT };
void sim_answer_lag(struct sim *s, uint32_t i, enum lag which, int64_t max_us,
                    enum entry_kind kind);

/* Does the same and returns true; or returns false if max_us is 0: the caller answers at once. */
static inline bool sim_answer_later(struct sim *s, uint32_t i, enum lag which, int64_t max_us,
                                    enum entry_kind kind)
{
    if (max_us <= 0)
        return false;
    sim_answer_lag(s, i, which, max_us, kind);
    return true;
}

/* ---- contents of outputs (sim_content.c) ---- */

/* Writes the event that precedes `finished`, for a phase that another one reads. */
void sim_content_ready(struct sim *s, const struct sim_attempt *x);

/* Frees the partitions that were reported with these events. */
void sim_content_forget(struct sim *s, const struct event *events, uint32_t count);

/* Returns how many bytes of an output of the phase are for this reader, of those that read a
 * partition of each. */
int64_t sim_content_partition(const struct sim_phase *phase, uint32_t readers, uint32_t task);

/* Returns the bytes of `count` outputs, of each of which a reader gets one of `shares` equal
 * partitions.
 */
int64_t sim_content_bytes(const struct sim_phase *upstream, uint32_t count, uint32_t shares,
                          uint32_t task);

/* ---- progress reports (sim_report.c) ---- */

/* Prepares the reports of a run. */
void sim_report_init(struct sim *s);

/* Plans the first report of an attempt that has just started. */
void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan);

/* Sends the report of one attempt that is due. */
void sim_report_due(struct sim *s, uint32_t i);
/* Sends the reports of all members of a round. */
void sim_report_round_due(struct sim *s, uint32_t round);
/* Delivers a late report. */
void sim_report_arrives(struct sim *s, uint32_t flying);

/* Resumes the reports of a reader that was silent. */
void sim_report_resume(struct sim *s, uint32_t i);

/* ---- launches (sim_launch.c) ---- */

/* Launches an attempt (DO_LAUNCH), which starts at once or after a lag. */
void sim_launch(struct sim *s, const struct decision *d);

/* Starts a launched attempt, or lets its launch fail. Does nothing if it has been withdrawn. */
void sim_launch_start(struct sim *s, uint32_t i);

/* ---- flows (sim_flow.c) ---- */

/* Returns the earliest time at which a flow may have arrived; INT64_MAX: never. */
int64_t sim_flow_next_us(struct sim *s);

/* Ends the flows and reads that have arrived by now. Returns false if none has. */
bool sim_flow_due(struct sim *s);
