/* sim_attempt.h - private to src/sim: attempts, the outputs they leave, and how these are lost. */
#ifndef SIM_SIM_ATTEMPT_H
#define SIM_SIM_ATTEMPT_H

#include "sim/sim_state.h"

/* ---- attempts (sim_attempt.c) ---- */

/* An attempt in the lists of its task and its node. May move s->attempts.at. */
uint32_t sim_attempt_add(struct sim *s, struct sim_task *task, struct attempt_ref at, uint32_t node,
                         enum sim_attempt_state state);

/* Takes it out of its lists and frees its index. Its job must still be there. */
void sim_attempt_drop(struct sim *s, uint32_t i);

/* The index of an attempt, or NO_ATTEMPT with the reason in *cause: CAUSE_ALREADY_ENDED, or
 * CAUSE_UNKNOWN_ATTEMPT if it was never launched. */
uint32_t sim_attempt_find(const struct sim *s, struct attempt_ref at, uint8_t *cause);

static inline bool sim_attempt_runs(const struct sim_attempt *x)
{
    return x->state == SIM_RUNNING || x->state == SIM_DYING;
}

/* True for attempts whose ending was not told. */
static inline bool sim_attempt_lives(const struct sim_attempt *x)
{
    return x->state >= SIM_LAUNCHING && x->state <= SIM_ENDED;
}

/* True for those of them that may still read. */
static inline bool sim_attempt_reads(const struct sim_attempt *x)
{
    return x->state >= SIM_LAUNCHING && x->state <= SIM_DYING;
}

/* A running attempt is ended from outside, because its node is about to fail; others are as they
 * were. */
void sim_attempt_node_ends(struct sim *s, uint32_t i);

/* DO_WITHDRAW, DO_KILL. */
void sim_attempt_withdraw(struct sim *s, const struct decision *d);
void sim_attempt_kill(struct sim *s, const struct decision *d);

/* Ends an attempt that was launched and has not started. */
void sim_attempt_launch_failed(struct sim *s, uint32_t i, uint8_t cause);

/* Queues the end of an attempt that has lived for `lived_us`, or the end of its start-up if no more
 * is certain. */
void sim_attempt_push_end(struct sim *s, uint32_t i, const struct luck_plan *plan,
                          int64_t lived_us);

/* A queue entry of the attempt's generation is due; stale ones are recognised by its state. */
void sim_attempt_finish(struct sim *s, uint32_t i);
void sim_attempt_fail(struct sim *s, uint32_t i);
void sim_attempt_killed(struct sim *s, uint32_t i);

/* The node of a live attempt is gone. */
void sim_attempt_lost(struct sim *s, uint32_t i);

/* Its node fails: it is lost (true), or that is told later, as it was recorded. */
bool sim_attempt_node_fails(struct sim *s, uint32_t i);

/* Begins the rest of the life of a reader that has all its input. */
void sim_attempt_compute(struct sim *s, uint32_t i);

/* How long an attempt that has started has lived, without the time it waited and read. */
int64_t sim_attempt_lived_us(const struct sim *s, uint32_t i, const struct luck_plan *plan);

/* The plan of an attempt that has started. */
struct luck_plan sim_attempt_plan(const struct sim *s, uint32_t i);

/* ---- outputs (sim_output.c) ---- */

/* True if it is a committed output, whether its bytes are there or not. */
static inline bool sim_output_committed(const struct sim_attempt *x)
{
    return x->state == SIM_COMMITTED || x->state == SIM_SPOILT;
}

/* DO_COMMIT, and its end, at once or after a lag. */
void sim_output_commit(struct sim *s, const struct decision *d);
void sim_output_commit_due(struct sim *s, uint32_t i);

/* DO_DISCARD_OUTPUT: drops the output with all its replicas. */
void sim_output_discard(struct sim *s, const struct decision *d);

/* Drops an output that is lost, with its node (CAUSE_NODE_DOWN) or not (CAUSE_OUTPUT_GONE). */
void sim_output_lost(struct sim *s, uint32_t i, uint8_t cause);

/* Spoils a committed output: its bytes are gone; or, if it was spoilt, drops it as lost. At most
 * one of these is queued for an output that is there, since it goes before its window ends. */
void sim_output_rot(struct sim *s, uint32_t i);

/* Drops what attempts of the phase have left behind: its job is over. */
void sim_output_forget_phase(struct sim *s, struct sim_phase *phase);

/* DO_REPLICATE. Without a network a copy takes no time, with one it is a flow. */
void sim_output_replicate(struct sim *s, const struct decision *d);

/* The flow of a copy has ended; `copy` as in struct sim_flow. */
void sim_output_copied(struct sim *s, uint32_t copy);

/* A node is down to which copies may be on their way. */
void sim_output_target_gone(struct sim *s, uint32_t node);

/* ---- outputs that are lost silently (sim_spoil.c) ---- */

void sim_spoil_init(struct sim *s);
void sim_spoil_wake(struct sim *s); /* after a sleep */

/* The node begins to lose outputs. */
void sim_spoil_due(struct sim *s, uint32_t node);

/* An output was committed or copied here: it may go the way of the others. */
void sim_spoil_new(struct sim *s, uint32_t i);

/* A reader: on which node (NODE_NONE.v: any), which part of each output it reads, or all of it, and
 * what it does with a spoilt output that it meets. */
#define SIM_PART_ALL UINT32_MAX
struct sim_look {
    uint32_t node, part;
    void (*met)(struct sim *s, uint32_t output);
};
static inline uint32_t sim_look_part(const struct edge_spec *edge, uint32_t reader)
{
    return edge->pattern == EDGE_ALL_TO_ALL ? reader : SIM_PART_ALL;
}

/* Looks at the outputs that a reader begins to read: one, or all committed ones of a span of tasks
 * (TASK_ALL), with `batch` those of its bits. Calls by.met for spoilt ones that it notices: those
 * with a replica, and the first one without. */
void sim_spoil_meet(struct sim *s, struct attempt_ref source, struct job_span span,
                    const uint64_t *batch, struct sim_look by);

#endif
