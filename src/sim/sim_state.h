/* sim_state.h - private to src/sim: what a simulated cluster consists of.
 *
 * Everything is referred to by small numbers, so that a queue entry is 16 bytes and a live attempt
 * 32:
 *
 *     job id --window--> struct sim_job --> phase --> struct sim_task --first--> slot --> slot ...
 *                                            node ----------------------first--> slot <-> slot ...
 *
 * A slot is an attempt from its launch on and, when it ends well, the output it leaves behind. The
 * state of things changes at the moment the event about it is written, never before. */
#ifndef SIM_SIM_STATE_H
#define SIM_SIM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/pool.h"
#include "base/timeq.h"
#include "base/vec.h"
#include "model/decision.h"
#include "model/event.h"
#include "sim/luck.h"
#include "sim/sim.h"
#include "sim/sim_round.h"

/* ---- the parts ---- */

enum slot_state {
    SLOT_FREE,
    SLOT_LAUNCHING,  /* launched, not started */
    SLOT_RUNNING,    /* started */
    SLOT_DYING,      /* still running; a kill is on its way */
    SLOT_FINISHED,   /* an output nobody has committed */
    SLOT_COMMITTING, /* ... whose commit is on its way */
    SLOT_COMMITTED,  /* the task's output, or a replica of it */
    SLOT_SPOILT,     /* the same, but its bytes are gone, which nobody knows yet */
};

#define SLOT_NONE 0 /* slot 0 is never used, so zeroed memory means "no slot" */

struct slot {
    int64_t started_us; /* meaningful from SLOT_RUNNING on */
    struct attempt_ref at;
    uint32_t node;
    uint32_t task_next;       /* next slot of the task, or of the free list */
    uint32_t generation : 28; /* rises when the slot is freed; tells stale queue entries */
    uint32_t state : 4;       /* enum slot_state */
};
_Static_assert(sizeof(struct slot) == 32, "there is one for every live attempt and every output");

/* The other slots of its node. Only a node that fails asks for them. */
struct slot_links {
    uint32_t prev, next;
};

enum task_mark {
    TASK_OPEN,
    TASK_COMMITTED, /* its output is there */
    TASK_LOST,      /* it was, and was lost */
};

enum { SLOT_BITS = 30 };

struct sim_task {
    uint32_t first : SLOT_BITS; /* slot; newest first */
    uint32_t mark : 2;          /* enum task_mark */
    uint16_t launched;          /* attempts so far, which is the next ordinal */
    uint16_t winner;            /* whose output was committed last */
};
_Static_assert(sizeof(struct sim_task) == 8, "there is one for every task of every live job");

struct sim_phase {
    const struct phase_spec *spec;
    const struct phase_truth *truth;
    struct sim_task *tasks;
    uint8_t *commit_fails;    /* of each task: keys the luck of the next try; NULL: none failed */
    uint32_t committed, lost; /* tasks with this mark */
    uint32_t spoilt;          /* outputs that are gone, and nobody knows */
    bool leaf;                /* nobody reads it: its outputs are durable */
    double ideal;             /* ideal_measure, once it was asked for; 0: not yet */

    /* For reads that take time. */
    bool replicated;             /* some output is, or was */
    uint32_t commits;            /* ever */
    uint32_t read_wake;          /* when commits reach this, somebody wants to read */
    struct source_list *sources; /* where its outputs are, or NULL */
};

struct sim_job {
    struct workload_job *source; /* owned */
    uint32_t live;               /* attempts launched and not ended */
    bool over;                   /* the brain said so */
    uint32_t fetches;            /* first one under way */
    struct sim_phase phases[];   /* and behind them the tasks */
};

struct sim_node {
    struct res room; /* capacity that no attempt holds */
    double speed;    /* beside the rest, so that a launch looks at one place */
    uint32_t first;  /* slot; newest first; only where nodes fail */
    uint32_t failures : 31;
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
    uint32_t serial; /* tells the entry that counts from those of cancelled timers */
};

