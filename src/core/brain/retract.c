/* retract.c - withdraws everything made from an output that was made again and differs.
 *
 * A result must be made from one attempt of each task. If an output is lost and the new one is the
 * same, its readers keep the data that they have read. If it differs (the task draws random
 * numbers, or its input changes), tasks that read the old output and tasks that will read the new
 * one would both contribute to one result. So when the committed output differs from the one
 * before, every task below it that is done, running or about to be committed starts again, and with
 * it everything made from those; committed outputs are discarded. Attempts that have not read the
 * old output yet end as well: the brain does not know how much a reader of a whole phase has read,
 * and the case is rare.
 *
 * Rejected: waiting whether the tasks in between make the same outputs nevertheless, and sparing
 * those below them. It would save work in a case that hardly exists. Rejected: failing the job
 * while launches_max allows another try. In a copy of a whole job the same rule applies to outputs
 * that it has not committed yet. */
#include "core/brain/retract.h"

#include "core/brain/decisions.h"
#include "core/brain/phase.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

static void discard_committed(struct brain *b, const struct phase *p, uint32_t task)
{
    struct attempt_ref at = task_ref_of(p, task);
    at.attempt = p->tasks[task].winner;
    decisions_add(b, DO_DISCARD_OUTPUT, at, &REASON_PLAIN(WHY_INPUT_CHANGED));
}

/* The task starts again, whatever it has come to. */
static void retract_task(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    const struct reason why = REASON_PLAIN(WHY_INPUT_CHANGED);
    FOR_ATTEMPTS (a, &b->world, t) {
        a->stale = true; /* it may finish all the same */
        if (a->state != ATTEMPT_FINISHED)
            stop_attempt(b, a, &why);
        else if (t->state != TASK_COMMITTING || t->winner != a->ordinal)
            stop_output(b, a, &why);
    }
    if (t->recompute) /* even if that output is lost by now, others were made from it */
        retract_readers(b, p, task);
    if (t->state == TASK_COMMITTING) {
        t->stale = true;
    } else if (t->state == TASK_DONE) {
        if (!p->job->holds) /* what a copy holds is gone by now */
            discard_committed(b, p, task);
        phase_task_lost(b, p, task);
    } else {
        phase_settle_task(b, p, task);
    }
}

void retract_readers(struct brain *b, struct phase *p, uint32_t task)
{
    p->job->changed = true;
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        struct phase *q = &p->job->phases[p->consumers[i]];
        for (uint16_t e = 0; e < q->edge_count; e++) {
            if (q->edges[e].from != p->index)
                continue;
            for (uint32_t t = 0; t < q->count; t++) {
                struct job_span span = job_edge_span(&q->edges[e], p->count, q->count, t);
                if (task >= span.from && task < span.to)
                    retract_task(b, q, t);
            }
        }
    }
}

void retract_finished(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    bool any = false;
    if (t->stale) /* what is being committed is dealt with when it is */
        return;
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state != ATTEMPT_FINISHED || !a->stale)
            continue;
        stop_output(b, a, &REASON_PLAIN(WHY_INPUT_CHANGED));
        any = true;
    }
    if (any)
        phase_settle_task(b, p, task);
}

void retract_commit(struct brain *b, struct phase *p, uint32_t task)
{
    discard_committed(b, p, task);
    phase_settle_task(b, p, task);
}
