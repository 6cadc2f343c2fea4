/* rule_decision.c - may the brain ask for this now?
 *
 * Each decision is judged on the book as the events and the decisions before it left it: a launch
 * is charged at once, a kill frees nothing. The checks of a launch stand in order of generality:
 * does the task exist and may it run at all, does the node hold it, and last what cloning adds. */
#include "tests/swarm/rule.h"

/* An attempt beside a live one is a copy, whatever kind it claims to be. */
static int copy_rules(struct referee *r, const struct decision *d, struct book_entry x)
{
    bool copy = d->kind == LAUNCH_CLONE || x.task->live > 0;

    if (!copy)
        return 0;
    if (x.phase->clone_never)
        return rule_fail(r, RULE_SIDE_EFFECTS, "the phase says clone=never and %u attempts live",
                         x.task->live);
    if (book_wanted(x.task) + 1 > x.phase->copies)
        return rule_fail(r, RULE_COPIES, "%u copies wanted already, %.0f allowed",
                         book_wanted(x.task), x.phase->copies);
    if (r->rules.budget_idle)
        return 0; /* idle clones know no ceiling: they yield instead */
    int over = rule_over_share(r, &r->book.charged, &x.phase->demand, r->rules.tau);
    if (over >= 0)
        return rule_fail(r, RULE_TAU, "dimension %d: %lld charged + %d > %.3f x %lld", over,
                         (long long)r->book.charged.v[over], x.phase->demand.v[over], r->rules.tau,
                         (long long)r->book.capacity.v[over]);
    return 0;
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

static int launch_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.task)
        return rule_fail(r, RULE_UNKNOWN, "no such task");
    if (d->at.attempt != x.task->attempts.count)
        return rule_fail(r, RULE_ORDINAL, "the next attempt is %u", x.task->attempts.count);
    if (x.task->commit == BOOK_COMMIT_DONE)
        return rule_fail(r, RULE_FINISHED, "the task is committed");
    if (!book_inputs_ready(x.job, x.phase))
        return rule_fail(r, RULE_BARRIER, "a phase above is not committed");
    if (x.job->running_max && x.job->live >= x.job->running_max)
        return rule_fail(r, RULE_RUNNING_MAX, "%u attempts, running_max is %u", x.job->live,
                         x.job->running_max);
    if (node_rules(r, d, &x.phase->demand) < 0 || copy_rules(r, d, x) < 0)
        return -1;
    book_launch(&r->book, d->at, d->node);
    r->tally.launches++;
    if (d->kind == LAUNCH_CLONE) {
        r->tally.clones++;
        r->clone_launched = true;
        res_sum_add(&r->book.nodes.at[d->node.v].clones_now, &x.phase->demand, 1);
    }
    return 0;
}

static int kill_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (x.attempt->state == BOOK_ENDED)
        return rule_fail(r, RULE_KILL, "the attempt has ended");
    if (d->type == DO_WITHDRAW && x.attempt->state != BOOK_LAUNCHED)
        return rule_fail(r, RULE_KILL, "withdraws an attempt that has started");
    x.attempt->asked = d->id;
    x.attempt->asked_ever = true;
    if (d->why.code == WHY_YIELD || d->why.code == WHY_PREEMPTED ||
        d->why.code == WHY_BUDGET_SHRANK)
        x.attempt->gave_way = r->tally.turns;
    r->tally.kills++;
    return 0;
}

static int commit_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (x.attempt->state != BOOK_ENDED || x.attempt->ending != EV_ATTEMPT_FINISHED)
        return rule_fail(r, RULE_COMMIT, "the attempt has not finished");
    if (x.task->commit != BOOK_COMMIT_NONE)
        return rule_fail(r, RULE_COMMIT, "attempt %u is committed or about to be",
                         x.task->candidate);
    if (!x.attempt->output)
        return rule_fail(r, RULE_COMMIT,
                         "its output is lost, discarded or failed to commit before");
    book_commit(&r->book, d->at, BOOK_COMMIT_ASKED);
    x.task->commit_id = d->id;
    r->tally.commits++;
    return 0;
}

static int discard_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (x.task->commit != BOOK_COMMIT_NONE && x.task->candidate == d->at.attempt)
        return rule_fail(r, RULE_COMMIT, "discards the output of the winner");
    book_output_gone(&r->book, d->at);
    return 0;
}

static int job_done(struct referee *r, const struct book_job *job)
{
    for (uint16_t p = 0; p < job->phase_count; p++) {
        const struct book_phase *phase = &job->phases[p];
        for (uint32_t t = 0; t < phase->task_count; t++) {
            /* An output that was lost after its last reader had it need not be made again. */
            bool fine = phase->read ? phase->tasks[t].commit_ever
                                    : phase->tasks[t].commit == BOOK_COMMIT_DONE;
            if (!fine)
                return rule_fail(r, RULE_JOB_DONE, "task %u.%u.%u is not committed", job->id.v, p,
                                 t);
        }
    }
    r->tally.jobs_done++;
    return 0;
}