/* A progress report on its way. */
struct sim_report {
    uint32_t slot; /* or the next of the free list */
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
    bool asleep; /* what goes on by itself, without a word, was put off: nothing else went on */

    int64_t now_us;
    struct timeq *queue;
    struct event_pool told;  /* events of the next batch, being written */
    struct event_pool batch; /* the batch that the caller holds */
    uint64_t event_count;
    uint64_t ahead;      /* the queue entry that was last seen to come next ... */
    struct hint hint;    /* ... and what was told of it */
    uint32_t idle_turns; /* batches in a row that found nothing running and nothing to come */

    POOL(struct slot) slots;
    POOL(struct slot_links) links; /* by slot; only where nodes fail */
    uint32_t slot_free;
    uint64_t live; /* attempts launched and not ended, of all jobs */

    POOL(struct sim_node) node_pool;
    struct sim_node *nodes;   /* all of the pool */
    struct sim_spoil *spoils; /* by node; NULL: none loses outputs */
    bool nodes_fail;          /* or lose outputs */

    /* Jobs by id: jobs.at[id - job_from], NULL once gone. The first job_gone entries are NULL. */
    VEC(struct sim_job *) jobs;
    uint32_t job_from, job_gone, job_open;
    struct workload_job *next_job; /* drawn, not yet submitted; NULL at the end */

    VEC(struct sim_timer) timers; /* set and not fired, by id */
    uint32_t timer_serial;

    struct sim_reads *reads; /* NULL: reading takes no time */
    uint64_t starved;        /* live attempts that wait for input, with nothing on its way */

    bool sample_asleep;
    double *sampled; /* bytes per us last told, up and down of each rack; NULL: no samples */

    struct sim_rounds *rounds; /* NULL without reports */
    bool reports_steady;       /* none is late or lost, nobody waits for input */
    VEC(struct sim_report) flying;
    uint32_t flying_free; /* index + 1; 0: none */
};

/* ---- the queue (sim.c) ---- */

enum entry_kind {
    ENTRY_SUBMIT,
    ENTRY_START, /* from here to ENTRY_REPORT: about a slot */
    ENTRY_READY,
    ENTRY_FINISH,
    ENTRY_FAIL,
    ENTRY_KILLED,
    ENTRY_COMMIT,
    ENTRY_REPORT,
    ENTRY_ROUND,          /* index into `rounds` */
    ENTRY_REPORT_ARRIVES, /* index into `flying` */
    ENTRY_NODE_FAILS,     /* node */
    ENTRY_NODE_RETURNS,   /* node */
    ENTRY_TIMER,          /* id */
    ENTRY_SAMPLE,
    ENTRY_SPOIL, /* node */
    ENTRY_ROT,   /* slot: its bytes go; or they have, and a read has met that */
    ENTRY_KINDS,
};
_Static_assert(ENTRY_KINDS <= 16, "a kind has four bits");

enum { ENTRY_GENERATION_MASK = (1 << 28) - 1 };

/* Something runs that is not waiting for a decision, or will. Whatever repeats for ever without
 * telling anything stops while nothing does, or a stall would never be seen. */
static inline bool sim_hopes(const struct sim *s)
{
    return s->live > s->starved || s->next_job;
}

/* Puts an entry `delay_us` from now into the queue; times beyond the end of time are the end of
 * time. */
static inline void sim_push(struct sim *s, int64_t delay_us, enum entry_kind kind,
                            uint32_t generation, uint32_t index)
{
    int64_t room = INT64_MAX - s->now_us;
    uint64_t payload = (uint64_t)kind << 60 | (uint64_t)generation << 32 | index;
    timeq_push(s->queue, s->now_us + (delay_us < room ? delay_us : room), payload);
}

static inline void sim_push_slot(struct sim *s, int64_t delay_us, enum entry_kind kind, uint32_t i)
{
    sim_push(s, delay_us, kind, s->slots.at[i].generation, i);
}

