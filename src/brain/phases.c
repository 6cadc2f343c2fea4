/* phases.c - when phases open, when tasks are to be launched, and how lost outputs come back.
 *
 * A phase is open while every phase it reads is done: all its tasks committed, no output lost.
 * Where an edge allows a slow start it opens earlier, when enough of the phase above is done and
 * all of that phase has been launched; its readers then hold slots while they wait, and give them
 * back when a task above has to be launched again and finds no room (see decide.c). When an output
 * is lost its readers close, and the task is run again if somebody still needs it: a reader with
 * work left, or (recursively) a lost output further down that is needed itself. An output that
 * nobody needs stays lost. */
#include "base/check.h"
#include "base/stat.h"
#include "brain/state.h"

static bool phase_may_run(const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        uint8_t enough = p->early ? p->edges[e].slowstart : 0;
        if (up->done == up->count)
            continue;
        if (!enough || !up->open || up->pending_count > 0 || up->lost > 0 ||
            (uint64_t)up->done * 100 < (uint64_t)enough * up->count)
            return false;
    }
    return true;
}

static void phase_close(struct brain *b, struct phase *p)
{
    p->open = false;
    for (uint32_t t = 0; t < p->count && p->pending_count > 0; t++)
        if (p->tasks[t].state == TASK_PENDING) {
            queue_unpend(b, p, t);
            task_set_state(b, p, &p->tasks[t], TASK_WAITING);
        }
    queue_refresh(b, p);
    if (p->early_readers)
        phase_review_readers(b, p);
}

void phase_review(struct brain *b, struct phase *p)
{
    bool may = phase_may_run(p);
    if (p->open && !may)
        phase_close(b, p);
    if (p->open || !may)
        return;
    p->open = true;
    for (uint32_t t = 0; t < p->count; t++)
        if (p->tasks[t].state == TASK_WAITING)
            queue_pend(b, p, t);
    queue_refresh(b, p);
}

void phase_review_readers(struct brain *b, struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++)
        phase_review(b, &p->job->phases[p->consumers[i]]);
}

/* Ordinals are 16 bits wide, and each of some replicas may be about to use one. */
enum { ORDINALS_MAX = UINT16_MAX - 256 };

void task_settle(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    if (p->job->state != JOB_LIVE || t->state != TASK_ACTIVE)
        return;
    if (t->finished > 0) {
        brain_todo(b, p->job, TODO_COMMIT, task_ref_of(p, task));
        return;
    }
    /* A new attempt starts only when every dying one is confirmed dead: so extra attempts never
     * grow by anything but the launch of a clone, and the budget holds at every instant. */
    if (t->live > 0)
        return;
    if (t->failures >= b->policy->failures_max || t->launches >= b->policy->launches_max ||
        task_named(p, task)->ordinals > ORDINALS_MAX)
        brain_todo(b, p->job, TODO_TASK_FAILED, task_ref_of(p, task));
    else if (p->open)
        queue_pend(b, p, task);
    else
        task_set_state(b, p, t, TASK_WAITING);
}

static bool phase_is_over(const struct phase *p)
{
    return p->done + p->given_up == p->count;
}

/* One task fewer to wait for. */
static void phase_end_if_over(struct brain *b, struct phase *p)
{
    if (phase_is_over(p) && p->consumer_count == 0 && --p->job->leaves_left == 0)
        brain_todo(b, p->job, TODO_JOB_DONE, phase_ref(p));
}

void phase_task_done(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    task_set_state(b, p, t, TASK_DONE);
    p->done++;
    if (!t->recompute)
        p->incomplete--;
    t->recompute = true;
    queue_drop_clones(b, p, task);
    phase_end_if_over(b, p);
    if (p->done == p->count || p->early_readers)
        phase_review_readers(b, p);
}

/* No phase reads this one (see model/job.h), so nobody ever waits for the missing output. */
void phase_task_given_up(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    check(p->consumer_count == 0 && p->given_up < p->failures_allowed);
    task_set_state(b, p, t, TASK_GIVEN_UP);
    p->given_up++;
    if (!t->recompute)
        p->incomplete--;
    queue_drop_clones(b, p, task);
    phase_end_if_over(b, p);
}

void phase_task_lost(struct brain *b, struct phase *p, uint32_t task)
{
    struct job *j = p->job;
    if (phase_is_over(p) && p->consumer_count == 0)
        j->leaves_left++;
    task_set_state(b, p, &p->tasks[task], TASK_LOST);
    p->done--;
    p->lost++;
    phase_review_readers(b, p);
    brain_todo(b, p->job, TODO_REVIVE, phase_ref(p));
}

static bool phase_is_needed(const struct phase *p)
{
    if (p->consumer_count == 0)
        return true;
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        const struct phase *reader = &p->job->phases[p->consumers[i]];
        if (reader->done + reader->lost + reader->given_up < reader->count)
            return true;
    }
    return false;
}

void phase_revive(struct brain *b, struct phase *p)
{
    if (p->lost == 0 || !phase_is_needed(p))
        return;
    for (uint32_t t = 0; t < p->count && p->lost > 0; t++)
        if (p->tasks[t].state == TASK_LOST) {
            p->lost--;
            task_set_state(b, p, &p->tasks[t], TASK_ACTIVE);
            task_settle(b, p, t);
        }
    for (uint16_t e = 0; e < p->edge_count; e++)
        phase_revive(b, &p->job->phases[p->edges[e].from]);
}

void phase_refill(struct brain *b, struct phase *p)
{
    if (p->fill_due || (!p->cloned && !p->early))
        return;
    p->fill_due = true;
    brain_todo(b, p->job, TODO_FILL, phase_ref(p));
}

void phase_refill_readers(struct brain *b, struct phase *p)
{
    if (BRAIN_OPS(b, shuffle)->fill)
        for (uint16_t i = 0; i < p->consumer_count; i++)
            phase_refill(b, &p->job->phases[p->consumers[i]]);
}

void phase_measure(struct phase *p)
{
    p->measured = true;
    VEC(double) finished = {0};
    for (uint32_t i = 0; i < p->samples.count; i++)
        if (p->samples.at[i].per_byte >= 0)
            vec_push(&finished, (double)p->samples.at[i].per_byte);
    if (finished.count > 0)
        p->median = stat_quantile(finished.at, finished.count, 0.5);
    vec_free(&finished);
}
