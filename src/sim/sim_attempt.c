/* sim_attempt.c - attempts from launch to end.
 *
 * A launch that works costs one queue entry: its end, drawn when it starts. Where answers have no
 * lag they are written at once into the next batch of the same instant and never see the queue.
 * Whether an attempt will finish or fail is known at its start and is the kind of its entry; a kill
 * or a lost node ends it earlier, frees its index, and thereby makes the entry stale. An attempt
 * that reads over the network has two entries, one after the other: the end of its start-up and,
 * once its input is there, its end.
 *
 * The plan of an attempt (start-up, work, stall) is a pure function of the attempt's name, node and
 * start. It is worked out again when it is asked for, which keeps struct sim_attempt at 32 bytes.
 * Where attempts are killed or read over the network that is not rare: from the first time on plans
 * are kept in an array of their own. Reports ask ten times and more, and keep it themselves
 * (sim_round.h). */
#include "sim/sim_attempt.h"
#include "base/list.h"
#include "base/rng.h"
#include "inputs/workload/recorded.h"
#include "sim/sim_read.h"

/* ---- the pool ---- */

static void task_set_first(struct sim_task *task, uint32_t attempt)
{
    task->first = attempt & ((1U << ATTEMPT_BITS) - 1);
}

uint32_t sim_attempt_add(struct sim *s, struct sim_task *task, struct attempt_ref at, uint32_t node,
                         enum sim_attempt_state state)
{
    uint32_t i = s->attempt_free;
    struct sim_attempt *x;
    if (i != NO_ATTEMPT) {
        x = &s->attempts.at[i];
        s->attempt_free = x->task_next;
    } else {
        i = s->attempts.count;
        check(i < 1U << ATTEMPT_BITS);
        pool_add(&s->attempts);
        x = &s->attempts.at[i];
        x->generation = 0;
    }
    x->at = at;
    x->node = node;
    x->state = state;
    x->task_next = task->first;
    task_set_first(task, i);
    if (s->nodes_fail) {
        pool_reserve(&s->links, i + 1);
        list_push(s->links.at, s->nodes[node].first, i, prev, next, NO_ATTEMPT);
    }
    return i;
}

void sim_attempt_drop_from(struct sim *s, struct sim_phase *phase, uint32_t i)
{
    struct sim_attempt *attempts = s->attempts.at;
    struct sim_attempt *x = &attempts[i];

    /* A task has a handful of attempts at most: walking beats a second link in each of them. */
    struct sim_task *task = &phase->tasks[x->at.task];
    uint32_t before = task->first;
    if (before == i) {
        task_set_first(task, x->task_next);
    } else {
        while (attempts[before].task_next != i)
            before = attempts[before].task_next;
        attempts[before].task_next = x->task_next;
    }

    if (s->nodes_fail)
        list_remove(s->links.at, s->nodes[x->node].first, i, prev, next, NO_ATTEMPT);

    phase->spoilt -= x->state == SIM_SPOILT;
    x->state = SIM_FREE;
    x->generation = (x->generation + 1) & ENTRY_GENERATION_MASK;
    x->task_next = s->attempt_free;
    s->attempt_free = i;
}

uint32_t sim_attempt_find(const struct sim *s, struct attempt_ref at, uint8_t *cause)
{
    *cause = CAUSE_UNKNOWN_ATTEMPT;
    const struct sim_job *job = sim_job_find(s, at.job);
    if (!job) {
        if (at.job.v < window_next(&s->jobs))
            *cause = CAUSE_ALREADY_ENDED;
        return NO_ATTEMPT;
    }
    if (at.phase >= job->work->spec.phase_count || at.task >= job->phases[at.phase].spec->tasks)
        return NO_ATTEMPT;
    const struct sim_task *task = &job->phases[at.phase].tasks[at.task];
    if (at.attempt >= task->launched)
        return NO_ATTEMPT;
    *cause = CAUSE_ALREADY_ENDED;
    uint32_t i = task->first;
    while (i != NO_ATTEMPT && s->attempts.at[i].at.attempt != at.attempt)
        i = s->attempts.at[i].task_next;
    return i;
}