/* Writes an event of the next batch and returns it, so that the caller can add its numbers. */
static inline struct event *sim_tell(struct sim *s, uint8_t type, uint8_t cause,
                                     struct attempt_ref at, uint32_t node)
{
    pool_add(&s->told);
    struct event *e = &s->told.at[s->told.count - 1];
    *e = (struct event){.type = type, .cause = cause, .at = at, .node = {node}};
    return e;
}

void sim_refuse(struct sim *s, const struct decision *d, uint8_t cause);

/* One of the lags of an attempt, drawn from 0..max_us; each keeps its place in the attempt's
 * stream. */
enum lag { LAG_LAUNCH, LAG_KILL, LAG_COMMIT };
int64_t sim_lag(const struct sim *s, struct attempt_ref at, enum lag which, int64_t max_us);

/* True with probability p, keyed by purpose and attempt; draws nothing for p <= 0. `try` tells
 * repeated draws of one attempt apart. */
bool sim_chance(const struct sim *s, uint32_t purpose, double p, struct attempt_ref at,
                uint32_t try);

/* ---- slots (sim_slot.c) ---- */

/* A slot in the lists of its task and its node. May move s->slots.at. */
uint32_t sim_slot_add(struct sim *s, struct sim_task *task, struct attempt_ref at, uint32_t node,
                      enum slot_state state);

/* Takes the slot out of its lists and frees it. Its job must still be there. */
void sim_slot_drop(struct sim *s, uint32_t i);

/* The slot of an attempt, or SLOT_NONE with the reason in *cause: CAUSE_ALREADY_ENDED, or
 * CAUSE_UNKNOWN_ATTEMPT if it was never launched. */
uint32_t sim_slot_find(const struct sim *s, struct attempt_ref at, uint8_t *cause);

static inline bool sim_slot_runs(const struct slot *x)
{
    return x->state == SLOT_RUNNING || x->state == SLOT_DYING;
}

/* True for attempts that have not ended. */
static inline bool sim_slot_lives(const struct slot *x)
{
    return x->state >= SLOT_LAUNCHING && x->state <= SLOT_DYING;
}

/* ---- jobs (sim_job.c) ---- */

/* Draws the next job of the workload and queues its submission. */
void sim_job_draw(struct sim *s);

/* The drawn job arrives. */
void sim_job_submit(struct sim *s);

/* DO_JOB_DONE, DO_JOB_FAILED: its outputs go at once, the rest with its last attempt. */
void sim_job_end(struct sim *s, const struct decision *d);

/* An attempt of the job ended; frees the job if that was all that kept it. */
void sim_job_attempt_ended(struct sim *s, struct sim_job *job);

/* Fills *err with who waits for what. Returns -1. */
int sim_job_stalled(const struct sim *s, struct err *err);

void sim_job_fini(struct sim *s);

/* NULL for a job that is gone or was never submitted. */
static inline struct sim_job *sim_job_find(const struct sim *s, struct job_id id)
{
    uint32_t place = id.v - s->job_from;
    return place < s->jobs.count ? s->jobs.at[place] : NULL;
}

static inline struct sim_phase *sim_phase_of(const struct sim *s, struct attempt_ref at)
{
    return &sim_job_find(s, at.job)->phases[at.phase];
}

/* ---- attempts (sim_attempt.c) ---- */

void sim_attempt_launch(struct sim *s, const struct decision *d);
void sim_attempt_withdraw(struct sim *s, const struct decision *d);
void sim_attempt_kill(struct sim *s, const struct decision *d);

/* What a queue entry says has happened to a slot; the caller has checked the generation. */
void sim_attempt_start(struct sim *s, uint32_t i);
void sim_attempt_finish(struct sim *s, uint32_t i);
void sim_attempt_fail(struct sim *s, uint32_t i);
void sim_attempt_killed(struct sim *s, uint32_t i);

/* The node of a live attempt is gone. */
void sim_attempt_lost(struct sim *s, uint32_t i);

/* A reader has all its input: the rest of its life begins. */
void sim_attempt_compute(struct sim *s, uint32_t i);

