/* rule_replica.c - jobs that are cloned as a whole.
 *
 * Until a replica has ended every launch belongs to one, reads only what its own replica made, and
 * nothing is committed. The first commit names the replica that counts: all its leaves must be
 * there, its phases are committed from the top, and the attempts of all others are asked to end in
 * that very turn. */
#include "tests/swarm/rule.h"

bool rule_replica_output(const struct book_task *t, uint16_t replica)
{
    for (uint32_t i = 0; i < t->attempts.count; i++)
        if (t->attempts.at[i].replica == replica && t->attempts.at[i].output)
            return true;
    return false;
}

int rule_replica_verdict(struct referee *r, struct book_entry x, double copies)
{
    struct res_sum sum = r->book.charged;

    if (x.job->replicated)
        return 0; /* the same answer for another phase */
    for (uint16_t p = 0; p < x.job->phase_count; p++)
        res_sum_add(&sum, &x.job->phases[p].demand, (int64_t)copies * x.job->phases[p].task_count);
    struct res_sum more = {{0}};
    for (uint16_t p = 0; p < x.job->phase_count; p++)
        res_sum_add(&more, &x.job->phases[p].demand,
                    ((int64_t)copies - 1) * x.job->phases[p].task_count);
    if (rule_cost_launch(r, &more) < 0)
        return -1;
    int over = rule_over_share(r, &sum, NULL, r->rules.tau);
    if (over >= 0)
        return rule_fail(r, RULE_TAU, "%.0f copies make %lld of dimension %d, the ceiling is %.3f",
                         copies, (long long)sum.v[over], over,
                         r->rules.tau * (double)r->book.capacity.v[over]);
    book_replicate(&r->book, x.job);
    return 0;
}

/* Whether a copy before this one goes on: what the first one launches is no clone. */
static bool before_lives(const struct book_job *job, uint16_t replica)
{
    for (uint16_t p = 0; p < job->phase_count && replica > 1; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++) {
            const struct book_task *task = &job->phases[p].tasks[t];
            for (uint32_t i = 0; i < task->attempts.count; i++) {
                const struct book_attempt *a = &task->attempts.at[i];
                bool wanted = a->state == BOOK_ENDED ? a->output : !a->asked;
                if (a->replica < replica && wanted)
                    return true;
            }
        }
    return false;
}

int rule_replica_launch(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (d->job_copy == 0)
        return x.job->replicated && x.job->winner == 0
                   ? rule_fail(r, RULE_REPLICA, "a launch that belongs to no replica")
                   : 0;
    if (!x.job->replicated || x.job->winner)
        return rule_fail(r, RULE_REPLICA, "replica %u of a job that %s", d->job_copy,
                         x.job->winner ? "has its winner" : "is not cloned");
    bool clone = d->kind == LAUNCH_CLONE;
    if (d->job_copy > x.phase->copies ||
        (clone ? d->job_copy == 1 : before_lives(x.job, d->job_copy)))
        return rule_fail(r, RULE_REPLICA, "replica %u of %.0f as %s", d->job_copy, x.phase->copies,
                         decision_kind_name(d->kind));
    for (uint32_t i = 0; i < x.task->attempts.count; i++)
        if (x.task->attempts.at[i].replica == d->job_copy &&
            (x.task->attempts.at[i].state != BOOK_ENDED || x.task->attempts.at[i].output))
            return rule_fail(r, RULE_REPLICA, "attempt %u runs or has an output in replica %u", i,
                             d->job_copy);
    for (uint16_t e = 0; e < x.phase->edge_count; e++) {
        const struct book_phase *up = &x.job->phases[x.phase->edges[e].from];
        for (uint32_t t = 0; t < up->task_count; t++)
            if (!rule_replica_output(&up->tasks[t], d->job_copy))
                return rule_fail(r, RULE_BARRIER, "task %u.%u has no output in replica %u",
                                 x.phase->edges[e].from, t, d->job_copy);
    }
    return 0;
}

