/* rule_copy.c - outputs that are kept twice, and outputs that are made before they are missed.
 *
 * A replica is asked for once, of the committed output of a task that somebody reads, on another
 * node that is up; the answer is one of done, failed, refused. While two copies are there, losing
 * one is told as replica_failed: output_lost would send a task to work that nobody needs. A copy
 * that finds the output gone is believed only if that is told as well, in the same turn. What a
 * job's replicas hold is counted against what its tasks have read, which the referee works out for
 * itself from the job and from the sizes that outputs were told to have.
 *
 * A spare is an attempt of a task whose output stands. It needs a reason: its node has lost others.
 */
#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"

/* What a task of the phase has read: from outside, and of every phase above its part. */
static double bytes_read(const struct book_job *job, const struct book_phase *p, uint32_t task)
{
    double bytes = (double)(p->input_each ? p->input_each[task] : p->input_bytes);

    for (uint16_t i = 0; i < p->edge_count; i++) {
        const struct book_phase *up = &job->phases[p->edges[i].from];
        bool all = p->edges[i].pattern == EDGE_ALL_TO_ALL;
        double bytes_each = all && up->partition_count == p->task_count
                                ? (double)up->partitions[task]
                                : (double)up->output_bytes / (all ? p->task_count : 1);
        for (uint32_t t = 0; t < up->task_count; t++)
            if (book_needs(&p->edges[i], up->task_count, p->task_count, task, t))
                bytes += bytes_each;
    }
    return bytes;
}

void rule_copy_committed(struct referee *r, struct book_entry x, struct attempt_ref at)
{
    if (!r->rules.protects)
        return;
    x.job->bytes_read += bytes_read(x.job, x.phase, at.task);
    r->tally.spares_used += x.attempt->spare;
}

int rule_copy_ask(struct referee *r, const struct decision *d, struct book_entry x)
{
    const struct book_node *n = book_node(&r->book, d->node);

    if (!x.attempt || !n)
        return rule_fail(r, RULE_UNKNOWN, "no such %s", x.attempt ? "node" : "attempt");
    if (!r->rules.protects)
        return rule_fail(r, RULE_COPY, "the policy does not protect");
    if (x.task->commit != BOOK_COMMIT_DONE || x.task->candidate != d->at.attempt || !x.phase->read)
        return rule_fail(r, RULE_COPY, "not the committed output of a task that is read");
    if (x.attempt->copy != BOOK_COPY_NONE || d->node.v == x.attempt->home.v)
        return rule_fail(r, RULE_COPY, "a copy is there or on its way");
    if (n->state != BOOK_NODE_UP)
        return rule_fail(r, RULE_COPY, "the node is not up");
    x.job->bytes_copied += (double)x.phase->output_bytes;
    if (x.job->bytes_copied > r->rules.replicate * x.job->bytes_read * (1 + 1e-9) + 1)
        return rule_fail(r, RULE_TOKENS, "%.0f bytes copied, %.0f read, at most %.3f of them",
                         x.job->bytes_copied, x.job->bytes_read, r->rules.replicate);
    x.attempt->copy = BOOK_COPY_ASKED;
    x.attempt->copy_node = d->node;
    return 0;
}

void rule_copy_refused(struct book_entry x)
{
    if (x.attempt->copy != BOOK_COPY_ASKED)
        return;
    x.attempt->copy = BOOK_COPY_NONE;
    x.job->bytes_copied -= (double)x.phase->output_bytes;
}

int rule_copy_answer(struct referee *r, const struct event *e, struct book_entry x)
{
    struct book_attempt *a = x.attempt;
    bool at_copy = a->copy != BOOK_COPY_NONE && e->node.v == a->copy_node.v;

    if (a->copy == BOOK_COPY_ASKED && at_copy) {
        if (e->type == EV_REPLICA_FAILED && e->cause == CAUSE_OUTPUT_GONE)
            a->copy_gone = r->tally.turns;
        if (e->type == EV_REPLICA_FAILED)
            rule_copy_refused(x);
        else if (a->output_lost)
            return rule_fail(r, RULE_COPY, "copied what was told to be lost");
        else
            a->copy = BOOK_COPY_THERE;
        r->tally.copies += e->type == EV_REPLICA_DONE;
        return 0;
    }
    if (e->type == EV_REPLICA_DONE || a->copy != BOOK_COPY_THERE ||
        (!at_copy && e->node.v != a->home.v))
        return rule_fail(r, RULE_COPY, "no copy is on its way to or at this node");
    if (!at_copy)
        a->home = a->copy_node;
    a->copy = BOOK_COPY_NONE;
    r->tally.copies_used++;
    return 0;
}

int rule_copy_lost(struct referee *r, const struct event *e, struct book_entry x)
{
    if (x.attempt->copy == BOOK_COPY_THERE)
        return rule_fail(r, RULE_COPY, "lost on node %u, but there is another copy", e->node.v);
    return 0;
}

/* A copy fails because the output is gone, which somebody else may have found, too. */
int rule_copy_turn_end(struct referee *r, struct book_place at)
{
    const struct book_job *job = &r->book.jobs.at[at.job];
    const struct book_task *t = &job->phases[at.phase].tasks[at.task];

    for (uint32_t i = 0; r->rules.protects && !job->over && i < t->attempts.count; i++)
        if (t->attempts.at[i].copy_gone == r->tally.turns && t->attempts.at[i].output)
            return rule_fail(r, RULE_COPY, "a copy found the output of %u.%u.%u.%u gone: it is not",
                             job->id.v, at.phase, at.task, i);
    return 0;
}

int rule_spare(struct referee *r, const struct decision *d, struct book_entry x)
{
    const struct book_task *t = x.task;
    double budget_s =
        r->rules.precompute * rule_slots(r, &r->book.capacity) * (double)r->now_us / 1e6;

    if (!r->rules.protects || d->kind != LAUNCH_RECOMPUTE || t->commit != BOOK_COMMIT_DONE ||
        t->live > 0 || t->outputs > 1)
        return rule_fail(r, RULE_SPARE, "not the only attempt of a task that is won");
    const struct book_attempt *winner = &t->attempts.at[t->candidate];
    if (x.phase->clone_never || x.phase->cloned || winner->copy == BOOK_COPY_THERE)
        return rule_fail(r, RULE_SPARE, "its phase or its replica speaks against it");
    if (d->why.num[1] != winner->home.v || d->node.v == winner->home.v)
        return rule_fail(r, RULE_SPARE, "its output is on node %u", winner->home.v);
    if (d->why.num[2] > budget_s * (1 + 1e-9) + 1e-6)
        return rule_fail(r, RULE_SPARE, "%.3f s used, the budget is %.3f s", d->why.num[2],
                         budget_s);
    r->tally.spares++;
    return 0;
}