static bool job_fits_nowhere(const struct book *b, const struct book_job *job)
{
    for (uint16_t p = 0; p < job->phase_count; p++) {
        bool fits = false;
        for (uint32_t n = 0; n < b->nodes.count && !fits; n++)
            fits = res_fits(&job->phases[p].demand, &b->nodes.at[n].capacity);
        if (!fits)
            return true;
    }
    return false;
}

static int job_failed(struct referee *r, const struct decision *d, const struct book_job *job)
{
    bool fine;

    switch (d->why.code) {
    case WHY_CANCELLED:
        fine = job->cancelled;
        break;
    case WHY_TOO_MANY_FAILURES:
        fine = job->failures > 0 && d->why.num[0] <= job->failures;
        break;
    case WHY_UNSATISFIABLE:
        fine = job_fits_nowhere(&r->book, job);
        break;
    case WHY_HOPELESS_INPUT:
        fine = r->tally.outputs_lost > 0;
        break;
    default:
        fine = false;
    }
    if (!fine)
        return rule_fail(r, RULE_JOB_FAILED, "reason %s is not true: %u failures, %s",
                         reason_name(d->why.code), job->failures,
                         job->cancelled ? "cancelled" : "not cancelled");
    r->tally.jobs_failed++;
    return 0;
}

static int job_over(struct referee *r, const struct decision *d, struct book_entry x)
{
    int rc = d->type == DO_JOB_DONE ? job_done(r, x.job) : job_failed(r, d, x.job);

    if (rc < 0)
        return -1;
    x.job->over = true;
    for (uint16_t p = 0; p < x.job->phase_count; p++)
        for (uint32_t t = 0; t < x.job->phases[p].task_count; t++)
            if (x.job->phases[p].tasks[t].live)
                book_touch(&r->book, (struct attempt_ref){.job = x.job->id, .phase = p, .task = t});
    return 0;
}

static void timer_unset(struct book *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->timers.count; i++)
        if (b->timers.at[i].id == id) {
            b->timers.at[i] = b->timers.at[--b->timers.count];
            return;
        }
}

/* Decisions about nodes and timers, which belong to no job. */
static int world_decision(struct referee *r, const struct decision *d)
{
    struct book *b = &r->book;
    struct book_node *n;

    switch (d->type) {
    case DO_AVOID_NODE:
        n = book_node(b, d->node);
        if (!n)
            return rule_fail(r, RULE_UNKNOWN, "a node that was never up");
        n->avoid_until_us = d->u.until_us;
        return 0;
    case DO_SET_TIMER: /* one that is set already is moved */
        timer_unset(b, d->u.timer.id);
        vec_push(&b->timers, ((struct book_timer){d->u.timer.id, d->u.timer.at_us}));
        return 0;
    default: /* DO_CANCEL_TIMER; one that is just firing may be gone already */
        timer_unset(b, d->u.timer.id);
        return 0;
    }
}

/* Decisions that a job which is over may not get. */
static bool needs_live_job(uint8_t type)
{
    return type == DO_LAUNCH || type == DO_COMMIT || type == DO_ASSIGN_READ ||
           type == DO_REPLICATE || type == DO_VERDICT || type == DO_JOB_DONE ||
           type == DO_JOB_FAILED;
}

static int job_decision(struct referee *r, const struct decision *d)
{
    struct book_entry x = book_find(&r->book, d->at);

    if (!x.job)
        return rule_fail(r, RULE_UNKNOWN, "no such job");
    if (x.job->over && needs_live_job(d->type))
        return rule_fail(r, RULE_JOB_OVER, "the job is over");
    if (x.task)
        book_touch(&r->book, d->at);
    switch (d->type) {
    case DO_LAUNCH:
        return launch_decision(r, d, x);
    case DO_WITHDRAW:
    case DO_KILL:
        return kill_decision(r, d, x);
    case DO_COMMIT:
        return commit_decision(r, d, x);
    case DO_DISCARD_OUTPUT:
        return discard_decision(r, d, x);
    case DO_VERDICT:
        return rule_verdict(r, d);
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        return job_over(r, d, x);
    default: /* assign_read, revoke_read, replicate */
        return x.attempt ? 0 : rule_fail(r, RULE_UNKNOWN, "no such attempt");
    }
}

int rule_decision(struct referee *r, const struct decision *d)
{
    if (d->id != r->decision_last + 1)
        return rule_fail(r, RULE_DECISION_ID, "the last id was %llu",
                         (unsigned long long)r->decision_last);
    r->decision_last = d->id;
    if (d->type == 0 || d->type >= DO_TYPE_END)
        return rule_fail(r, RULE_UNKNOWN, "no such type of decision");
    if (d->type == DO_AVOID_NODE || d->type == DO_SET_TIMER || d->type == DO_CANCEL_TIMER)
        return world_decision(r, d);
    return job_decision(r, d);
}
