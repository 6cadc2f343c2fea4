/* sim_output.c - what attempts leave behind: ready, committed, replicated, lost, forgotten.
 *
 * An output lives in the slot of the attempt that made it, on that attempt's node. A replica is one
 * more slot with the same attempt name on another node, so an output is lost with its last slot and
 * no list of places is needed. Only committed outputs may be replicated: nobody reads any other.
 *
 * Outputs of leaf phases are durable. Once committed nothing can happen to them any more, so their
 * slots are freed at once and only the mark of the task remains.
 *
 * A commit on its way whose output disappears is answered at that moment, not when it was due: the
 * slot can be freed at once and the queue entry becomes stale like any other. */
#include "base/rng.h"
#include "sim/sim_state.h"

static uint64_t checksum(const struct sim *s, struct attempt_ref at)
{
    double p = s->cluster->faults.nondeterministic_p;
    uint64_t who = 0;
    if (p > 0) {
        struct rng r = rng_stream(s->seed, RNG_OUTPUT, at.job.v, at.phase, at.task, 0);
        if (rng_unit(&r) < p)
            who = at.attempt + UINT64_C(1);
    }
    /* Content has nothing to do with the seed. */
    struct rng content = rng_stream(0, RNG_OUTPUT, at.job.v, at.phase, at.task, who);
    return rng_u64(&content);
}

void sim_output_ready(struct sim *s, const struct slot *x)
{
    struct event *e = sim_tell(s, EV_OUTPUT_READY, CAUSE_NONE, x->at, x->node);
    e->u.output.bytes = sim_phase_of(s, x->at)->truth->output_bytes;
    e->u.output.checksum = checksum(s, x->at);
}

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

static bool commit_under_way(const struct sim *s, const struct sim_task *task)
{
    for (uint32_t i = task->first; i != SLOT_NONE; i = s->slots.at[i].task_next)
        if (s->slots.at[i].state == SLOT_COMMITTING)
            return true;
    return false;
}

void sim_output_commit(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_slot_find(s, d->at, &cause);
    if (i == SLOT_NONE || sim_slot_lives(&s->slots.at[i])) {
        sim_refuse(s, d, cause == CAUSE_UNKNOWN_ATTEMPT ? cause : CAUSE_OUTPUT_GONE);
        return;
    }
    struct slot *x = &s->slots.at[i];
    const struct sim_task *task = &sim_phase_of(s, x->at)->tasks[x->at.task];
    if (task->mark == TASK_COMMITTED) {
        sim_refuse(s, d, CAUSE_ALREADY_ENDED);
        return;
    }
    if (commit_under_way(s, task)) {
        sim_refuse(s, d, CAUSE_ALREADY_STARTED);
        return;
    }
    x->state = SLOT_COMMITTING;
    int64_t lag_max_us = s->cluster->faults.commit_lag_us;
    if (lag_max_us > 0)
        sim_push_slot(s, sim_lag(s, x->at, LAG_COMMIT, lag_max_us), ENTRY_COMMIT, i);
    else
        sim_output_commit_due(s, i);
}

void sim_output_commit_due(struct sim *s, uint32_t i)
{
    struct slot *x = &s->slots.at[i];
    if (x->state != SLOT_COMMITTING)
        return;
    struct sim_phase *phase = sim_phase_of(s, x->at);
    struct sim_task *task = &phase->tasks[x->at.task];
    uint32_t fails = phase->commit_fails ? phase->commit_fails[x->at.task] : 0;
    if (sim_chance(s, RNG_COMMIT_FAIL, s->cluster->faults.commit_fail_p, x->at, fails)) {
        if (!phase->commit_fails)
            phase->commit_fails = mem_zalloc(phase->spec->tasks, sizeof *phase->commit_fails);
        phase->commit_fails[x->at.task] = (uint8_t)(fails < UINT8_MAX ? fails + 1 : fails);
        x->state = SLOT_FINISHED;
        sim_tell(s, EV_COMMIT_FAILED, CAUSE_INJECTED, x->at, x->node);
        return;
    }
    mark(s, phase, task, TASK_COMMITTED);
    task->winner = x->at.attempt;
    sim_tell(s, EV_COMMITTED, CAUSE_NONE, x->at, x->node);
    x->state = SLOT_COMMITTED;
    phase->commits++;
    struct attempt_ref at = x->at;
    if (phase->leaf)
        sim_slot_drop(s, i);
    else if (phase->commits >= phase->read_wake)
        sim_fetch_wake(s, at);
    if (!phase->leaf)
        sim_spoil_new(s, i);
}

static bool has_replica(const struct sim *s, uint32_t i)
{
    const struct slot *x = &s->slots.at[i];
    uint32_t k = sim_phase_of(s, x->at)->tasks[x->at.task].first;
    for (; k != SLOT_NONE; k = s->slots.at[k].task_next)
        if (k != i && sim_slot_committed(&s->slots.at[k]) &&
            s->slots.at[k].at.attempt == x->at.attempt)
            return true;
    return false;
}