/* ---- life ---- */

/* What is typical of the phase in an ideal world, worked out when it is first asked for. */
static double typical(const struct sim *s, enum ideal ideal, struct sim_phase *phase,
                      struct attempt_ref at)
{
    if (phase->ideal == 0)
        phase->ideal = ideal_measure(ideal, s->cluster, s->seed, at.job, at.phase, phase->spec,
                                     phase->truth, sim_job_find(s, at.job)->work->submit_us);
    return phase->ideal;
}

struct luck_plan sim_attempt_make_plan(const struct sim *s, struct sim_phase *phase, uint32_t i)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    if (ideal_is_even(s->ideal))
        return luck_plan_explicit(
            ideal_task_us(s->ideal, typical(s, s->ideal, phase, x->at), phase->spec, x->at.task),
            0);
    struct luck_plan plan =
        ideal_plan_from(s->cluster, s->seed, &phase->luck, x->at, (struct node_id){x->node},
                        s->nodes[x->node].speed, phase->spec, phase->truth, x->started_us);
    if (s->ideal == IDEAL_NO_STRAGGLERS && phase->truth->attempt_from) {
        int64_t most_us = ideal_most_us(typical(s, IDEAL_MEDIAN_RATE, phase, x->at), phase->spec,
                                        phase->truth, x->at.task);
        if (luck_life_us(&plan) > most_us)
            plan = luck_plan_explicit(most_us, phase->truth->startup_us);
    }
    return plan;
}

/* Not known: the attempt started before plans were kept. */
static const struct luck_plan no_plan = {.startup_us = -1};

static void plans_reach(struct sim *s, uint32_t count)
{
    while (s->plans.count < count) {
        pool_add(&s->plans);
        s->plans.at[s->plans.count - 1] = no_plan;
    }
}

void sim_attempt_keep_plan(struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    plans_reach(s, i + 1);
    s->plans.at[i] = *plan;
}

struct luck_plan sim_attempt_plan(struct sim *s, uint32_t i)
{
    if (!s->keeps_plans) {
        s->keeps_plans = true;
        plans_reach(s, s->attempts.count);
    }
    if (i < s->plans.count && s->plans.at[i].startup_us >= 0)
        return s->plans.at[i];
    return sim_attempt_make_plan(s, sim_phase_of(s, s->attempts.at[i].at), i);
}

static void attempt_frees(struct sim *s, const struct sim_phase *phase, const struct sim_attempt *x)
{
    res_add(&s->nodes[x->node].free, &phase->spec->demand);
}

/* The attempt runs no more, and its room is free. How it ended is told in its time. */
static void attempt_ends(struct sim *s, uint32_t i)
{
    struct sim_attempt *x = &s->attempts.at[i];
    sim_emit(s, EV_ATTEMPT_ENDED, CAUSE_NONE, x->at, x->node);
    attempt_frees(s, sim_phase_of(s, x->at), x);
    x->state = SIM_ENDED;
}

/* Whether the end that the entry stands for counts now: at once, or when the node has lived on for
 * long enough. */
static bool attempt_is_believed(struct sim *s, uint32_t i, enum entry_kind kind)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    if (x->state == SIM_ENDED)
        return !s->nodes[x->node].ending;
    if (!sim_attempt_runs(x))
        return false;
    if (s->cluster->faults.doubt_us == 0)
        return true;
    attempt_ends(s, i);
    sim_push_attempt(s, s->cluster->faults.doubt_us, kind, i);
    return false;
}

/* How long an attempt has run whose end is told now. */
static int64_t attempt_ran_us(const struct sim *s, const struct sim_attempt *x)
{
    return s->now_us - s->cluster->faults.doubt_us - x->started_us;
}

/* The attempt has ended: its room is free again and, unless it leaves an output, its index. */
static void attempt_over(struct sim *s, uint32_t i, struct sim_job *job, bool left)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    struct sim_phase *phase = &job->phases[x->at.phase];
    if (!left)
        attempt_frees(s, phase, x);
    if (s->reads)
        sim_reader_drop(s, i);
    if (x->state != SIM_FINISHED)
        sim_attempt_drop_from(s, phase, i);
    s->live--;
    sim_job_attempt_ended(s, job);
}

