/* job_copy.c - jobs that are cloned as a whole.
 *
 * Each copy of such a job is a struct job of its own: it has its own phases and tasks, opens its
 * phases when its own attempts have finished, and recomputes its own lost outputs. So everything
 * the brain does for a job it does for a copy, and reads stay inside because a phase only ever
 * knows the phases of its own struct. To the outside there is one job: one id, one count of
 * ordinals per task, one limit of running attempts, one position in the order of jobs. All of these
 * belong to the lead, which is in world.jobs, with the others in its list.
 *
 * Nothing is committed before a whole copy has ended: finished outputs are held. The first copy
 * whose leaves are done becomes the lead, the others end, and it commits its outputs, phase by
 * phase from the top. From then on it is a job like any other. A commit that fails discards all
 * outputs made from that one and not committed yet: only committed outputs may be read.
 *
 * A copy in which a task fails for good ends, and the others continue; the job fails with the last
 * one. Slow starts are off in a cloned job: a copy's readers wait for whole phases.
 *
 * Rejected: copies as jobs with ids of their own. Bodies, the journal and every tool would have to
 * know that several jobs are one. */
#include "core/brain/job_copy.h"

#include "base/check.h"
#include "core/brain/attempt.h"
#include "core/brain/decisions.h"
#include "core/brain/expect.h"
#include "core/brain/job.h"
#include "core/brain/phase.h"
#include "core/brain/retract.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

/* ---- beginning ---- */

static void job_hold(struct brain *b, struct job *j, uint16_t copy, uint16_t copies)
{
    j->copy = copy;
    j->holds = true;
    for (uint16_t k = 0; k < j->phase_count; k++)
        b->queue.early_waiting -= j->early && j->phases[k].queued.first_index != HEAP_NOWHERE;
    b->early_jobs -= j->early;
    j->early = false;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        p->early = p->early_readers = false;
        p->copies = copies;
        attempt_charge_phase(b, p);
    }
}

void job_copy_begin(struct brain *b, struct job *lead, uint16_t copies)
{
    check(copies >= 2 && lead->copy == 0 && lead->kept == 0);
    job_hold(b, lead, 1, copies);
    struct job **link = &lead->copies;
    for (uint16_t r = 2; r <= copies; r++, link = &(*link)->next) {
        struct job *j = job_create_copy(b, lead);
        j->lead = lead;
        *link = j;
        job_hold(b, j, r, copies);
        for (uint16_t k = 0; k < j->phase_count; k++)
            phase_review(b, &j->phases[k]);
    }
}

/* ---- while it runs ---- */

void job_copy_hold(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state != ATTEMPT_FINISHED)
            continue;
        if (a->stale) {
            stop_output(b, a, &REASON_PLAIN(WHY_INPUT_CHANGED));
            phase_settle_task(b, p, task);
        } else if (t->state == TASK_ACTIVE && p->job->state == JOB_LIVE) {
            bool changed = t->recompute && t->checksum != a->checksum;
            t->winner = a->ordinal;
            t->checksum = a->checksum;
            t->took_us = (float)a->took_us;
            if (p->won_us)
                p->won_us[task] = b->world.now_us;
            phase_task_done(b, p, task);
            if (changed)
                retract_readers(b, p, task);
            todo_fill_readers(b, p);
            phase_teach(b, p);
        } else if (t->state != TASK_DONE || t->winner != a->ordinal) {
            stop_output(b, a, &REASON(WHY_REPLICA_LOST, job_lead(p->job)->copy));
        }
    }
}

/* A task that was thought to be over is run again: outputs above that were lost meanwhile, when
 * no reader needed them, are needed again. */
static void inputs_needed(struct brain *b, const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++)
        todo_add(b, p->job, TODO_REVIVE, phase_ref(&p->job->phases[p->edges[e].from]));
}

bool job_copy_output_lost(struct brain *b, struct attempt *a)
{
    struct phase *p = attempt_phase(a);
    uint32_t task = a->task;
    struct task *t = &p->tasks[task];
    if (p->job->copy == 0 || a->state != ATTEMPT_FINISHED)
        return false;
    bool winner = t->winner == a->ordinal;
    if (winner && job_commit_is_asked(p, t))
        return true; /* answered by commit_failed */
    bool held = winner && t->state == TASK_DONE;
    if (winner && t->state == TASK_COMMITTING)
        attempt_set_task(b, p, t, TASK_ACTIVE);
    attempt_forget(b, a);
    if (held)
        phase_task_lost(b, p, task);
    else
        phase_settle_task(b, p, task);
    todo_fill_readers(b, p);
    inputs_needed(b, p);
    return true;
}

/* ---- ending ---- */

