/* sim_attempt.h - private to src/sim: attempts, the outputs they leave, and how these are lost. */
#pragma once

#include "sim/sim_state.h"

/* ---- attempts (sim_attempt.c) ---- */

/* Adds an attempt to the lists of its task and its node, and returns its index. May move
 * s->attempts.at. */
uint32_t sim_attempt_add(struct sim *s, struct sim_task *task, struct attempt_ref at, uint32_t node,
                         enum sim_attempt_state state);

/* Removes an attempt of the phase from its lists and frees its index. */
void sim_attempt_drop_from(struct sim *s, struct sim_phase *phase, uint32_t i);

/* Does the same where the phase is not at hand. Its job must still exist. */
static inline void sim_attempt_drop(struct sim *s, uint32_t i)
{
    sim_attempt_drop_from(s, sim_phase_of(s, s->attempts.at[i].at), i);
}

/* The index of an attempt, or NO_ATTEMPT with the reason in *cause: CAUSE_ALREADY_ENDED, or
 * CAUSE_UNKNOWN_ATTEMPT if it was never launched. */
uint32_t sim_attempt_find(const struct sim *s, struct attempt_ref at, uint8_t *cause);

static inline bool sim_attempt_runs(const struct sim_attempt *x)
{
    return x->state == SIM_RUNNING || x->state == SIM_DYING;
}

/* Returns true for attempts whose ending was not reported. */
static inline bool sim_attempt_lives(const struct sim_attempt *x)
{
    return x->state >= SIM_LAUNCHING && x->state <= SIM_ENDED;
}

/* Returns true for those of them that may still read. */
static inline bool sim_attempt_reads(const struct sim_attempt *x)
{
    return x->state >= SIM_LAUNCHING && x->state <= SIM_DYING;
}

/* Ends a running attempt because its node is about to fail; does nothing for others. */
void sim_attempt_node_ends(struct sim *s, uint32_t i);

/* Performs DO_WITHDRAW. */
void sim_attempt_withdraw(struct sim *s, const struct decision *d);
/* Performs DO_KILL. */
void sim_attempt_kill(struct sim *s, const struct decision *d);

/* Ends an attempt that was launched and has not started. */
void sim_attempt_launch_failed(struct sim *s, uint32_t i, uint8_t cause);

/* Queues the end of an attempt of the phase that has lived for `lived_us`, or the end of its
 * start-up if no more is certain. */
void sim_attempt_push_end(struct sim *s, const struct sim_phase *phase, uint32_t i,
                          const struct luck_plan *plan, int64_t lived_us);

/* Ends an attempt well, when its entry of the queue is due; stale entries are recognised by its
 * state. */
void sim_attempt_finish(struct sim *s, uint32_t i);
/* Lets an attempt fail, when its entry is due. */
void sim_attempt_fail(struct sim *s, uint32_t i);
/* Ends a killed attempt, when its entry is due. */
void sim_attempt_killed(struct sim *s, uint32_t i);

/* Reports a live attempt as lost with its node. */
void sim_attempt_lost(struct sim *s, uint32_t i);

/* Handles the failure of an attempt's node. Returns true if the attempt is lost; else its end is
 * reported later, as it was recorded. */
bool sim_attempt_node_fails(struct sim *s, uint32_t i);

/* Begins the rest of the life of a reader that has all its input. */
void sim_attempt_compute(struct sim *s, uint32_t i);

/* The time that a started attempt has lived, without the time it waited and read. */
int64_t sim_attempt_lived_us(const struct sim *s, uint32_t i, const struct luck_plan *plan);

/* Works out the plan of an attempt of the phase that starts. */
struct luck_plan sim_attempt_make_plan(const struct sim *s, struct sim_phase *phase, uint32_t i);

/* Keeps that plan for sim_attempt_plan. Call if s->keeps_plans. */
void sim_attempt_keep_plan(struct sim *s, uint32_t i, const struct luck_plan *plan);

/* The plan of an attempt that has started, once more. */
struct luck_plan sim_attempt_plan(struct sim *s, uint32_t i);

/* ---- outputs (sim_output.c) ---- */

/* Returns true for a committed output, whether its bytes still exist or not. */
static inline bool sim_output_committed(const struct sim_attempt *x)
{
    return x->state == SIM_COMMITTED || x->state == SIM_SPOILT;
}

/* Performs DO_COMMIT, which ends at once or after a lag. */
void sim_output_commit(struct sim *s, const struct decision *d);
/* Ends a commit after its lag. */
void sim_output_commit_due(struct sim *s, uint32_t i);

/* Performs DO_DISCARD_OUTPUT: drops the output with all its replicas. */
void sim_output_discard(struct sim *s, const struct decision *d);

/* Drops an output that is lost, with its node (CAUSE_NODE_DOWN) or not (CAUSE_OUTPUT_GONE). */
void sim_output_lost(struct sim *s, uint32_t i, uint8_t cause);

/* Spoils a committed output: its bytes are gone; or, if it was spoilt, drops it as lost. At most
 * one of these is queued for an output, since it is removed before its window ends. */
void sim_output_rot(struct sim *s, uint32_t i);

/* Drops the outputs of the phase's attempts. Call when its job is over. */
void sim_output_forget_phase(struct sim *s, struct sim_phase *phase);

/* Performs DO_REPLICATE. Without a network a copy takes no time, with one it is a flow. */
void sim_output_replicate(struct sim *s, const struct decision *d);

/* Ends a copy whose flow has ended; `copy` as in struct sim_flow. */
void sim_output_copied(struct sim *s, uint32_t copy);

/* Ends the copies on their way to a node that is down. */
void sim_output_target_gone(struct sim *s, uint32_t node);

/* ---- outputs that are lost silently (sim_spoil.c) ---- */

void sim_spoil_init(struct sim *s);
void sim_spoil_wake(struct sim *s); /* after a sleep */

/* Lets the node begin to lose outputs. */
void sim_spoil_due(struct sim *s, uint32_t node);

/* Queues the loss of an output that was committed or copied here, if it is lost like the others. */
void sim_spoil_new(struct sim *s, uint32_t i);

/* A reader: on which node (NODE_NONE.v: any), which partition of each output it reads, or all of
 * it, and its reaction to a spoilt output. */
#define SIM_PARTITION_ALL UINT32_MAX
struct sim_look {
    uint32_t node, partition;
    void (*met)(struct sim *s, uint32_t output);
};
static inline uint32_t sim_look_partition(const struct edge_spec *edge, uint32_t reader)
{
    return edge->pattern == EDGE_ALL_TO_ALL ? reader : SIM_PARTITION_ALL;
}

/* Checks the outputs that a reader begins to read: one, or all committed ones of a span of tasks
 * (TASK_ALL), with `batch` those of its bits. Calls by.met for spoilt ones that it notices: those
 * with a replica, and the first one without. */
void sim_spoil_meet(struct sim *s, struct attempt_ref source, struct job_span span,
                    const uint64_t *batch, struct sim_look by);
