/* sim_output.c - what attempts leave behind: ready, committed, replicated, lost, forgotten.
 *
 * An output is the struct sim_attempt of the attempt that made it, on that attempt's node. A
 * replica is one more of them with the same name on another node, so an output is lost with its
 * last one and no list of places is needed. Only committed outputs may be replicated: no phase
 * reads any other.
 *
 * Outputs of leaf phases are durable. Once committed nothing can happen to them any more, so they
 * are freed at once and only the mark of the task remains.
 *
 * A commit on its way whose output disappears is answered at that moment, not when it was due: the
 * output can be freed at once and the queue entry becomes stale like any other.
 *
 * A copy on its way to become a replica is a flow of the network; without one it takes no time. */
#include "base/rng.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

/* Moves a task to another mark and keeps the counts of its phase. */
static void mark(struct sim *s, struct sim_phase *phase, struct sim_task *task, enum task_mark to)
{
    sim_source_forget(s, phase);
    phase->committed -= task->mark == TASK_COMMITTED;
    phase->lost -= task->mark == TASK_LOST;
    task->mark = to & 3;
    phase->committed += to == TASK_COMMITTED;
    phase->lost += to == TASK_LOST;
}

/* ---- commits ---- */

static bool commit_under_way(const struct sim *s, const struct sim_task *task)
{
    for (uint32_t i = task->first; i != NO_ATTEMPT; i = s->attempts.at[i].task_next)
        if (s->attempts.at[i].state == SIM_COMMITTING)
            return true;
    return false;
}

/* A commit ends, well or not. */
static void commit_ends(struct sim *s, struct sim_phase *phase, uint32_t i)
{
    struct sim_attempt *x = &s->attempts.at[i];
    struct sim_task *task = &phase->tasks[x->at.task];
    uint32_t fails = phase->commit_fails ? phase->commit_fails[x->at.task] : 0;
    if (luck_strikes(s->seed, RNG_COMMIT_FAIL, s->cluster->faults.commit_fail_p, x->at, fails)) {
        if (!phase->commit_fails)
            phase->commit_fails = mem_zalloc(phase->spec->tasks, sizeof *phase->commit_fails);
        phase->commit_fails[x->at.task] = (uint8_t)(fails < UINT8_MAX ? fails + 1 : fails);
        x->state = SIM_FINISHED;
        sim_emit(s, EV_COMMIT_FAILED, CAUSE_INJECTED, x->at, x->node);
        return;
    }
    mark(s, phase, task, TASK_COMMITTED);
    task->winner = x->at.attempt;
    sim_emit(s, EV_COMMITTED, CAUSE_NONE, x->at, x->node);
    x->state = SIM_COMMITTED;
    phase->commits++;
    if (phase->leaf) {
        sim_attempt_drop_from(s, phase, i);
        return;
    }
    if (phase->commits >= phase->read_wake)
        sim_fetch_wake(s, x->at);
    sim_spoil_new(s, i);
}

void sim_output_commit(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    if (i == NO_ATTEMPT || sim_attempt_lives(&s->attempts.at[i])) {
        sim_answer_refuse(s, d, cause == CAUSE_UNKNOWN_ATTEMPT ? cause : CAUSE_OUTPUT_GONE);
        return;
    }
    struct sim_phase *phase = sim_phase_of(s, d->at);
    const struct sim_task *task = &phase->tasks[d->at.task];
    if (task->mark == TASK_COMMITTED || commit_under_way(s, task)) {
        sim_answer_refuse(
            s, d, task->mark == TASK_COMMITTED ? CAUSE_ALREADY_ENDED : CAUSE_ALREADY_STARTED);
        return;
    }
    s->attempts.at[i].state = SIM_COMMITTING;
    if (!sim_answer_later(s, i, LAG_COMMIT, s->cluster->faults.commit_lag_us, ENTRY_COMMIT))
        commit_ends(s, phase, i);
}

void sim_output_commit_due(struct sim *s, uint32_t i)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    if (x->state == SIM_COMMITTING)
        commit_ends(s, sim_phase_of(s, x->at), i);
}

/* ---- copies under way ---- */

