/* todo_run.c - carries out the consequences of events.
 *
 * Events of one instant are all applied before anything is decided, so a consequence of one may be
 * obsolete when its turn comes (the output was lost in the same instant, the job has failed): each
 * entry checks the world again. */
#include "core/brain/todo_run.h"

#include "core/brain/attempt.h"
#include "core/brain/decisions.h"
#include "core/brain/job.h"
#include "core/brain/job_copy.h"
#include "core/brain/phase.h"
#include "core/brain/retract.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

/* The task failed for good: either the phase bears it, or that is the end of the job. */
static void task_give_up(struct brain *b, struct phase *p, struct attempt_ref at)
{
    const struct task *t = &p->tasks[at.task];
    const struct policy *policy = b->policy;
    struct reason why =
        t->failures >= policy->failures_max
            ? REASON(WHY_TOO_MANY_FAILURES, t->failures, (double)policy->failures_max)
            : REASON(WHY_TOO_MANY_LAUNCHES, t->launches, (double)policy->launches_max);
    if (job_copy_failed(b, p->job, &why))
        return;
    if (p->given_up == p->failures_allowed) {
        job_fail(b, p->job, at, &why);
        return;
    }
    decisions_add(b, DO_VERDICT, at, &why);
    phase_task_given_up(b, p, at.task);
    phase_teach(b, p);
}

/* Commits the oldest finished attempt; those of a task that is won already are in vain. */
static void todo_commit(struct brain *b, struct phase *p, uint32_t task)
{
    static const struct reason first = {WHY_FIRST_FINISHED, 0, {0}};
    struct task *t = &p->tasks[task];
    if (p->job->holds) {
        job_copy_hold(b, p, task);
        return;
    }
    if (p->job->changed)
        retract_finished(b, p, task);
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state != ATTEMPT_FINISHED)
            continue;
        if (a->barred && p->job->state == JOB_LIVE)
            continue; /* it serves those who read it, whatever becomes of the task */
        if (t->state == TASK_ACTIVE && p->job->state == JOB_LIVE) {
            t->winner = a->ordinal;
            attempt_set_task(b, p, t, TASK_COMMITTING);
            if (!job_commit_is_asked(p, t))
                continue; /* its copy commits phase by phase, and has not come so far */
            p->job->commits_due += p->job->copy > 0;
            decisions_add(b, DO_COMMIT, attempt_ref_of(a), &first);
        } else if (t->state == TASK_DONE && a->checksum == t->checksum &&
                   p->job->state == JOB_LIVE && shuffle_ops(b)->keeps &&
                   shuffle_ops(b)->keeps(&b->parts[PART_SHUFFLE], p, a)) {
            a->source = true;
            todo_fill_readers(b, p);
        } else if (t->state == TASK_DONE && a->spare && a->checksum == t->checksum &&
                   p->job->state == JOB_LIVE) {
            continue; /* kept until that output is lost or the job is over */
        } else if (t->state == TASK_DONE) {
            todo_fill_readers(b, p); /* some may have hoped for it */
            stop_output(
                b, a,
                &REASON_PLAIN(a->checksum == t->checksum ? WHY_LOST_RACE : WHY_NONDETERMINISTIC));
        } else if (p->job->state != JOB_LIVE && t->state != TASK_COMMITTING) {
            stop_output(b, a, &REASON_PLAIN(WHY_JOB_OVER));
        }
    }
}

static void todo_won(struct brain *b, struct phase *p, uint32_t task)
{
    if (p->tasks[task].attempts != ATTEMPT_NONE || p->consumer_count > 0)
        shuffle_ops(b)->won(&b->parts[PART_SHUFFLE], p, task);
    todo_fill_readers(b, p);
    todo_commit(b, p, task); /* others that finished meanwhile */
    if (protect_ops(b)->won && p->job->state == JOB_LIVE) {
        if (!p->guard)
            p->guard = protect_ops(b)->guard(&b->parts[PART_PROTECT], p);
        protect_ops(b)->won(&b->parts[PART_PROTECT], p, task);
    }
    phase_teach(b, p);
}

static void todo_stop(struct brain *b, struct attempt_ref at)
{
    struct attempt *a = attempt_find(b, at);
    if (a && a->unwanted && a->state != ATTEMPT_FINISHED)
        stop_attempt(
            b, a, &REASON_PLAIN(job_lead(a->job)->state != JOB_LIVE ? WHY_JOB_OVER : a->stop_why));
}

static void todo_do(struct brain *b, const struct todo *todo)
{
    struct job *j = job_copy_find(&b->world, todo->at.job, todo->copy);
    if (!j)
        return;
    struct phase *p = &j->phases[todo->at.phase];
    switch (todo->what) {
    case TODO_COMMIT:
        todo_commit(b, p, todo->at.task);
        job_free_if_over(b, j);
        return;
    case TODO_STOP:
        todo_stop(b, todo->at);
        return;
    case TODO_DISCARD:
        decisions_add(b, DO_DISCARD_OUTPUT, todo->at, &REASON_PLAIN(WHY_COMMIT_FAILED));
        return;
    case TODO_WON:
        todo_won(b, p, todo->at.task);
        job_free_if_over(b, j);
        return;
    default:
        break;
    }
    if (j->state != JOB_LIVE)
        return;
    switch (todo->what) {
    case TODO_JOB_NEW:
        job_begin(b, j);
        break;
    case TODO_JOB_CANCELLED:
        job_fail(b, j, todo->at, &REASON_PLAIN(WHY_CANCELLED));
        break;
    case TODO_TASK_FAILED:
        task_give_up(b, p, todo->at);
        break;
    case TODO_JOB_DONE:
        if (j->leaves_left > 0)
            break; /* an output was lost in the same instant */
        if (j->holds)
            job_copy_won(b, j);
        else
            job_complete(b, j, todo->at);
        break;
    case TODO_FILL:
        p->fill_due = false;
        shuffle_ops(b)->fill(&b->parts[PART_SHUFFLE], p);
        break;
    case TODO_COMMITS:
        job_copy_commit(b, j);
        break;
    case TODO_REDO:
        job_copy_redo(b, p);
        break;
    case TODO_CHANGED:
        retract_readers(b, p, todo->at.task);
        break;
    case TODO_RETRACT:
        retract_commit(b, p, todo->at.task);
        break;
    default:
        phase_revive(b, p);
        break;
    }
}

void todo_run(struct brain *b)
{
    for (uint32_t i = 0; i < b->todo.count; i++) { /* the list may grow meanwhile */
        struct todo todo = b->todo.at[i];
        todo_do(b, &todo);
    }
    vec_clear(&b->todo);
}

void todo_run_fills(struct brain *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->todo.count; i++) {
        struct todo todo = b->todo.at[i];
        if (todo.what == TODO_FILL)
            todo_do(b, &todo);
        else
            b->todo.at[kept++] = todo;
    }
    b->todo.count = kept;
}
