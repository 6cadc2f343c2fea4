/* sim_launch.c - attempts from the launch to their start. */
#include "sim/sim_state.h"

#include "base/rng.h"
#include "inputs/workload/recorded.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

/* Starts an attempt of the phase that was launched, or lets its launch fail. */
static void launch_starts(struct sim *s, struct sim_phase *phase, uint32_t i)
{
    struct sim_attempt *x = &s->attempts.at[i];
    if (luck_strikes(s->seed, RNG_LAUNCH_FAIL, s->cluster->faults.launch_fail_p, x->at, 0)) {
        sim_attempt_launch_failed(s, i, CAUSE_INJECTED);
        return;
    }
    x->state = SIM_RUNNING;
    x->started_us = s->now_us;
    sim_emit(s, EV_ATTEMPT_STARTED, CAUSE_NONE, x->at, x->node);

    struct luck_plan plan = sim_attempt_make_plan(s, phase, i);
    if (s->keeps_plans)
        sim_attempt_keep_plan(s, i, &plan);
    s->reading_matters |= recorded_differs(phase->truth, x->at);
    sim_attempt_push_end(s, phase, i, &plan, 0);
    /* Queued after the end: of equal times the end comes first, and no report follows it. */
    if (s->reports)
        sim_report_begin(s, i, &plan);
}

void sim_launch(struct sim *s, const struct decision *d)
{
    struct attempt_ref at = d->at;
    check(d->node.v < s->cluster->node_count);
    check(at.job.v < window_next(&s->jobs));
    struct sim_job *job = sim_job_find(s, at.job);
    if (!job || job->over) {
        sim_emit(s, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_JOB_OVER, at, d->node.v);
        return;
    }
    check(at.phase < job->work->spec.phase_count);
    struct sim_phase *phase = &job->phases[at.phase];
    check(at.task < phase->spec->tasks);
    struct sim_task *task = &phase->tasks[at.task];
    check(at.attempt == task->launched && task->launched < UINT16_MAX);
    task->launched++;

    if (!s->nodes[d->node.v].up) {
        sim_emit(s, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NODE_DOWN, at, d->node.v);
        return;
    }
    check(res_fits(&phase->spec->demand, &s->nodes[d->node.v].free)); /* the brain keeps accounts */
    res_sub(&s->nodes[d->node.v].free, &phase->spec->demand);
    uint32_t i = sim_attempt_add(s, task, at, d->node.v, SIM_LAUNCHING);
    if (s->reads)
        sim_reader_create(s, i);
    job->live++;
    s->live++;
    if (!sim_answer_later(s, i, LAG_LAUNCH, s->cluster->faults.launch_lag_us, ENTRY_START))
        launch_starts(s, phase, i);
}

void sim_launch_start(struct sim *s, uint32_t i)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    if (x->state == SIM_LAUNCHING)
        launch_starts(s, sim_phase_of(s, x->at), i);
}
