/* phase.c - when phases open, when tasks are to be launched, and how lost outputs come back.
 *
 * A phase is open while every phase it reads is done: all its tasks committed, no output lost.
 * Where an edge allows a slow start it opens earlier, when enough of the phase above is done and
 * all of that phase has been launched; its readers then hold slots while they wait, and give them
 * back when a task above has to be launched again and finds no room (see yield.c). Where a reader
 * reads only some tasks above (one-to-one, many-to-one) it need not wait in a slot: it is launched
 * when these are done, whatever the others do. When an output
 * is lost its readers close, and the task is run again if somebody still needs it: a reader with
 * work left, or (recursively) a lost output further down that is needed itself. An output that
 * nobody needs stays lost. */
#include "base/check.h"
#include "base/stat.h"
#include "brain/state.h"

/* Whether every task of the phase has been launched. One that starts piece by piece may have tasks
 * that wait for theirs and are not pending yet. */
static bool phase_all_launched(const struct phase *p)
{
    if (!p->open || p->pending_count > 0 || p->lost > 0)
        return false;
    for (uint16_t e = 0; e < p->edge_count && p->piecewise; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (up->done < up->count)
            return false;
    }
    return true;
}

static bool phase_may_run(const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        uint8_t enough = p->early ? p->edges[e].slowstart : 0;
        if (up->done == up->count)
            continue;
        if (!enough || (uint64_t)up->done * 100 < (uint64_t)enough * up->count)
            return false;
        if (p->edges[e].pattern != EDGE_ALL_TO_ALL)
            continue; /* each task has its own say */
        if (!phase_all_launched(up))
            return false;
    }
    return true;
}

bool task_inputs_done(const struct phase *p, uint32_t task)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct edge_spec *edge = &p->edges[e];
        const struct phase *up = &p->job->phases[edge->from];
        if (up->done == up->count || edge->pattern == EDGE_ALL_TO_ALL)
            continue;
        struct job_span span = job_edge_span(edge, up->count, p->count, task);
        for (uint32_t t = span.from; t < span.to; t++)
            if (up->tasks[t].state != TASK_DONE)
                return false;
    }
    return true;
}

/* The reader of a task above, over an edge where each has its own. */
static uint32_t reader_of(const struct phase *p, const struct edge_spec *edge, uint32_t upstream,
                          uint32_t task)
{
    uint32_t reader = (uint32_t)((uint64_t)task * p->count / upstream);
    while (reader + 1 < p->count && job_edge_span(edge, upstream, p->count, reader).to <= task)
        reader++;
    return reader;
}

/* A task above is done: whoever reads it may have all it needs. */
static void pend_readers_of(struct brain *b, struct phase *up, uint32_t task)
{
    for (uint16_t i = 0; i < up->consumer_count; i++) {
        struct phase *p = &up->job->phases[up->consumers[i]];
        if (!p->piecewise || !p->open)
            continue;
        for (uint16_t e = 0; e < p->edge_count; e++) {
            if (p->edges[e].from != up->index || p->edges[e].pattern == EDGE_ALL_TO_ALL)
                continue;
            uint32_t reader = reader_of(p, &p->edges[e], up->count, task);
            if (p->tasks[reader].state == TASK_WAITING && task_inputs_done(p, reader))
                queue_pend(b, p, reader);
        }
    }
}

/* Outputs were lost: who reads them has to wait again. */
static void unpend_readers(struct brain *b, const struct phase *up)
{
    for (uint16_t i = 0; i < up->consumer_count; i++) {
        struct phase *p = &up->job->phases[up->consumers[i]];
        for (uint32_t t = 0; p->piecewise && t < p->count && p->pending_count > 0; t++)
            if (p->tasks[t].state == TASK_PENDING && !task_inputs_done(p, t)) {
                queue_unpend(b, p, t);
                task_set_state(b, p, &p->tasks[t], TASK_WAITING);
            }
        if (p->early_readers)
            phase_review_readers(b, p);
    }
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
    queue_pend_waiting(b, p);
}

void phase_review_readers(struct brain *b, struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++)
        phase_review(b, &p->job->phases[p->consumers[i]]);
}

/* Ordinals are 16 bits wide, and each of some copies may be about to use one. */
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
    else if (p->open && (!p->piecewise || task_inputs_done(p, task)))
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
    if (p->early_readers)
        pend_readers_of(b, p, task);
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
    if (p->early_readers)
        unpend_readers(b, p);
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