void sim_attempt_launch_failed(struct sim *s, uint32_t i, uint8_t cause)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    sim_emit(s, EV_ATTEMPT_LAUNCH_FAILED, cause, x->at, x->node);
    attempt_over(s, i, sim_job_find(s, x->at.job), false);
}

/* The bytes of a task's input that its reader does not count. */
static int64_t own_input_bytes(const struct sim *s, uint32_t i, const struct sim_phase *phase)
{
    const struct sim_reader *r = sim_reader_of(s, i);
    return r && r->input ? 0 : phase_input_bytes(phase->spec, s->attempts.at[i].at.task);
}

/* Ends a started attempt before it is complete. */
static void attempt_cut(struct sim *s, uint32_t i, uint8_t type, uint8_t cause)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    bool told = type == EV_ATTEMPT_FAILED;
    struct usage use = {.wall_us = told ? attempt_ran_us(s, x) : s->now_us - x->started_us,
                        .cpu_us = -1,
                        .peak_rss_kib = -1};
    struct sim_job *job = sim_job_find(s, x->at.job);
    int64_t input = own_input_bytes(s, i, &job->phases[x->at.phase]);
    if (input > 0) {
        struct luck_plan plan = sim_attempt_plan(s, i);
        use.read_bytes = luck_done(&plan, sim_attempt_lived_us(s, i, &plan), input);
    }
    use.read_bytes += sim_reader_bytes(s, i);
    sim_emit(s, type, cause, x->at, x->node)->u.use = use;
    attempt_over(s, i, job, x->state == SIM_ENDED);
}

/* When in its life the attempt fails by itself; -1: it does not. */
static int64_t fails_at_us(const struct sim *s, const struct sim_phase *phase,
                           struct attempt_ref at, int64_t life_us)
{
    int64_t recorded_us = recorded_fails_us(phase->truth, at);
    if (recorded_us >= 0)
        return recorded_us < life_us ? recorded_us : life_us;
    if (!luck_strikes(s->seed, RNG_ATTEMPT_FAIL, s->cluster->faults.attempt_fail_p, at, 0))
        return -1;
    struct rng r = rng_stream(s->seed, RNG_ATTEMPT_FAIL, at.job.v, at.phase, at.task, at.attempt);
    rng_u64(&r); /* the draw of luck_strikes */
    return (int64_t)((double)life_us * rng_unit(&r));
}

void sim_attempt_push_end(struct sim *s, const struct sim_phase *phase, uint32_t i,
                          const struct luck_plan *plan, int64_t lived_us)
{
    int64_t life_us = luck_life_us(plan);
    int64_t fails_us = fails_at_us(s, phase, s->attempts.at[i].at, life_us);
    const struct sim_reader *r = sim_reader_of(s, i);
    if (r && r->compute_us < 0 && (fails_us < 0 || fails_us >= plan->startup_us))
        sim_push_attempt(s, plan->startup_us, ENTRY_READY, i);
    else if (fails_us >= 0)
        sim_push_attempt(s, fails_us - lived_us, ENTRY_FAIL, i);
    else
        sim_push_attempt(s, life_us - lived_us, ENTRY_FINISH, i);
}

void sim_attempt_compute(struct sim *s, uint32_t i)
{
    const struct sim_phase *phase = sim_phase_of(s, s->attempts.at[i].at);
    struct luck_plan plan = sim_attempt_plan(s, i);
    sim_attempt_push_end(s, phase, i, &plan, plan.startup_us);
}

int64_t sim_attempt_lived_us(const struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    int64_t wall_us = s->now_us - s->attempts.at[i].started_us;
    const struct sim_reader *r = sim_reader_of(s, i);
    if (!r)
        return wall_us;
    if (r->compute_us >= 0)
        return plan->startup_us + s->now_us - r->compute_us;
    return wall_us < plan->startup_us ? wall_us : plan->startup_us;
}