/* How long an attempt that has started has lived, without the time it waited and read. */
int64_t sim_attempt_lived_us(const struct sim *s, uint32_t i, const struct luck_plan *plan);

/* The plan of an attempt that has started. */
struct luck_plan sim_attempt_plan(const struct sim *s, uint32_t i);

/* ---- outputs (sim_output.c) ---- */

/* Told just before `finished`, for a phase that somebody reads. */
void sim_output_ready(struct sim *s, const struct slot *x);

void sim_output_commit(struct sim *s, const struct decision *d);
void sim_output_commit_due(struct sim *s, uint32_t i);
void sim_output_discard(struct sim *s, const struct decision *d);
void sim_output_replicate(struct sim *s, const struct decision *d);

/* What is stored there is gone, with its node (CAUSE_NODE_DOWN) or not (CAUSE_OUTPUT_GONE). */
void sim_output_lost(struct sim *s, uint32_t i, uint8_t cause);

/* Its job is over. */
void sim_output_forget(struct sim *s, uint32_t i);

/* The slot is a committed output, whether its bytes are there or not. */
static inline bool sim_slot_committed(const struct slot *x)
{
    return x->state == SLOT_COMMITTED || x->state == SLOT_SPOILT;
}

/* A copy of the output has arrived at the node. */
void sim_output_copied(struct sim *s, struct attempt_ref at, uint32_t node);

/* ---- outputs that are lost without a word (sim_spoil.c) ---- */

void sim_spoil_init(struct sim *s);
void sim_spoil_fini(struct sim *s);
void sim_spoil_wake(struct sim *s); /* after a sleep */

/* The node begins to lose outputs. */
void sim_spoil_due(struct sim *s, uint32_t node);

/* An output was committed or copied here: it may go the way of the others. */
void sim_spoil_new(struct sim *s, uint32_t i);

/* Its time has come: it is gone, which nobody knows; or that comes to light. At most one of these
 * is queued for an output that is there, since it goes before its window ends. */
void sim_spoil_rot(struct sim *s, uint32_t i);

/* Somebody reads the output of a task from a node, or from the nearest one (for NODE_NONE.v any):
 * if it is spoilt that is known from now on (`now`), or as soon as other things of this instant are
 * settled. True if no other copy is left. */
bool sim_spoil_read(struct sim *s, const struct sim_task *task, uint16_t attempt,
                    uint32_t reader_node, bool now);

/* ---- copies under way (sim_copy.c); without a network they take no time ---- */

void sim_copy_begin(struct sim *s, const struct decision *d);

/* The flow that carries a copy has ended; `copy` as in struct sim_flow. */
void sim_copy_arrived(struct sim *s, uint32_t copy);

/* The source of copies is gone, or a node to which some were on their way. */
void sim_copy_source_gone(struct sim *s, const struct slot *gone, uint8_t cause);
void sim_copy_target_gone(struct sim *s, uint32_t node);

/* ---- link samples (sim_sample.c) ---- */

void sim_sample_init(struct sim *s);
void sim_sample_fini(struct sim *s);
void sim_sample_wake(struct sim *s); /* after a sleep */

/* Tells how the links between racks are, where that has changed, and does so again later. */
void sim_sample_due(struct sim *s);

/* ---- reads (sim_read.c and the files of sim_read_state.h) ---- */

void sim_read_init(struct sim *s);
void sim_read_fini(struct sim *s);
void sim_read_assign(struct sim *s, const struct decision *d);
void sim_read_revoke(struct sim *s, const struct decision *d);

/* Bytes of `count` outputs, of each of which a reader gets one of `shares` equal parts. */
int64_t sim_read_bytes(const struct sim_phase *upstream, uint32_t count, uint32_t shares);

/* What an attempt reads and has read; NULL for one of a phase that reads nothing, and for all of
 * them without a network. Made at the launch and dropped at the end of the attempt. */
