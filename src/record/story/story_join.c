#include "record/story/story_join.h"

void story_join_add(struct story_join *j, uint32_t tasks)
{
    vec_push(&j->firsts, j->tasks);
    j->tasks += tasks;
}

void story_join_fini(struct story_join *j)
{
    vec_free(&j->firsts);
    vec_free(&j->events);
    vec_free(&j->decisions);
}

static struct attempt_ref joined(const struct story_join *j, struct attempt_ref at)
{
    if (at.job.v >= j->firsts.count)
        return at; /* of no job */
    if (at.task != TASK_ALL)
        at.task += j->firsts.at[at.job.v];
    at.job.v = 0;
    return at;
}

bool story_join_event(struct story_join *j, struct event *e)
{
    if (j->firsts.count < 2)
        return true;
    if (e->type == EV_JOB_SUBMITTED) { /* the first one stands for all */
        if (e->u.job->id.v != 0 || e->u.job->phase_count != 1)
            return false;
        j->spec = *e->u.job;
        j->phase = e->u.job->phases[0];
        j->phase.tasks = j->tasks;
        j->phase.input_each = NULL; /* of the first job only; `dolly map` says nothing there */
        j->phase.replica_from = NULL;
        j->phase.replicas = NULL;
        j->spec.phases = &j->phase;
        e->u.job = &j->spec;
    }
    e->at = joined(j, e->at);
    return true;
}

bool story_join_decision(struct story_join *j, struct decision *d)
{
    uint32_t job = d->at.job.v;

    if (j->firsts.count < 2)
        return true;
    d->at = joined(j, d->at);
    if (d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED) { /* the last one does */
        j->failed |= d->type == DO_JOB_FAILED;
        d->type = j->failed ? DO_JOB_FAILED : DO_JOB_DONE;
        return ++j->over == j->firsts.count;
    }
    return job == 0 || d->type != DO_VERDICT || d->at.task != TASK_ALL;
}

int story_join_turn(struct story_join *j, const struct turn *turn, struct tap to, struct err *err)
{
    struct turn joined = *turn;

    if (j->firsts.count < 2)
        return to.turn(to.ctx, turn, err);
    vec_clear(&j->events);
    vec_clear(&j->decisions);
    for (uint32_t i = 0; i < turn->event_count; i++) {
        struct event e = turn->events[i];
        if (story_join_event(j, &e))
            vec_push(&j->events, e);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        struct decision d = turn->decisions[i];
        if (story_join_decision(j, &d))
            vec_push(&j->decisions, d);
    }
    joined.events = j->events.at;
    joined.event_count = j->events.count;
    joined.decisions = j->decisions.at;
    joined.decision_count = j->decisions.count;
    joined.hint = NULL;
    return j->events.count + j->decisions.count > 0 ? to.turn(to.ctx, &joined, err) : 0;
}
