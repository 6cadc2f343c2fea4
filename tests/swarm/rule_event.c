/* rule_event.c - is this event possible after all that was told and decided before?
 *
 * Events are the body's side of the contract (core/model/event.h): one answer per launch, one
 * ending per started attempt, one answer per commit, nothing about attempts that do not exist. A
 * refusal is the only answer that takes a request back: a task whose kill was refused has a live
 * attempt again, except when the refusal says that it has ended: then its ending follows. */
#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"

static int node_event(struct referee *r, const struct event *e)
{
    struct book_node *n = book_node(&r->book, e->node);

    if (!n && e->type != EV_NODE_UP)
        return rule_fail(r, RULE_UNKNOWN, "a node that was never up");
    switch (e->type) {
    case EV_NODE_UP:
        r->tally.returned += n && (n->state == BOOK_NODE_SUSPECT || n->state == BOOK_NODE_DRAINING);
        if (n && n->state == BOOK_NODE_DOWN) {
            n->trial = false;
            n->pressed_until_us = 0;
        }
        book_node_note(&r->book, e->node, &e->u.node.capacity)->state = BOOK_NODE_UP;
        break;
    case EV_NODE_DOWN:
        n->state = BOOK_NODE_DOWN;
        n->down_us = r->now_us;
        break;
    case EV_NODE_SUSPECT:
        n->state = BOOK_NODE_SUSPECT;
        break;
    case EV_NODE_DRAIN:
        n->state = BOOK_NODE_DRAINING;
        break;
    default:
        book_node_note(&r->book, e->node, &e->u.node.capacity);
    }
    book_sum_capacity(&r->book);
    return 0;
}

static int job_event(struct referee *r, const struct event *e)
{
    struct book *b = &r->book;

    if (e->type == EV_JOB_SUBMITTED) {
        if (b->jobs.count && b->jobs.at[b->jobs.count - 1].id.v >= e->u.job->id.v)
            return rule_fail(r, RULE_ONE_ANSWER, "job ids do not rise");
        book_job_add(b, e->u.job);
        return 0;
    }
    struct book_job *job = book_find(b, e->at).job;
    if (!job)
        return rule_fail(r, RULE_UNKNOWN, "no such job");
    if (e->type == EV_JOB_CANCELLED)
        job->cancelled = true;
    else
        job->running_max = e->u.change.running_max;
    return 0;
}

/* An attempt that ended by itself may have been ended from outside, with its node about to follow:
 * it counts when the node has lived on for a while. */
static int doubt_event(struct referee *r, const struct event *e, struct book_entry x)
{
    const struct book_node *n = book_node(&r->book, x.attempt->node);

    if (!r->rules.doubt_us || (e->type != EV_ATTEMPT_FINISHED && e->type != EV_ATTEMPT_FAILED))
        return 0;
    if (x.attempt->state != BOOK_LEFT)
        return rule_fail(r, RULE_DOUBT, "an end that was never in doubt");
    if (n->state == BOOK_NODE_DOWN || n->down_us >= x.attempt->left_us)
        return rule_fail(r, RULE_DOUBT, "an end counts though its node went down");
    if (r->now_us < x.attempt->left_us + r->rules.doubt_us)
        return rule_fail(r, RULE_DOUBT, "an end counts after %lld us",
                         (long long)(r->now_us - x.attempt->left_us));
    r->tally.believed++;
    return 0;
}

/* A failure that nothing excuses: no node, disk or job that was over. One of an attempt that was to
 * replace an output in advance is not the task's. */
static void own_failure(const struct event *e, struct book_entry x)
{
    if (e->cause != CAUSE_NODE_DOWN && e->cause != CAUSE_WITHDRAWN && e->cause != CAUSE_JOB_OVER &&
        e->cause != CAUSE_DISK_FULL && e->cause != CAUSE_NODE_FAULT &&
        x.attempt->kind != LAUNCH_RECOMPUTE)
        x.task->own_failures++;
}

static int ended_event(struct referee *r, const struct event *e, struct book_entry x)
{
    if (x.attempt->state != BOOK_RUNNING)
        return rule_fail(r, RULE_ONE_ANSWER, "an attempt ends that does not run");
    book_leave(&r->book, e->at, r->now_us);
    return 0;
}

