/* rule_launch.c - may this attempt be launched now, here and for this reason?
 *
 * A launch is charged at once. The checks stand in order of generality: does the task exist and may
 * it run at all, does the node hold it, and last what clones and backups add. */
#include "tests/swarm/rule.h"

double rule_slots(const struct referee *r, const struct res_sum *sum)
{
    double slots = 0;

    for (int i = 0; i < RES_COUNT; i++)
        if (r->book.kinds.v[i] == RES_SLOTS)
            slots += (double)sum->v[i] / (i == RES_CPU ? RES_SLOT : 1);
    return slots;
}

bool rule_over_cap(const struct referee *r, const struct res *demand)
{
    struct res_sum held = r->book.backups;

    res_sum_add(&held, demand, 1);
    return rule_slots(r, &held) > r->rules.cap * rule_slots(r, &r->book.capacity) + 1e-6;
}

bool rule_queue_would_allow(const struct referee *r, uint32_t queue, const struct res_sum *held,
                            const struct res *demand, uint32_t tasks)
{
    double most = r->rules.queue_most[queue];
    bool empty = true, within = true;

    for (int i = 0; i < RES_COUNT; i++) {
        double limit = most * (double)r->book.capacity.v[i];
        int64_t then = held->v[i] + (int64_t)tasks * demand->v[i];
        empty &= held->v[i] == 0;
        within &= demand->v[i] == 0 || (double)then <= limit * (1 + 1e-12);
    }
    return !r->rules.queues || most >= 1 || (empty && tasks <= 1) || within;
}

bool rule_queue_allows(const struct referee *r, const struct book_job *job,
                       const struct res *demand)
{
    return rule_queue_would_allow(r, job->queue, &r->book.queues[job->queue], demand, 1);
}

static bool has_backup(const struct book_task *t)
{
    for (uint32_t i = 0; i < t->attempts.count; i++)
        if (t->attempts.at[i].state != BOOK_ENDED && t->attempts.at[i].kind == LAUNCH_BACKUP)
            return true;
    return false;
}

/* Clones of the task that were launched. */
static uint32_t clones_of(const struct book_task *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->attempts.count; i++)
        count += t->attempts.at[i].kind == LAUNCH_CLONE;
    return count;
}

/* No task is tried again and again: backups, and clones in place of those that made room, leave it
 * half of its launches; and Mantri looks at what a copy does before it starts another one. */
static int tries_rules(struct referee *r, const struct decision *d, struct book_entry x)
{
    const struct book_task *t = x.task;
    bool again = d->kind == LAUNCH_BACKUP ||
                 (d->kind == LAUNCH_CLONE && clones_of(t) + 1 >= x.phase->copies_most);

    if (r->rules.launches_max && again && t->attempts.count >= r->rules.launches_max / 2)
        return rule_fail(r, RULE_TRIES, "a copy of a task that was launched %u times of %u",
                         t->attempts.count, r->rules.launches_max);
    for (uint32_t i = 0; d->why.code == WHY_DUPLICATE_SAVES && i < t->attempts.count; i++)
        if (t->attempts.at[i].state != BOOK_ENDED &&
            r->now_us - t->attempts.at[i].launch_us < r->rules.duplicate_after_us)
            return rule_fail(r, RULE_TRIES, "attempt %u was launched %lld us ago, not %lld", i,
                             (long long)(r->now_us - t->attempts.at[i].launch_us),
                             (long long)r->rules.duplicate_after_us);
    return 0;
}

/* What a reactive policy adds: a backup beside an attempt that it wants to keep, or its clones. */
static int backup_rules(struct referee *r, const struct decision *d, struct book_entry x)
{
    const struct book_task *t = x.task;

    if (!r->rules.backups)
        return rule_fail(r, RULE_BACKUP, "the policy has no backups");
    if (x.job->replicated)
        return rule_fail(r, RULE_BACKUP, "the job is cloned as a whole");
    if (book_finished(t))
        return rule_fail(r, RULE_BACKUP, "an attempt of the task has finished");
    uint32_t wanted = book_wanted(t);
    bool fine =
        t->live == wanted && (wanted == 1 || (wanted > 1 && x.phase->cloned && !has_backup(t)));
    if (d->why.code == WHY_DUPLICATE_SAVES) /* Mantri: more copies, and dying ones do not count */
        fine = wanted > 0 && wanted < r->rules.duplicates_max;
    if (d->why.code == WHY_RESCUE)
        fine = wanted > 0 && wanted < r->rules.copies_max;
    if (!fine)
        return rule_fail(r, RULE_BACKUP, "the task has %u attempts, %u of them wanted", t->live,
                         wanted);
    if (d->why.code == WHY_SLOWEST_LEFT && rule_over_cap(r, &x.phase->demand))
        return rule_fail(r, RULE_CAP, "backups hold %.3f slots, the cap is %.3f of %.3f",
                         rule_slots(r, &r->book.backups), r->rules.cap,
                         rule_slots(r, &r->book.capacity));
    return 0;
}