/* The copy stands for the job from now on. */
static void job_promote(struct brain *b, struct job *j)
{
    struct job *old = j->lead, **link = &old->copies;
    while (*link != j)
        link = &(*link)->next;
    *link = j->next;

    attempt_charge_job(b, j, -1);
    attempt_charge_job(b, old, -1);
    j->copies = old;
    old->next = old->copies;
    old->copies = NULL;
    j->lead = j->next = NULL;
    for (struct job *r = j->copies; r; r = r->next)
        r->lead = j;
    attempt_charge_job(b, j, 1);
    attempt_charge_job(b, old, 1);

    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++)
            j->phases[k].tasks[t].ordinals = old->phases[k].tasks[t].ordinals;
    j->live = old->live;
    j->held = old->held;
    j->standing = old->standing;
    j->note = old->note;
    old->note = NULL;
    expect_job_promoted(j, old);
    j->weight = old->weight;
    j->running_max = old->running_max;
    b->world.jobs.at[j->id.v - b->world.jobs.first] = j;
    queue_rekey_job(b, j);
}

bool job_copy_failed(struct brain *b, struct job *j, const struct reason *why)
{
    if (!j->lead) {
        struct job *next = j->copies;
        while (next && next->state != JOB_LIVE)
            next = next->next;
        if (!next)
            return false;
        job_promote(b, next);
    }
    job_drop_copy(b, j, why);
    return true;
}

/* What was held is to be committed: the counts of done tasks begin anew. */
static void job_unhold(struct brain *b, struct job *j)
{
    j->holds = false;
    j->leaves_left = 0;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        for (uint32_t t = 0; t < p->count; t++)
            if (p->tasks[t].state == TASK_DONE) {
                p->tasks[t].recompute = false;
                p->done--;
                p->incomplete++;
                attempt_set_task(b, p, &p->tasks[t], TASK_COMMITTING);
            }
        j->leaves_left += p->consumer_count == 0 && p->given_up < p->count;
        phase_review(b, p);
    }
}

/* What the other copies have seen of phases that they did not finish counts too, by the measure
 * of the one that did: or only lucky copies would teach anything. */
static void losers_teach(struct brain *b, const struct job *j)
{
    for (const struct job *r = j->copies; r; r = r->next)
        for (uint16_t k = 0; k < r->phase_count && r->state == JOB_LIVE; k++) {
            struct phase *p = &r->phases[k];
            if (p->measured || !j->phases[k].measured || !p->started)
                continue;
            phase_teach_by(b, p, j->phases[k].median);
        }
}

void job_copy_won(struct brain *b, struct job *j)
{
    struct reason why = REASON(WHY_REPLICA_LOST, j->copy);
    if (j->lead)
        job_promote(b, j);
    losers_teach(b, j);
    job_drop_copies(b, j, &why);
    job_unhold(b, j);
    job_copy_commit(b, j);
    if (j->leaves_left == 0) /* every task was given up */
        todo_add(b, j, TODO_JOB_DONE, phase_ref(&j->phases[0]));
}

void job_copy_commit(struct brain *b, struct job *j)
{
    while (!j->holds && j->commits_due == 0 && j->commit_next < j->phase_count) {
        const struct phase *p = &j->phases[j->commit_next++];
        for (uint32_t t = 0; t < p->count; t++) {
            if (p->tasks[t].state != TASK_COMMITTING)
                continue;
            struct attempt_ref at = {j->id, t, p->index, p->tasks[t].winner};
            decisions_add(b, DO_COMMIT, at, &REASON(WHY_REPLICA_ENDED, j->copy));
            j->commits_due++;
        }
    }
}

static bool phase_reads(const struct phase *p, const bool *which)
{
    for (uint16_t e = 0; e < p->edge_count; e++)
        if (which[p->edges[e].from])
            return true;
    return false;
}

void job_copy_redo(struct brain *b, const struct phase *failed)
{
    struct job *j = failed->job;
    bool *stale = mem_zalloc(j->phase_count, sizeof *stale);
    stale[failed->index] = true;
    inputs_needed(b, failed);
    for (uint16_t k = (uint16_t)(failed->index + 1); k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        if (p->index < j->commit_next || !phase_reads(p, stale))
            continue;
        stale[k] = true;
        inputs_needed(b, p);
        for (uint32_t t = 0; t < p->count; t++) {
            if (p->tasks[t].state != TASK_COMMITTING)
                continue;
            struct attempt_ref at = {j->id, t, k, p->tasks[t].winner};
            stop_output(b, attempt_find(b, at), &REASON_PLAIN(WHY_COMMIT_FAILED));
            attempt_set_task(b, p, &p->tasks[t], TASK_WAITING);
        }
    }
    mem_free(stale);
}