static int ending_event(struct referee *r, const struct event *e, struct book_entry x)
{
    if (x.attempt->state != BOOK_RUNNING && x.attempt->state != BOOK_LEFT)
        return rule_fail(r, RULE_ONE_ANSWER, "an ending for an attempt that %s",
                         x.attempt->state == BOOK_ENDED ? "has ended" : "was not started");
    if (doubt_event(r, e, x) < 0)
        return -1;
    if (e->type == EV_ATTEMPT_KILLED && !x.attempt->asked_ever)
        return rule_fail(r, RULE_KILL, "killed, but nobody asked for it");
    if (e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LOST)
        x.task->failures++;
    if (e->type == EV_ATTEMPT_FAILED)
        own_failure(e, x);
    if (e->type == EV_ATTEMPT_FINISHED) {
        if (rule_read_finished(r, x.attempt) < 0)
            return -1;
        rule_shepherd_finished(r, e, x);
    }
    if (x.attempt->unread == 0) /* without a network nobody is kept from finishing */
        x.attempt->inputs = book_inputs_read(&x);
    rule_disk_full(r, e, x);
    r->tally.failed += e->type == EV_ATTEMPT_FAILED;
    r->tally.lost += e->type == EV_ATTEMPT_LOST;
    r->tally.doubted += e->type == EV_ATTEMPT_LOST && x.attempt->state == BOOK_LEFT;
    book_end(&r->book, e->at, e->type);
    return 0;
}

static int launch_answer(struct referee *r, const struct event *e, struct book_entry x)
{
    if (x.attempt->state != BOOK_LAUNCHED)
        return rule_fail(r, RULE_ONE_ANSWER, "a second answer to a launch");
    if (e->type == EV_ATTEMPT_STARTED) {
        x.attempt->state = BOOK_RUNNING;
        x.attempt->start_us = r->now_us;
        return 0;
    }
    if (e->cause == CAUSE_WITHDRAWN && !x.attempt->asked_ever)
        return rule_fail(r, RULE_KILL, "withdrawn, but nobody asked for it");
    if (e->cause != CAUSE_WITHDRAWN) {
        x.task->failures++;
        own_failure(e, x);
        rule_disk_full(r, e, x);
        r->tally.launch_failed++;
    }
    book_end(&r->book, e->at, e->type);
    return 0;
}

static int output_event(struct referee *r, const struct event *e, struct book_entry x)
{
    if (e->type == EV_OUTPUT_READY) {
        if (x.attempt->state != BOOK_RUNNING && x.attempt->state != BOOK_LEFT)
            return rule_fail(r, RULE_ONE_ANSWER, "output of an attempt that is not running");
        x.attempt->checksum = e->u.output.checksum;
        x.job->changed |= rule_replica_changed(x);
        x.phase->output_bytes = e->u.output.bytes;
        return rule_read_parts(r, e, x);
    }
    if (x.attempt->state != BOOK_ENDED || x.attempt->ending != EV_ATTEMPT_FINISHED)
        return rule_fail(r, RULE_ONE_ANSWER, "lost an output that never was");
    if (x.attempt->output_lost)
        return rule_fail(r, RULE_ONE_ANSWER, "the same output is lost twice");
    if (rule_copy_lost(r, e, x) < 0 || rule_read_gone(r, e, x) < 0)
        return -1;
    x.attempt->output_lost = true;
    r->tally.outputs_lost++;
    book_output_gone(&r->book, e->at);
    if (x.task->commit == BOOK_COMMIT_DONE && x.task->candidate == e->at.attempt)
        book_commit(&r->book, e->at, BOOK_COMMIT_NONE);
    return 0;
}

static int commit_answer(struct referee *r, const struct event *e, struct book_entry x)
{
    if (x.task->commit != BOOK_COMMIT_ASKED || x.task->candidate != e->at.attempt)
        return rule_fail(r, RULE_ONE_ANSWER, "an answer to a commit that nobody waits for");
    if (e->type == EV_COMMITTED && x.attempt->output_lost)
        return rule_fail(r, RULE_COMMIT, "committed an output that was told to be lost");
    if (e->type == EV_COMMITTED) {
        x.task->won_us = r->now_us;
        x.job->changed |= x.task->commit_ever && x.task->checksum != x.attempt->checksum;
        x.task->checksum = x.attempt->checksum;
        rule_copy_committed(r, x, e->at);
        book_commit(&r->book, e->at, BOOK_COMMIT_DONE);
        return 0;
    }
    x.task->failures++;
    r->tally.commits_failed++;
    book_output_gone(&r->book, e->at);
    book_commit(&r->book, e->at, BOOK_COMMIT_NONE);
    return 0;
}