/* The output of an attempt on a node; NO_ATTEMPT: it is not there. */
static uint32_t output_on(const struct sim *s, struct attempt_ref at, uint32_t node)
{
    uint32_t i = sim_task_of(s, at)->first;
    while (i != NO_ATTEMPT &&
           (s->attempts.at[i].node != node || s->attempts.at[i].at.attempt != at.attempt))
        i = s->attempts.at[i].task_next;
    return i;
}

/* Forgets a copy under way; the last one takes its place. */
static void copy_drop(struct sim *s, uint32_t i)
{
    struct sim_reads *reads = s->reads;
    reads->copies.at[i] = reads->copies.at[--reads->copies.count];
    if (i < reads->copies.count)
        reads->flows.at[reads->copies.at[i].flow].copy = i;
}

/* Copies fail that come from an output that is gone, or go to a node that is (`gone` NULL). */
static void copies_fail(struct sim *s, const struct sim_attempt *gone, uint32_t to, uint8_t cause)
{
    for (uint32_t i = s->reads ? s->reads->copies.count : 0; i-- > 0;) {
        const struct sim_copy c = s->reads->copies.at[i];
        if (gone ? !attempt_equal(c.at, gone->at) || c.from != gone->node : c.to != to)
            continue;
        network_stop(s->reads->network, c.flow);
        copy_drop(s, i);
        sim_emit(s, EV_REPLICA_FAILED, cause, c.at, c.to);
    }
}

void sim_output_target_gone(struct sim *s, uint32_t node)
{
    copies_fail(s, NULL, node, CAUSE_NODE_DOWN);
}

/* The source is there, or was found to be spoilt, which comes to light by that. */
static void copy_end(struct sim *s, const struct sim_copy *c)
{
    uint32_t source = output_on(s, c->at, c->from);
    if (s->attempts.at[source].state != SIM_COMMITTED) {
        sim_emit(s, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, c->at, c->to);
        sim_push_attempt(s, 0, ENTRY_ROT, source);
        return;
    }
    struct sim_phase *phase = sim_phase_of(s, c->at);
    uint32_t i = sim_attempt_add(s, &phase->tasks[c->at.task], c->at, c->to, SIM_COMMITTED);
    phase->replicated = true;
    sim_emit(s, EV_REPLICA_DONE, CAUSE_NONE, c->at, c->to);
    sim_spoil_new(s, i);
}

void sim_output_copied(struct sim *s, uint32_t copy)
{
    const struct sim_copy c = s->reads->copies.at[copy];
    copy_drop(s, copy);
    copy_end(s, &c);
}

static void copy_begin(struct sim *s, const struct decision *d)
{
    const struct sim_phase *phase = sim_phase_of(s, d->at);
    struct sim_reads *reads = s->reads;
    double bytes = (double)phase->truth->output_bytes;
    struct sim_copy c = {.at = d->at, .to = d->node.v};
    c.from = sim_source_node(s, &phase->tasks[d->at.task], d->at.attempt, c.to);
    bool spoilt = s->attempts.at[output_on(s, c.at, c.from)].state == SIM_SPOILT;
    if (!reads || bytes <= 0 || spoilt) {
        copy_end(s, &c);
        return;
    }
    for (uint32_t i = 0; i < reads->copies.count; i++)
        if (attempt_equal(reads->copies.at[i].at, d->at) && reads->copies.at[i].to == c.to) {
            sim_answer_refuse(s, d, CAUSE_ALREADY_STARTED);
            return;
        }
    c.flow = network_begin(reads->network, s->now_us, c.from, c.to, bytes, FLOW_ONE);
    sim_flow_set(s, c.flow, (struct sim_flow){.copy = reads->copies.count, .bytes = bytes});
    vec_push(&reads->copies, c);
}

void sim_output_replicate(struct sim *s, const struct decision *d)
{
    check(d->node.v < s->cluster->node_count);
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    if (cause == CAUSE_UNKNOWN_ATTEMPT)
        sim_answer_refuse(s, d, cause);
    else if (i == NO_ATTEMPT || !sim_output_committed(&s->attempts.at[i]))
        sim_emit(s, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, d->at, d->node.v);
    else if (!s->nodes[d->node.v].up)
        sim_emit(s, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, d->at, d->node.v);
    else if (output_on(s, d->at, d->node.v) != NO_ATTEMPT)
        sim_answer_refuse(s, d, CAUSE_ALREADY_ENDED);
    else
        copy_begin(s, d);
}

