/* rule_verdict.c - what dolly said about a phase, and whether it may say that.
 *
 * A phase is settled once: cloned (so many copies), cloned in part, or not cloned and why. An
 * admission that waits for a preemption is settled later. Afterwards the answer can only be taken
 * back (preempted). The copies of the last answer are the limit that launches are judged by. */
#include "tests/swarm/rule.h"

/* The copies per task that a settling verdict allows; 0 for a verdict that settles nothing. */
static double verdict_copies(const struct referee *r, const struct book_phase *p,
                             const struct reason *why)
{
    switch (why->code) {
    case WHY_CLONED:
    case WHY_PARTIAL:
    case WHY_OFFERED:
    case WHY_WATCHED:
        return why->num[0];
    case WHY_UPSTREAM_COPIES:
        return why->num[0] < why->num[3] ? why->num[0] : why->num[3];
    case WHY_NO_NEED:
    case WHY_OVER_BUDGET:
    case WHY_OVER_TAU:
    case WHY_UNSAFE_NODES:
    case WHY_SIDE_EFFECTS:
        return 1;
    case WHY_CAP: /* of a whole job; elsewhere it only says why a copy did not start */
        return r->rules.job_clone && p && !p->settled ? 1 : 0;
    default:
        return 0;
    }
}

/* HotCloud looks at each task when it is launched, whatever it said about the phase. */
static void verdict_by_task(struct referee *r, struct book_phase *phase)
{
    if (!phase->clone_never)
        phase->copies = phase->copies_most = r->rules.copies_max;
    phase->settled = true;
}

static int verdict_settles(struct referee *r, struct book_entry x, double copies)
{
    if (x.phase->settled)
        return rule_fail(r, RULE_VERDICT, "the phase was settled before");
    if (copies > 1 && !r->rules.clones)
        return rule_fail(r, RULE_COPIES, "the policy does not clone");
    bool one_by_one = r->rules.offers || r->rules.shepherd; /* whatever the phase above got */
    if (one_by_one && copies > r->rules.copies_max)
        return rule_fail(r, RULE_COPIES, "%.0f copies, the limit is %u", copies,
                         r->rules.copies_max);
    for (uint16_t i = 0; i < x.phase->edge_count && copies > 1 && !one_by_one; i++) {
        const struct book_phase *up = &x.job->phases[x.phase->edges[i].from];
        if (copies > up->copies_most)
            return rule_fail(r, RULE_COPIES, "%.0f copies, phase %u above got %.0f", copies,
                             x.phase->edges[i].from, up->copies_most);
        if (!up->cloned && up->done == up->task_count)
            return rule_fail(r, RULE_COPIES, "%.0f copies, phase %u above has no clone", copies,
                             x.phase->edges[i].from);
    }
    if (r->rules.hotcloud) {
        verdict_by_task(r, x.phase);
        return 0;
    }
    if (r->rules.job_clone && copies > 1 && rule_replica_verdict(r, x, copies) < 0)
        return -1;
    x.phase->settled = true;
    x.phase->waiting_for_preempt = false;
    x.phase->copies = x.phase->copies_most = copies;
    return 0;
}

/* A task failed for good and the job goes on without it. */
static int task_given_up(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.task)
        return rule_fail(r, RULE_UNKNOWN, "no such task");
    uint32_t live = x.job->replicated ? book_wanted(x.task) : x.task->live;
    if (x.task->given_up || live || book_finished(x.task))
        return rule_fail(r, RULE_GIVEN_UP, "the task was given up before or is not lost");
    if (x.phase->read || x.phase->given_up == x.phase->failures_allowed)
        return rule_fail(r, RULE_GIVEN_UP, "%u tasks may fail, %u did", x.phase->failures_allowed,
                         x.phase->given_up);
    if (!rule_spent(d, x))
        return rule_fail(r, RULE_GIVEN_UP, "reason %s is not true", reason_name(d->why.code));
    book_give_up(&r->book, d->at);
    r->tally.given_up++;
    return 0;
}

int rule_verdict(struct referee *r, const struct decision *d)
{
    struct book_entry x = book_find(&r->book, d->at);
    double copies = verdict_copies(r, x.phase, &d->why);

    r->tally.verdicts++;
    if (!x.phase)
        return rule_fail(r, RULE_UNKNOWN, "no such phase");
    if (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES)
        return task_given_up(r, d, x);
    if (copies > 0)
        return verdict_settles(r, x, copies);
    if (d->why.code == WHY_WAIT_PREEMPT) {
        if (x.phase->settled || x.phase->waiting_for_preempt)
            return rule_fail(r, RULE_VERDICT, "a second answer");
        x.phase->waiting_for_preempt = true;
    } else if (d->why.code == WHY_PREEMPTED) {
        x.phase->copies = 1;
    } else if (d->why.code == WHY_SPECULATION_CAP) {
        if (!rule_over_cap(r, &x.phase->demand))
            return rule_fail(r, RULE_CAP, "the cap is not the obstacle");
        r->tally.caps_met++;
    }
    return 0;
}