static int refused_event(struct referee *r, const struct event *e)
{
    struct book_entry x = book_find(&r->book, e->at);
    uint64_t id = e->u.refused.decision;

    if (id == 0 || id > r->decision_last)
        return rule_fail(r, RULE_UNKNOWN, "refuses decision %llu, the last one was %llu",
                         (unsigned long long)id, (unsigned long long)r->decision_last);
    r->tally.refused++;
    switch (e->u.refused.decision_type) {
    case DO_LAUNCH:
        return rule_fail(r, RULE_ONE_ANSWER, "a launch is answered by started or launch_failed");
    case DO_KILL:
    case DO_WITHDRAW:
        if (!x.attempt)
            return rule_fail(r, RULE_UNKNOWN, "no such attempt");
        if (x.attempt->asked == id && e->cause != CAUSE_ALREADY_ENDED)
            x.attempt->asked = 0;
        return 0;
    case DO_COMMIT:
        if (!x.task)
            return rule_fail(r, RULE_UNKNOWN, "no such task");
        if (x.task->commit != BOOK_COMMIT_ASKED || x.task->commit_id != id)
            return rule_fail(r, RULE_ONE_ANSWER, "refuses a commit that nobody waits for");
        book_output_gone(&r->book, e->at);
        book_commit(&r->book, e->at, BOOK_COMMIT_NONE);
        return 0;
    case DO_ASSIGN_READ:
        rule_read_refused(r, e);
        return 0;
    case DO_REPLICATE:
        if (x.attempt)
            rule_copy_refused(x);
        return 0;
    default:
        return 0;
    }
}

/* Each set timer fires once at most, and not before its time. */
static int timer_event(struct referee *r, const struct event *e)
{
    struct book *b = &r->book;

    for (uint32_t i = 0; i < b->timers.count; i++)
        if (b->timers.at[i].id == e->u.timer && b->timers.at[i].at_us <= r->now_us) {
            if (r->rules.tick_us > 0 && b->timers.at[i].at_us % r->rules.tick_us == 0)
                r->tick_turn = r->tally.turns; /* late, maybe, but a tick */
            b->timers.at[i] = b->timers.at[--b->timers.count];
            r->timer_fired = true;
            return 0;
        }
    return rule_fail(r, RULE_TIME, "timer %u was not set for now", e->u.timer);
}

/* Events about one attempt. */
static int attempt_event(struct referee *r, const struct event *e)
{
    struct book_entry x = book_find(&r->book, e->at);

    if (!x.attempt)
        return rule_fail(r, RULE_UNKNOWN, "no such attempt");
    book_touch(&r->book, e->at);
    switch (e->type) {
    case EV_ATTEMPT_STARTED:
    case EV_ATTEMPT_LAUNCH_FAILED:
        return launch_answer(r, e, x);
    case EV_ATTEMPT_PROGRESS: /* a late report may come after the end, never before the start */
        if (x.attempt->state == BOOK_LAUNCHED)
            return rule_fail(r, RULE_ONE_ANSWER, "progress of an attempt that was not started");
        return 0;
    case EV_ATTEMPT_ENDED:
        return ended_event(r, e, x);
    case EV_OUTPUT_READY:
    case EV_OUTPUT_LOST:
        return output_event(r, e, x);
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
        return commit_answer(r, e, x);
    case EV_REPLICA_DONE:
    case EV_REPLICA_FAILED:
        return rule_copy_answer(r, e, x);
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        return rule_read_answer(r, e);
    default:
        return event_is_ending(e->type) ? ending_event(r, e, x) : 0;
    }
}

int rule_event(struct referee *r, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
    case EV_NODE_CAPACITY:
        return node_event(r, e);
    case EV_JOB_SUBMITTED:
    case EV_JOB_CHANGED:
    case EV_JOB_CANCELLED:
        return job_event(r, e);
    case EV_REFUSED:
        book_touch(&r->book, e->at);
        return refused_event(r, e);
    case EV_TIMER:
        return timer_event(r, e);
    case EV_CORES:
        r->spare = e->u.cores.spare;
        r->each = e->u.cores.each;
        return 0;
    case EV_PRESSURE:
        return rule_pressure_event(r, e);
    case EV_RESOURCE:
        r->book.kinds.v[e->u.resource.which] = e->u.resource.kind;
        return 0;
    case EV_LINK_SAMPLE:
        return 0;
    default:
        if (e->type == 0 || e->type >= EV_TYPE_END)
            return rule_fail(r, RULE_UNKNOWN, "no such type of event");
        return attempt_event(r, e);
    }
}
