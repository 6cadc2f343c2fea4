/* rule_decision.c - may the brain ask for this now?
 *
 * Each decision is judged on the book as the events and the decisions before it left it: a kill
 * that is asked for frees nothing. Launches, verdicts and reads have files of their own. */
#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"

/* Whether a phase above, directly or not, has something to do: whoever started early may yield to
 * that, and to nothing else. */
static bool above_incomplete(const struct book_job *job, const struct book_phase *phase)
{
    for (uint16_t e = 0; e < phase->edge_count; e++) {
        const struct book_phase *up = &job->phases[phase->edges[e].from];
        if (up->done < up->task_count || above_incomplete(job, up))
            return true;
    }
    return false;
}

static int kill_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    if (x.attempt->state == BOOK_ENDED)
        return rule_fail(r, RULE_KILL, "the attempt has ended");
    if (d->type == DO_WITHDRAW && x.attempt->state != BOOK_LAUNCHED)
        return rule_fail(r, RULE_KILL, "withdraws an attempt that has started");
    if (x.attempt->launched == r->tally.turns)
        return rule_fail(r, RULE_KILL, "was launched in this very turn");
    if (rule_disk_kill(r, d, x) < 0 || rule_pressure_kill(r, d, x.attempt) < 0)
        return -1;
    bool mantri = d->why.code == WHY_RESTART_FASTER || d->why.code == WHY_PRUNED;
    if (mantri && (x.phase->clone_never || x.job->replicated))
        return rule_fail(r, RULE_SIDE_EFFECTS, "Mantri may not start this task again");
    if (d->why.code == WHY_RESTART_FASTER && x.task->restarts >= r->rules.restarts_max)
        return rule_fail(r, RULE_TRIES, "restarted %u times already", x.task->restarts);
    if (d->why.code == WHY_INPUT_CHANGED && !x.job->changed)
        return rule_fail(r, RULE_MIX, "nothing has changed that was made again");
    if (d->why.code == WHY_LOST_RACE && x.task->commit != BOOK_COMMIT_DONE)
        return rule_fail(r, RULE_KILL, "the reason is a lost race, but nobody has won");
    if (d->why.code == WHY_RESTART_FASTER) {
        x.task->restarts += !x.attempt->asked_ever;
        r->tally.restarts++;
        for (uint32_t i = 0; i < x.task->attempts.count; i++)
            x.task->attempts.at[i].gave_way = 0; /* whoever was pruned was not the last then */
    }
    bool early = d->why.code == WHY_YIELD && book_starts_early(x.phase) &&
                 above_incomplete(x.job, x.phase); /* a reader that waits */
    if (rule_shepherd_kill(r, d, x, early) < 0)
        return -1;
    bool gives_way = (d->why.code == WHY_YIELD && !early) || d->why.code == WHY_PREEMPTED ||
                     d->why.code == WHY_BUDGET_SHRANK || d->why.code == WHY_NO_IDLE_CORE ||
                     d->why.code == WHY_PRESSURE || d->why.code == WHY_PRUNED;
    if (gives_way && !x.attempt->asked_ever) /* asking again is no new decision */
        x.attempt->gave_way = r->tally.turns;
    if (!x.attempt->asked_ever)
        rule_room_yields(r, d, x.attempt);
    x.attempt->asked = d->id;
    x.attempt->asked_ever = true;
    x.job->stirred = true;
    x.job->replicas_lost |= d->why.code == WHY_REPLICA_LOST;
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
    if (rule_replica_commit(r, d, x) < 0)
        return -1;
    book_commit(&r->book, d->at, BOOK_COMMIT_ASKED);
    x.task->commit_id = d->id;
    r->tally.commits++;
    return 0;
}

static int discard_decision(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    bool changed = d->why.code == WHY_INPUT_CHANGED;
    if (changed && !x.job->changed)
        return rule_fail(r, RULE_MIX, "nothing has changed that was made again");
    if (x.task->commit != BOOK_COMMIT_NONE && x.task->candidate == d->at.attempt) {
        if (!changed || x.task->commit != BOOK_COMMIT_DONE)
            return rule_fail(r, RULE_COMMIT, "discards the output of the winner");
        book_output_gone(&r->book, d->at);
        book_commit(&r->book, d->at, BOOK_COMMIT_NONE);
        return 0;
    }
    if (d->why.code == WHY_NONDETERMINISTIC) {
        if (x.task->commit != BOOK_COMMIT_DONE || x.task->checksum == x.attempt->checksum)
            return rule_fail(r, RULE_COMMIT, "discards what does not differ from the winner");
        r->tally.different++; /* whoever reads it has to read something else */
    } else if (!changed) {
        vec_push(&r->discarded, book_place(&r->book, d->at));
    }
    book_output_gone(&r->book, d->at);
    return 0;
}

/* Whether what the phase made is part of the result: nobody reads it, or a phase did that is part
 * of it and did not give up. (Readers that start early may all fail before the phase above is
 * done.) */
static bool phase_counts(const struct book_job *job, uint16_t phase)
{
    if (!job->phases[phase].read)
        return true;
    for (uint16_t k = (uint16_t)(phase + 1); k < job->phase_count; k++)
        for (uint16_t e = 0; e < job->phases[k].edge_count; e++)
            if (job->phases[k].edges[e].from == phase && job->phases[k].given_up == 0 &&
                phase_counts(job, k))
                return true;
    return false;
}