/* Clones in all jobs that nobody has asked to end. */
static int64_t clones_wanted(const struct book *b)
{
    int64_t count = 0;

    for (uint32_t j = 0; j < b->jobs.count; j++)
        for (uint16_t p = 0; p < b->jobs.at[j].phase_count && b->jobs.at[j].live; p++)
            for (uint32_t t = 0; t < b->jobs.at[j].phases[p].task_count; t++) {
                const struct book_task *task = &b->jobs.at[j].phases[p].tasks[t];
                for (uint32_t i = 0; i < task->attempts.count && task->live; i++)
                    count += task->attempts.at[i].kind == LAUNCH_CLONE &&
                             task->attempts.at[i].state < BOOK_LEFT &&
                             !task->attempts.at[i].asked_ever;
            }
    return count;
}

/* Idle clones need idle cores, up to a quarter of what one takes. */
static int core_rules(struct referee *r)
{
    if (!r->rules.budget_idle || r->each <= 0)
        return 0;
    int64_t clones = clones_wanted(&r->book);
    if ((clones + 1) * r->each > r->spare + r->each / 4)
        return rule_fail(r, RULE_IDLE, "%lld clones and one more at %d each, %d of cores are idle",
                         (long long)clones, r->each, r->spare);
    return 0;
}

/* What cloning adds. */
static int clone_rules(struct referee *r, struct book_entry x)
{
    if (book_wanted(x.task) + 1 > x.phase->copies)
        return rule_fail(r, RULE_COPIES, "%u copies wanted already, %.0f allowed",
                         book_wanted(x.task), x.phase->copies);
    if (core_rules(r) < 0)
        return -1;
    if (r->rules.job_clone || (r->rules.budget_idle && !r->rules.hotcloud))
        return 0; /* idle clones know no ceiling: they yield instead */
    int over = rule_over_share(r, &r->book.charged, &x.phase->demand, r->rules.tau);
    if (over >= 0)
        return rule_fail(r, RULE_TAU, "dimension %d: %lld charged + %d > %.3f x %lld", over,
                         (long long)r->book.charged.v[over], x.phase->demand.v[over], r->rules.tau,
                         (long long)r->book.capacity.v[over]);
    return 0;
}

/* An attempt beside a live one is a copy, whatever kind it claims to be. */
static int copy_rules(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (d->kind != LAUNCH_CLONE && d->kind != LAUNCH_BACKUP && x.task->live == 0)
        return 0;
    if (x.phase->clone_never)
        return rule_fail(r, RULE_SIDE_EFFECTS, "the phase says clone=never and %u attempts live",
                         x.task->live);
    if (r->rules.failures_max && !x.job->replicated &&
        x.task->own_failures >= r->rules.failures_max)
        return rule_fail(r, RULE_GIVEN_UP, "a copy of a task that has failed %u times, %u allowed",
                         x.task->own_failures, r->rules.failures_max);
    if (d->kind == LAUNCH_CLONE && rule_pressure_launch(r, d) < 0)
        return -1;
    if ((d->kind == LAUNCH_BACKUP ? backup_rules(r, d, x) : clone_rules(r, x)) < 0 ||
        rule_shepherd_launch(r, d, x) < 0)
        return -1;
    return x.job->replicated ? 0 : tries_rules(r, d, x);
}

static int node_rules(struct referee *r, const struct decision *d, const struct res *demand)
{
    struct book_node *n = book_node(&r->book, d->node);

    if (!n)
        return rule_fail(r, RULE_UNKNOWN, "a node that was never up");
    if (!book_node_usable(n, r->now_us))
        return rule_fail(r, RULE_NODE_STATE, "the node is not up, or to be avoided until %lld us",
                         (long long)n->avoid_until_us);
    for (int i = 0; i < RES_COUNT; i++)
        if (n->charged.v[i] + demand->v[i] > n->capacity.v[i])
            return rule_fail(r, RULE_CAPACITY, "dimension %d: %lld charged + %d > %d", i,
                             (long long)n->charged.v[i], demand->v[i], n->capacity.v[i]);
    return 0;
}

/* A job that was launched with a better rank in this turn and has a task that fits the node still,
 * or NULL. Which task is next is another question in jobs of several phases, and in those that are
 * cloned as a whole. */
static const struct book_job *better_waits(const struct referee *r, const struct book_node *n,
                                           double rank)
{
    for (uint32_t i = 0; i < r->book.jobs.count; i++) {
        const struct book_job *j = &r->book.jobs.at[i];
        if (j->rank_turn != r->tally.turns || j->rank >= rank || j->over || j->phase_count > 1 ||
            j->replicated || (j->running_max && j->live >= j->running_max))
            continue;
        bool fits =
            rule_room_waiting(j, j->phases) > 0 && rule_queue_allows(r, j, &j->phases->demand);
        for (int k = 0; k < RES_COUNT; k++)
            fits &= n->charged.v[k] + j->phases->demand.v[k] <= n->capacity.v[k];
        if (fits)
            return j;
    }
    return NULL;
}