void sim_output_lost(struct sim *s, uint32_t i, uint8_t cause)
{
    const struct slot x = s->slots.at[i];
    struct sim_phase *phase = sim_phase_of(s, x.at);
    if (phase->leaf || s->ideal == IDEAL_RECOMPUTE)
        return;
    bool last = !sim_slot_committed(&x) || !has_replica(s, i);
    if (!last) {
        sim_tell(s, EV_REPLICA_FAILED, cause, x.at, x.node);
    } else {
        sim_tell(s, EV_OUTPUT_LOST, cause, x.at, x.node);
        if (sim_slot_committed(&x))
            mark(s, phase, &phase->tasks[x.at.task], TASK_LOST);
        if (x.state == SLOT_COMMITTING)
            sim_tell(s, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, x.at, x.node);
    }
    sim_slot_drop(s, i);
    sim_copy_source_gone(s, &x, CAUSE_OUTPUT_GONE);
    sim_fetch_source_gone(s, &x, last);
}

void sim_output_forget(struct sim *s, uint32_t i)
{
    const struct slot x = s->slots.at[i];
    if (x.state == SLOT_COMMITTING)
        sim_tell(s, EV_COMMIT_FAILED, CAUSE_JOB_OVER, x.at, x.node);
    sim_slot_drop(s, i);
    sim_copy_source_gone(s, &x, CAUSE_JOB_OVER);
}

static void discard_durable(struct sim *s, struct attempt_ref at)
{
    struct sim_job *job = sim_job_find(s, at.job);
    if (!job)
        return;
    struct sim_phase *phase = &job->phases[at.phase];
    struct sim_task *task = &phase->tasks[at.task];
    if (phase->leaf && task->mark == TASK_COMMITTED && task->winner == at.attempt)
        mark(s, phase, task, TASK_OPEN);
}

void sim_output_discard(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_slot_find(s, d->at, &cause);
    if (i == SLOT_NONE) {
        /* One that is gone already is what was asked for. What nobody reads has no slot once it is
         * committed. */
        if (cause == CAUSE_UNKNOWN_ATTEMPT)
            sim_refuse(s, d, cause);
        else
            discard_durable(s, d->at);
        return;
    }
    const struct slot x = s->slots.at[i];
    if (sim_slot_lives(&x)) {
        sim_refuse(s, d, CAUSE_OUTPUT_GONE);
        return;
    }
    if (x.state == SLOT_COMMITTING)
        sim_tell(s, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, x.at, x.node);
    if (sim_slot_committed(&x)) {
        struct sim_phase *phase = sim_phase_of(s, x.at);
        mark(s, phase, &phase->tasks[x.at.task], TASK_OPEN);
    }
    for (; i != SLOT_NONE; i = sim_slot_find(s, d->at, &cause)) {
        const struct slot gone = s->slots.at[i];
        sim_slot_drop(s, i);
        sim_copy_source_gone(s, &gone, CAUSE_OUTPUT_GONE);
    }
    sim_fetch_discarded(s, &x);
}

static bool node_has_copy(const struct sim *s, struct attempt_ref at, uint32_t node)
{
    uint32_t i = sim_phase_of(s, at)->tasks[at.task].first;
    while (i != SLOT_NONE &&
           (s->slots.at[i].node != node || s->slots.at[i].at.attempt != at.attempt))
        i = s->slots.at[i].task_next;
    return i != SLOT_NONE;
}

void sim_output_replicate(struct sim *s, const struct decision *d)
{
    check(d->node.v < s->cluster->node_count);
    uint8_t cause;
    uint32_t i = sim_slot_find(s, d->at, &cause);
    if (cause == CAUSE_UNKNOWN_ATTEMPT)
        sim_refuse(s, d, cause);
    else if (i == SLOT_NONE || !sim_slot_committed(&s->slots.at[i]))
        sim_tell(s, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, d->at, d->node.v);
    else if (!s->nodes[d->node.v].up)
        sim_tell(s, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, d->at, d->node.v);
    else if (node_has_copy(s, d->at, d->node.v))
        sim_refuse(s, d, CAUSE_ALREADY_ENDED);
    else
        sim_copy_begin(s, d);
}

void sim_output_copied(struct sim *s, struct attempt_ref at, uint32_t node)
{
    struct sim_phase *phase = sim_phase_of(s, at);
    uint32_t i = sim_slot_add(s, &phase->tasks[at.task], at, node, SLOT_COMMITTED);
    phase->replicated = true;
    sim_tell(s, EV_REPLICA_DONE, CAUSE_NONE, at, node);
    sim_spoil_new(s, i);
}