/* Whether what the task made went into the result: nobody reads it, or a task that needs it and
 * counts itself has won. (All that need it may have been given up while it was made again.) */
static bool task_counts(const struct book_job *job, uint16_t phase, uint32_t task)
{
    if (!job->phases[phase].read)
        return true;
    for (uint16_t k = (uint16_t)(phase + 1); k < job->phase_count; k++) {
        const struct book_phase *reader = &job->phases[k];
        for (uint16_t e = 0; e < reader->edge_count; e++)
            for (uint32_t t = 0; reader->edges[e].from == phase && t < reader->task_count; t++)
                if (reader->tasks[t].commit_ever && !reader->tasks[t].given_up &&
                    book_needs(&reader->edges[e], job->phases[phase].task_count, reader->task_count,
                               t, task) &&
                    task_counts(job, k, t))
                    return true;
    }
    return false;
}

/* Whoever won has read what is committed now, and not something else that once was: attempts of
 * one task may disagree, and a result is made of one of them. */
static int job_is_mixed(struct referee *r, const struct book_job *job)
{
    for (uint16_t p = 0; p < job->phase_count; p++) {
        const struct book_phase *phase = &job->phases[p];
        for (uint32_t t = 0; t < phase->task_count && phase->edge_count > 0; t++) {
            const struct book_task *task = &phase->tasks[t];
            if (!task->commit_ever || task->given_up)
                continue;
            uint64_t read = task->attempts.at[task->candidate].inputs;
            if (read != 0 && read != book_inputs_now(job, phase, t) && task_counts(job, p, t))
                return rule_fail(r, RULE_MIX,
                                 "task %u.%u.%u has read an output that is not the committed one",
                                 job->id.v, p, t);
        }
    }
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
            fine |= phase->read && rule_replica_missed(job, &phase->tasks[t]);
            if (!fine && !phase->tasks[t].given_up && phase_counts(job, p))
                return rule_fail(r, RULE_JOB_DONE, "task %u.%u.%u is not committed", job->id.v, p,
                                 t);
        }
    }
    if (job_is_mixed(r, job) < 0)
        return -1;
    r->tally.jobs_done++;
    r->tally.changed += job->changed;
    return 0;
}

bool rule_spent(const struct decision *d, struct book_entry x)
{
    double times = d->why.num[0], limit = d->why.num[1];

    if (!x.task || times < limit)
        return false;
    if (d->why.code == WHY_TOO_MANY_FAILURES)
        return times > 0 && times <= x.task->failures;
    if (x.job->replicated) /* a replica counts its own launches */
        return limit > 0 && (uint32_t)times <= x.task->attempts.count;
    return limit > 0 && (uint32_t)times == x.task->attempts.count;
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

static int job_failed(struct referee *r, const struct decision *d, struct book_entry x)
{
    const struct book_job *job = x.job;
    bool fine;

    switch (d->why.code) {
    case WHY_CANCELLED:
        fine = job->cancelled;
        break;
    case WHY_TOO_MANY_FAILURES:
    case WHY_TOO_MANY_LAUNCHES:
        fine = rule_spent(d, x);
        r->tally.launches_spent += d->why.code == WHY_TOO_MANY_LAUNCHES;
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
        return rule_fail(r, RULE_JOB_FAILED,
                         "reason %s (%.0f, %.0f) is not true: task failed %u "
                         "times, job %s",
                         reason_name(d->why.code), d->why.num[0], d->why.num[1],
                         x.task ? x.task->failures : 0,
                         job->cancelled ? "cancelled" : "not cancelled");
    r->tally.jobs_failed++;
    return 0;
}

static int job_over(struct referee *r, const struct decision *d, struct book_entry x)
{
    int rc = d->type == DO_JOB_DONE ? job_done(r, x.job) : job_failed(r, d, x);

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

    if (d->type == DO_SET_TIMER) { /* one that is set already is moved */
        timer_unset(b, d->u.timer.id);
        vec_push(&b->timers, ((struct book_timer){d->u.timer.id, d->u.timer.at_us}));
        return 0;
    }
    n = book_node(b, d->node);
    if (!n)
        return rule_fail(r, RULE_UNKNOWN, "a node that was never up");
    n->avoid_until_us = d->u.until_us;
    r->tally.avoided++;
    return d->why.code == WHY_BAD_NODE ? rule_screen(r, n) : 0;
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
    if (rule_cost_said(r, d) < 0)
        return -1;
    switch (d->type) {
    case DO_LAUNCH:
        return rule_launch(r, d, x);
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
    case DO_ASSIGN_READ:
        return rule_read_assign(r, d);
    default: /* replicate */
        return rule_copy_ask(r, d, x);
    }
}

int rule_decision(struct referee *r, const struct decision *d)
{
    if (d->id != r->decision_last + 1)
        return rule_fail(r, RULE_DECISION_ID, "the last id was %llu",
                         (unsigned long long)r->decision_last);
    r->decision_last = d->id;
    if (!decision_is_type(d->type))
        return rule_fail(r, RULE_UNKNOWN, "no such type of decision");
    if (d->type == DO_AVOID_NODE || d->type == DO_SET_TIMER)
        return world_decision(r, d);
    return job_decision(r, d);
}