/* What the order published is what it does: whoever has the better rank is first on a node, and as
 * long as tasks of it fit there. */
static int rank_rules(struct referee *r, const struct decision *d, struct book_job *j)
{
    struct book_node *n = book_node(&r->book, d->node);

    if (d->why.code != WHY_STANDING || d->why.num[0] <= 0)
        return 0;
    if (n->rank_turn == r->tally.turns && d->why.num[0] < n->rank)
        return rule_fail(r, RULE_RANK, "rank %.0f on a node that has taken rank %.0f",
                         d->why.num[0], n->rank);
    const struct book_job *better = j->phase_count == 1 ? better_waits(r, n, d->why.num[0]) : NULL;
    if (better)
        return rule_fail(r, RULE_RANK, "rank %.0f on a node where job %u of rank %.0f fits",
                         d->why.num[0], better->id.v, better->rank);
    j->rank = d->why.num[0];
    j->rank_turn = r->tally.turns;
    r->tally.ranked += n->rank_turn == r->tally.turns && d->why.num[0] > n->rank;
    n->rank = d->why.num[0];
    n->rank_turn = r->tally.turns;
    return 0;
}

/* Whether the policy has promised that no first attempt could have used the room. */
static bool takes_what_is_left(const struct referee *r, const struct decision *d)
{
    bool early = (r->rules.early && d->why.code == WHY_SLOWEST_LEFT) || d->why.code == WHY_RESCUE;
    return (d->kind == LAUNCH_CLONE && (r->rules.budget_idle || r->rules.offers)) ||
           (d->kind == LAUNCH_BACKUP && r->rules.backups_yield && !early);
}

int rule_launch(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.task)
        return rule_fail(r, RULE_UNKNOWN, "no such task");
    if (d->at.attempt != x.task->attempts.count)
        return rule_fail(r, RULE_ORDINAL, "the next attempt is %u", x.task->attempts.count);
    if (r->rules.tick_us > 0 && r->now_us % r->rules.tick_us != 0 && r->tick_turn != r->tally.turns)
        return rule_fail(r, RULE_TICK, "attempts start at multiples of %lld us",
                         (long long)r->rules.tick_us);
    bool spare = d->why.code == WHY_PRECOMPUTE;
    if (spare && rule_spare(r, d, x) < 0)
        return -1;
    if ((x.task->commit == BOOK_COMMIT_DONE && !spare) || x.task->given_up)
        return rule_fail(r, RULE_FINISHED, "the task is committed or given up");
    if (rule_replica_launch(r, d, x) < 0)
        return -1;
    if (d->job_copy == 0 && !book_inputs_ready(x.job, x.phase))
        return rule_fail(r, RULE_BARRIER, "a phase above is not committed");
    if (x.job->running_max && x.job->live >= x.job->running_max)
        return rule_fail(r, RULE_RUNNING_MAX, "%u attempts, running_max is %u", x.job->live,
                         x.job->running_max);
    if (!rule_queue_allows(r, x.job, &x.phase->demand))
        return rule_fail(r, RULE_QUEUE, "the job's queue is at its maximum, %.3f",
                         r->rules.queue_most[x.job->queue]);
    bool copy = (d->kind == LAUNCH_CLONE && d->job_copy == 0) || d->kind == LAUNCH_BACKUP;
    struct res_sum one = {{0}};
    res_sum_plus(&one, &x.phase->demand);
    if (copy && rule_cost_launch(r, &one) < 0)
        return -1;
    if (node_rules(r, d, &x.phase->demand) < 0 || rank_rules(r, d, x.job) < 0 ||
        copy_rules(r, d, x) < 0)
        return -1;
    book_launch(&r->book, d->at, d->kind, d->node);
    rule_shepherd_launched(d, x);
    x.task->attempts.at[d->at.attempt].launched = r->tally.turns;
    x.task->attempts.at[d->at.attempt].launch_us = r->now_us;
    x.task->attempts.at[d->at.attempt].spare = spare;
    x.task->attempts.at[d->at.attempt].replica = d->job_copy;
    r->tally.launches++;
    r->tally.backups += d->kind == LAUNCH_BACKUP;
    if (d->kind == LAUNCH_CLONE) {
        r->tally.phases_cloned += !x.phase->cloned;
        book_clone(&r->book, x.phase);
        r->tally.clones++;
        r->tally.left += r->book.nodes_down > 0;
        r->clone_launched = true;
    }
    if (takes_what_is_left(r, d)) {
        r->spare_launched = true;
        res_sum_add(&r->book.nodes.at[d->node.v].spare_now, &x.phase->demand, 1);
    }
    return 0;
}
