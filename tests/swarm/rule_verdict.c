/* rule_verdict.c - what dolly said about a phase, and whether it may say that.
 *
 * A phase is settled once: cloned (so many copies), cloned in part, or not cloned and why. An
 * admission that waits for a preemption is settled later. Afterwards the answer can only be taken
 * back (preempted). The copies of the last answer are the limit that launches are judged by. */
#include "tests/swarm/rule.h"

/* The copies per task that a settling verdict allows; 0 for a verdict that settles nothing. */
static double verdict_copies(const struct reason *why)
{
    switch (why->code) {
    case WHY_CLONED:
    case WHY_PARTIAL:
        return why->num[0];
    case WHY_UPSTREAM_COPIES:
        return why->num[0] < why->num[3] ? why->num[0] : why->num[3];
    case WHY_NO_NEED:
    case WHY_OVER_BUDGET:
    case WHY_OVER_TAU:
    case WHY_SIDE_EFFECTS:
    case WHY_JOB_NOT_ADMITTED:
        return 1;
    default:
        return 0;
    }
}

static int verdict_settles(struct referee *r, struct book_entry x, double copies)
{
    if (x.phase->settled)
        return rule_fail(r, RULE_VERDICT, "the phase was settled before");
    if (copies > 1 && !r->rules.clones)
        return rule_fail(r, RULE_COPIES, "the policy does not clone");
    for (uint16_t i = 0; i < x.phase->edge_count && copies > 1; i++) {
        const struct book_phase *up = &x.job->phases[x.phase->edges[i].from];
        if (copies > up->copies_most)
            return rule_fail(r, RULE_COPIES, "%.0f copies, phase %u above got %.0f", copies,
                             x.phase->edges[i].from, up->copies_most);
    }
    x.phase->settled = true;
    x.phase->waiting_for_preempt = false;
    x.phase->copies = x.phase->copies_most = copies;
    r->tally.phases_cloned += copies > 1;
    return 0;
}

int rule_verdict(struct referee *r, const struct decision *d)
{
    struct book_entry x = book_find(&r->book, d->at);
    double copies = verdict_copies(&d->why);

    r->tally.verdicts++;
    if (!x.phase)
        return rule_fail(r, RULE_UNKNOWN, "no such phase");
    if (copies > 0)
        return verdict_settles(r, x, copies);
    if (d->why.code == WHY_WAIT_PREEMPT) {
        if (x.phase->settled || x.phase->waiting_for_preempt)
            return rule_fail(r, RULE_VERDICT, "a second answer");
        x.phase->waiting_for_preempt = true;
    } else if (d->why.code == WHY_PREEMPTED) {
        x.phase->copies = 1;
    }
    return 0;
}