int rule_replica_read(struct referee *r, const struct decision *d, const struct book_attempt *from,
                      uint16_t replica)
{
    if (d->u.read.source.task == TASK_ALL)
        return rule_fail(r, RULE_REPLICA, "nothing is committed yet");
    if (!from || from->replica != replica || !from->output)
        return rule_fail(r, RULE_REPLICA, "replica %u reads an output of replica %u", replica,
                         from ? from->replica : 0);
    return 0;
}

/* All leaves have an output in this replica, or were given up. */
static bool replica_is_whole(const struct book_job *job, uint16_t replica)
{
    for (uint16_t p = 0; p < job->phase_count; p++) {
        const struct book_phase *phase = &job->phases[p];
        for (uint32_t t = 0; t < phase->task_count && !phase->read; t++)
            if (!phase->tasks[t].given_up && !rule_replica_output(&phase->tasks[t], replica))
                return false;
    }
    return true;
}

int rule_replica_commit(struct referee *r, const struct decision *d, struct book_entry x)
{
    uint16_t replica = x.attempt->replica;

    if (!x.job->replicated)
        return 0;
    if (x.job->winner == 0) {
        if (replica == 0 || !replica_is_whole(x.job, replica))
            return rule_fail(r, RULE_REPLICA, "replica %u has not ended", replica);
        book_replica_won(&r->book, x.job, replica);
        r->tally.replicas_won += replica > 1;
    }
    if (replica > 0 && replica != x.job->winner)
        return rule_fail(r, RULE_REPLICA, "replica %u has won", x.job->winner);
    for (uint16_t e = 0; e < x.phase->edge_count; e++) {
        const struct book_phase *up = &x.job->phases[x.phase->edges[e].from];
        for (uint32_t t = 0; t < up->task_count; t++)
            if (up->tasks[t].commit != BOOK_COMMIT_DONE &&
                rule_replica_output(&up->tasks[t], x.job->winner))
                return rule_fail(r, RULE_REPLICA, "task %u.%u above is not committed",
                                 x.phase->edges[e].from, t);
    }
    (void)d;
    return 0;
}

bool rule_replica_missed(const struct book_job *job, const struct book_task *t)
{
    for (uint32_t i = 0; job->winner && i < t->attempts.count; i++)
        if (t->attempts.at[i].replica == job->winner && t->attempts.at[i].output_lost)
            return true;
    return false;
}

bool rule_replica_changed(struct book_entry x)
{
    /* Once a replica has won, attempts belong to none, but what it had made stands. */
    uint16_t replica = x.attempt->replica ? x.attempt->replica : x.job->winner;

    for (uint32_t i = 0; replica > 0 && i < x.task->attempts.count; i++) {
        const struct book_attempt *a = &x.task->attempts.at[i];
        if (a->replica == replica && a->output_lost && a->checksum != x.attempt->checksum)
            return true;
    }
    return false;
}

int rule_replica_turn_end(struct referee *r, struct book_job *job)
{
    bool lost = job->replicas_lost;

    job->replicas_lost = false;
    if (lost && job->winner == 0 && !job->over)
        return rule_fail(r, RULE_REPLICA, "replicas of %u end, but none has won", job->id.v);
    for (uint16_t p = 0; p < job->phase_count && job->winner; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++) {
            const struct book_task *task = &job->phases[p].tasks[t];
            for (uint32_t i = 0; task->live && i < task->attempts.count; i++) {
                const struct book_attempt *a = &task->attempts.at[i];
                if (a->state != BOOK_ENDED && !a->asked && a->replica > 0 &&
                    a->replica != job->winner)
                    return rule_fail(r, RULE_LOSERS, "attempt %u.%u.%u.%u of replica %u lives on",
                                     job->id.v, p, t, i, a->replica);
            }
        }
    return 0;
}