/* ---- losses ---- */

static bool has_replica(const struct sim *s, uint32_t i)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    uint32_t k = sim_task_of(s, x->at)->first;
    for (; k != NO_ATTEMPT; k = s->attempts.at[k].task_next)
        if (k != i && sim_output_committed(&s->attempts.at[k]) &&
            s->attempts.at[k].at.attempt == x->at.attempt)
            return true;
    return false;
}

void sim_output_lost(struct sim *s, uint32_t i, uint8_t cause)
{
    const struct sim_attempt x = s->attempts.at[i];
    struct sim_phase *phase = sim_phase_of(s, x.at);
    if (phase->leaf || s->ideal == IDEAL_RECOMPUTE)
        return;
    bool last = !sim_output_committed(&x) || !has_replica(s, i);
    sim_emit(s, last ? EV_OUTPUT_LOST : EV_REPLICA_FAILED, cause, x.at, x.node);
    if (last && sim_output_committed(&x))
        mark(s, phase, &phase->tasks[x.at.task], TASK_LOST);
    if (x.state == SIM_COMMITTING)
        sim_emit(s, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, x.at, x.node);
    sim_attempt_drop(s, i);
    copies_fail(s, &x, NODE_NONE.v, CAUSE_OUTPUT_GONE);
    sim_fetch_source_gone(s, &x, last ? SOURCE_LOST : SOURCE_REPLICA);
}

void sim_output_rot(struct sim *s, uint32_t i)
{
    if (s->attempts.at[i].state == SIM_SPOILT)
        sim_output_lost(s, i, CAUSE_OUTPUT_GONE);
    if (s->attempts.at[i].state != SIM_COMMITTED)
        return;
    s->attempts.at[i].state = SIM_SPOILT;
    sim_phase_of(s, s->attempts.at[i].at)->spoilt++;
}

static void output_forget(struct sim *s, uint32_t i)
{
    const struct sim_attempt x = s->attempts.at[i];
    if (x.state == SIM_COMMITTING)
        sim_emit(s, EV_COMMIT_FAILED, CAUSE_JOB_OVER, x.at, x.node);
    sim_attempt_drop(s, i);
    copies_fail(s, &x, NODE_NONE.v, CAUSE_JOB_OVER);
}

void sim_output_forget_phase(struct sim *s, struct sim_phase *phase)
{
    for (uint32_t t = 0; t < phase->spec->tasks; t++) {
        uint32_t next;
        for (uint32_t i = phase->tasks[t].first; i != NO_ATTEMPT; i = next) {
            next = s->attempts.at[i].task_next;
            if (!sim_attempt_lives(&s->attempts.at[i]))
                output_forget(s, i);
        }
    }
}

static void discard_durable(struct sim *s, struct attempt_ref at)
{
    if (!sim_job_find(s, at.job))
        return;
    struct sim_phase *phase = sim_phase_of(s, at);
    struct sim_task *task = &phase->tasks[at.task];
    if (phase->leaf && task->mark == TASK_COMMITTED && task->winner == at.attempt)
        mark(s, phase, task, TASK_OPEN);
}

void sim_output_discard(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    const struct sim_attempt x = s->attempts.at[i];
    if (i == NO_ATTEMPT && cause != CAUSE_UNKNOWN_ATTEMPT) {
        discard_durable(s, d->at); /* or it is gone already, which is what was asked for */
        return;
    }
    if (i == NO_ATTEMPT || sim_attempt_lives(&x)) {
        sim_answer_refuse(s, d, i == NO_ATTEMPT ? cause : CAUSE_OUTPUT_GONE);
        return;
    }
    if (x.state == SIM_COMMITTING)
        sim_emit(s, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, x.at, x.node);
    if (sim_output_committed(&x))
        mark(s, sim_phase_of(s, x.at), sim_task_of(s, x.at), TASK_OPEN);
    for (; i != NO_ATTEMPT; i = sim_attempt_find(s, d->at, &cause)) {
        const struct sim_attempt gone = s->attempts.at[i];
        sim_attempt_drop(s, i);
        copies_fail(s, &gone, NODE_NONE.v, CAUSE_OUTPUT_GONE);
    }
    sim_fetch_source_gone(s, &x, SOURCE_DISCARDED);
}