struct sim_reader *sim_reader_find(const struct sim *s, uint32_t i);
static inline struct sim_reader *sim_reader_of(const struct sim *s, uint32_t i)
{
    return s->reads ? sim_reader_find(s, i) : NULL;
}
void sim_reader_create(struct sim *s, uint32_t i);
void sim_reader_drop(struct sim *s, uint32_t i);

/* The start-up of a reader is over. */
void sim_reader_ready(struct sim *s, uint32_t i);

/* Bytes that have arrived (0 for others than readers), and that will have in the end. */
int64_t sim_reader_bytes(const struct sim *s, uint32_t i);
int64_t sim_reader_need_bytes(const struct sim *s, uint32_t i);

/* What it reads is the input of its job. */
bool sim_reader_reads_input(const struct sim *s, uint32_t i);

/* A node is down, and so are the attempts on it: those elsewhere that read a job's input from it go
 * on from another one. */
void sim_input_node_down(struct sim *s, uint32_t node);

/* When it had all its input; -1: it has not. */
int64_t sim_reader_compute_us(const struct sim *s, uint32_t i);

/* It waits for input, and none is on its way. */
bool sim_reader_starved(const struct sim *s, uint32_t i);

/* The same; and it sends no reports from now on until it is fed. */
bool sim_reader_falls_silent(struct sim *s, uint32_t i);

/* A reader begins to fetch, as soon as it is ready. */
void sim_fetch_add(struct sim *s, uint32_t reader, uint16_t input, struct attempt_ref source);

/* Ends a fetch without a word. False if there is none. */
bool sim_fetch_revoke(struct sim *s, uint32_t reader, struct attempt_ref source);

/* The earliest time at which bytes may have arrived; INT64_MAX: never. */
int64_t sim_fetch_next_us(struct sim *s);

/* Whatever has arrived by now; false if nothing has. */
bool sim_fetch_due(struct sim *s);

/* The phase has reached read_wake. */
void sim_fetch_wake(struct sim *s, struct attempt_ref upstream);

/* An output, which was in this slot, is not there any more; `last`: nor anywhere else. */
void sim_fetch_source_gone(struct sim *s, const struct slot *gone, bool last);

/* An output, which was in this slot and perhaps in others, is not there any more because the brain
 * does not want it. Whoever reads it has to begin again. */
void sim_fetch_discarded(struct sim *s, const struct slot *gone);

/* Nobody gets anything any more. */
void sim_fetch_job_over(struct sim *s, const struct sim_job *job);

/* Forgets where the outputs of the phase are. */
void sim_source_forget(struct sim *s, struct sim_phase *phase);

/* ---- progress reports (sim_report.c) ---- */

void sim_report_init(struct sim *s);
void sim_report_fini(struct sim *s);

/* Queues the first report of an attempt that has just started. */
void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan);
void sim_report_due(struct sim *s, uint32_t i);
void sim_report_round_due(struct sim *s, uint32_t round);

/* A reader that was silent reports again. */
void sim_report_resume(struct sim *s, uint32_t i);
void sim_report_arrives(struct sim *s, uint32_t flying);

/* What reports count an attempt's progress in: its input bytes, or millionths where it has none. */
int64_t sim_report_total(const struct sim *s, struct attempt_ref at);

/* ---- nodes (sim_node.c) ---- */

/* All nodes come up now, and their first failures are queued. */
void sim_node_init(struct sim *s);
void sim_node_fails(struct sim *s, uint32_t node);
void sim_node_returns(struct sim *s, uint32_t node);

/* Room for one attempt. It is a programmer error of the brain to take more than there is. */
void sim_node_take(struct sim *s, uint32_t node, const struct res *demand);
void sim_node_release(struct sim *s, uint32_t node, const struct res *demand);

/* ---- timers (sim_timer.c) ---- */

/* Setting a timer that is set already moves it. Cancelling one that is not set does nothing. */
void sim_timer_set(struct sim *s, uint32_t id, int64_t at_us);
void sim_timer_cancel(struct sim *s, uint32_t id);
void sim_timer_due(struct sim *s, uint32_t id, uint32_t serial);

#endif