void sim_attempt_finish(struct sim *s, uint32_t i)
{
    struct sim_attempt *x = &s->attempts.at[i];
    if (!attempt_is_believed(s, i, ENTRY_FINISH))
        return;
    bool left = x->state == SIM_ENDED;
    struct sim_job *job = sim_job_find(s, x->at.job);
    struct sim_phase *phase = &job->phases[x->at.phase];
    if (!phase->leaf && !job->over)
        sim_content_ready(s, x);
    sim_emit(s, EV_ATTEMPT_FINISHED, CAUSE_NONE, x->at, x->node)->u.use = (struct usage){
        .wall_us = attempt_ran_us(s, x),
        .cpu_us = -1,
        .read_bytes = own_input_bytes(s, i, phase) + sim_reader_bytes(s, i),
        .written_bytes = phase->truth->output_bytes,
        .peak_rss_kib = -1,
    };
    if (!job->over)
        x->state = SIM_FINISHED;
    attempt_over(s, i, job, left);
}

void sim_attempt_fail(struct sim *s, uint32_t i)
{
    if (attempt_is_believed(s, i, ENTRY_FAIL))
        attempt_cut(s, i, EV_ATTEMPT_FAILED, CAUSE_INJECTED);
}

void sim_attempt_node_ends(struct sim *s, uint32_t i)
{
    if (!sim_attempt_runs(&s->attempts.at[i]))
        return;
    attempt_ends(s, i);
    sim_reader_drop(s, i);
}

void sim_attempt_killed(struct sim *s, uint32_t i)
{
    if (s->attempts.at[i].state != SIM_DYING)
        return;
    if (s->nodes[s->attempts.at[i].node].up)
        attempt_cut(s, i, EV_ATTEMPT_KILLED, CAUSE_NONE);
    else
        sim_attempt_lost(s, i);
}

bool sim_attempt_node_fails(struct sim *s, uint32_t i)
{
    struct sim_attempt *x = &s->attempts.at[i];
    int64_t lag_us = recorded_lag_us(sim_phase_of(s, x->at)->truth, x->at);
    if (x->state != SIM_RUNNING || lag_us <= 0) {
        sim_attempt_lost(s, i);
        return true;
    }
    x->state = SIM_DYING;
    sim_push_attempt(s, lag_us, ENTRY_KILLED, i);
    return false;
}

void sim_attempt_lost(struct sim *s, uint32_t i)
{
    if (s->attempts.at[i].state == SIM_LAUNCHING)
        sim_attempt_launch_failed(s, i, CAUSE_NODE_DOWN);
    else
        attempt_cut(s, i, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN);
}

void sim_attempt_withdraw(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    if (i == NO_ATTEMPT)
        sim_answer_refuse(s, d, cause);
    else if (s->attempts.at[i].state == SIM_LAUNCHING)
        sim_attempt_launch_failed(s, i, CAUSE_WITHDRAWN);
    else
        sim_answer_refuse(s, d,
                          sim_attempt_runs(&s->attempts.at[i]) ? CAUSE_ALREADY_STARTED
                                                               : CAUSE_ALREADY_ENDED);
}

void sim_attempt_kill(struct sim *s, const struct decision *d)
{
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    struct sim_attempt *x = &s->attempts.at[i];
    if (i == NO_ATTEMPT) {
        sim_answer_refuse(s, d, cause);
    } else if (x->state == SIM_ENDED) { /* how it ended is of no use any more */
        attempt_cut(s, i, EV_ATTEMPT_KILLED, CAUSE_NONE);
    } else if (!sim_attempt_runs(x)) {
        sim_answer_refuse(s, d,
                          x->state == SIM_LAUNCHING ? CAUSE_UNKNOWN_ATTEMPT : CAUSE_ALREADY_ENDED);
    } else if (x->state == SIM_RUNNING) { /* else the end that is on its way answers both */
        int64_t lag_us = recorded_lag_us(sim_phase_of(s, x->at)->truth, x->at);
        x->state = SIM_DYING;
        if (lag_us >= 0)
            sim_push_attempt(s, lag_us, ENTRY_KILLED, i);
        else if (!sim_answer_later(s, i, LAG_KILL, s->cluster->faults.kill_lag_us, ENTRY_KILLED))
            sim_attempt_killed(s, i);
    }
}
