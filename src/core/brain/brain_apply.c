/* brain_apply.c - applies events to the state; decides nothing.
 *
 * The consequences of an event (commit, stop the losers, open the next phase) are noted as todos,
 * which decide carries out in the order in which they arose. Answers may be late and may cross
 * requests: an attempt that was asked to end may finish, a launch that was withdrawn may have
 * started. The rule is always the same: believe the event, then check the present state. */
#include "base/check.h"
#include "core/brain/attempt.h"
#include "core/brain/disk_full.h"
#include "core/brain/hint.h"
#include "core/brain/job.h"
#include "core/brain/job_copy.h"
#include "core/brain/phase.h"
#include "core/brain/state.h"
#include "core/brain/yield.h"

/* Applies one kind of event. Never inlined: what an event does not need must not burden others.
 * brain_apply saves no register, then, and jumps on to the handler. */
#define HANDLER __attribute__((noinline)) static void

/* The attempt of the event, which must be known: in the job itself, as mostly, or in a copy. */
static inline struct attempt *attempt_of(const struct brain *b, const struct event *e)
{
    const struct job *j = world_job(&b->world, e->at.job);
    struct attempt *a = j ? attempt_find_in(&b->world, j, e->at) : NULL;
    if (!a)
        a = attempt_find(b, e->at);
    check(a);
    return a;
}

static struct node *node_at(struct brain *b, struct node_id id)
{
    struct world *w = &b->world;
    check(id.v != UINT32_MAX);
    while (w->nodes.count <= id.v) {
        pool_add(&w->nodes);
        w->nodes.at[w->nodes.count - 1] = (struct node){
            .state = NODE_UNKNOWN, .newest_extra = ATTEMPT_NONE, .extra_ended_us = -1};
    }
    fit_index_grow(&w->fit, w->nodes.count);
    return &w->nodes.at[id.v];
}

static void node_resize(struct node *n, const struct res *capacity)
{
    res_sub(&n->free, &n->capacity);
    res_add(&n->free, capacity);
    n->capacity = *capacity;
}

/* A node that is down does not count; one that is suspect or draining still works. */
static void node_count(struct brain *b, const struct node *n, int sign)
{
    if (n->state != NODE_UNKNOWN && n->state != NODE_DOWN)
        res_sum_add(&b->world.capacity, &n->capacity, sign);
}

HANDLER apply_node(struct brain *b, const struct event *e)
{
    struct node *n = node_at(b, e->node);
    bool was_gone = n->state == NODE_UNKNOWN || n->state == NODE_DOWN;
    node_count(b, n, -1);
    n->offered_s = node_offered_s(&b->world, n);
    n->changed_us = b->world.now_us;
    switch (e->type) {
    case EV_NODE_UP:
        node_resize(n, &e->u.node.capacity);
        n->rack = e->u.node.rack;
        n->state = NODE_UP;
        if (was_gone) { /* what it did before says nothing about what it is now */
            n->finished = 0;
            n->offered_s = 0;
            n->trial = false;
            n->pressed_until_us = 0;
        }
        break;
    case EV_NODE_CAPACITY:
        node_resize(n, &e->u.node.capacity);
        break;
    case EV_NODE_DOWN:
        n->state = NODE_DOWN;
        break;
    case EV_NODE_SUSPECT:
        n->state = NODE_SUSPECT;
        break;
    default:
        n->state = NODE_DRAIN;
        break;
    }
    node_count(b, n, 1);
    b->launch.largest_changed = true;
    queue_follow_capacity(b);
    world_refit_node(&b->world, e->node.v);
}

HANDLER apply_job(struct brain *b, const struct event *e)
{
    if (e->type == EV_JOB_SUBMITTED) {
        struct job *j = job_create(b, e->u.job);
        todo_add(b, j, TODO_JOB_NEW, (struct attempt_ref){j->id, TASK_ALL, 0, 0});
        return;
    }
    struct job *j = world_job(&b->world, e->at.job);
    if (!j || j->state != JOB_LIVE)
        return;
    if (e->type == EV_JOB_CANCELLED) {
        todo_add(b, j, TODO_JOB_CANCELLED, (struct attempt_ref){j->id, TASK_ALL, 0, 0});
        return;
    }
    j->weight = e->u.change.weight;
    j->running_max = e->u.change.running_max;
    queue_rekey_job(b, j);
    queue_refresh_job(b, j);
}

/* One measured time per byte, for the estimates of policies that want it; unfinished ones are
 * censored. */
static void attempt_sample(struct brain *b, struct attempt *a, bool censored)
{
    struct phase *p = attempt_phase(a);
    if (!b->wants_samples || p->measured || !attempt_is_fair(a))
        return;
    int64_t bytes = phase_task_bytes(p, a->task);
    double per_byte =
        (double)attempt_shown_us(&b->world, a, !censored) / (double)(bytes > 0 ? bytes : 1);
    vec_reserve(&p->samples, p->count); /* one for each task, or more; growing leaves holes */
    vec_push(&p->samples,
             ((struct phase_sample){(float)(censored ? -per_byte : per_byte), a->node}));
}

static bool cause_counts(uint8_t cause)
{
    return cause != CAUSE_NODE_DOWN && cause != CAUSE_WITHDRAWN && cause != CAUSE_JOB_OVER;
}

static void task_failed_once(const struct brain *b, struct task *t)
{
    if (t->failures < UINT8_MAX)
        t->failures++;
    t->spent = t->failures >= b->policy->failures_max;
}

/* Readers, and readers of this attempt, may have to be assigned anew. */
static void tell_shuffle(struct brain *b, const struct attempt *a, uint8_t type)
{
    if (shuffle_ops(b)->ended)
        shuffle_ops(b)->ended(&b->parts[PART_SHUFFLE], a, type);
    todo_fill_readers(b, attempt_phase(a));
    todo_fill(b, attempt_phase(a));
}

HANDLER apply_end(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_of(b, e);
    struct job *j = a->job;
    struct phase *p = attempt_phase(a);
    uint32_t task = a->task;
    struct task *t = &p->tasks[task];

    if (e->type == EV_ATTEMPT_LAUNCH_FAILED) {
        check(a->state == ATTEMPT_LAUNCHING);
    } else {
        check(a->state == ATTEMPT_RUNNING || a->state == ATTEMPT_ENDED);
        attempt_sample(b, a, e->type != EV_ATTEMPT_FINISHED);
        for (uint32_t i = 0; i < b->on_attempt_end.count; i++)
            b->on_attempt_end.at[i]->part->attempt_ended(b->on_attempt_end.at[i], a, e->type);
    }
    if (attempt_is_extra(a))
        disk_full_note_end(b, a);
    if (p->cloned || p->early || p->early_readers)
        tell_shuffle(b, a, e->type);
    if (e->type == EV_ATTEMPT_FINISHED) {
        b->world.nodes.at[a->node.v].finished++;
        if (b->world.nodes.at[a->node.v].trial)
            disk_full_note_works(b, a->node);
        attempt_release(b, a, true);
        todo_add(b, p->job, TODO_COMMIT, task_ref_of(p, task));
        return;
    }
    bool full = e->cause == CAUSE_DISK_FULL, fault = e->cause == CAUSE_NODE_FAULT;
    if ((e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LAUNCH_FAILED) &&
        cause_counts(e->cause) && !a->spare && !(full && disk_full_forgives(b, a, a->node)) &&
        !(fault && disk_full_forgives_fault(b, a)))
        task_failed_once(b, t);
    if (full)
        disk_full_begin(b, a->node);
    else if (fault)
        disk_full_note_fault(b, a->node);
    else if (e->type == EV_ATTEMPT_FAILED && b->world.nodes.at[a->node.v].trial)
        disk_full_note_works(b, a->node);
    yield_note_end(b, a);
    attempt_release(b, a, false);
    phase_settle_task(b, p, task);
    job_free_if_over(b, j);
}

/* Lets the nodes back whose time is over, and notes when the next one comes. */
HANDLER nodes_unavoid(struct brain *b)
{
    b->timers.at[TIMER_AVOID].wanted_us = 0;
    for (uint32_t i = 0; i < b->world.nodes.count; i++) {
        struct node *n = &b->world.nodes.at[i];
        if (n->avoid_until_us == 0)
            continue;
        if (n->avoid_until_us <= b->world.now_us) {
            n->avoid_until_us = 0;
            world_refit_node(&b->world, i);
        } else {
            timers_want(b, TIMER_AVOID, n->avoid_until_us);
        }
    }
    pressure_want(b);
}

HANDLER apply_started(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_of(b, e);
    check(a->state == ATTEMPT_LAUNCHING);
    attempt_starts(b, a, event_started_us(e, b->world.now_us, a->launched_us));
    if (a->unwanted) { /* taking it back came too late */
        a->asked = false;
        todo_add(b, a->job, TODO_STOP, attempt_ref_of(a));
    }
}

/* A copy that has won commits its next phase when the last one above is answered. */
static void commit_counts(struct brain *b, const struct phase *p)
{
    if (p->job->commits_due > 0 && --p->job->commits_due == 0)
        todo_add(b, p->job, TODO_COMMITS, phase_ref(p));
}

/* Sizes of outputs are kept only for parts that plan by them. */
static void output_ready(struct brain *b, const struct attempt *a, int64_t bytes)
{
    uint32_t index = (uint32_t)(a - b->world.attempts.at);
    while (b->ready_bytes.count <= index) {
        pool_add(&b->ready_bytes);
        b->ready_bytes.at[b->ready_bytes.count - 1] = 0;
    }
    b->ready_bytes.at[index] = bytes;
}

HANDLER apply_ready(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_find(b, e->at);
    if (!a)
        return;
    a->checksum = output_mark(e->u.output.checksum);
    if (b->wants_outputs)
        output_ready(b, a, e->u.output.bytes);
    if (e->u.output.partitions)
        phase_partitioned(attempt_phase(a), a->task, e->u.output.partitions,
                          e->u.output.partition_count);
}

static void output_note(const struct brain *b, struct phase *p, const struct attempt *a)
{
    uint32_t index = (uint32_t)(a - b->world.attempts.at);
    int64_t bytes = index < b->ready_bytes.count ? b->ready_bytes.at[index] : 0;
    if (!p->outputs && p->consumer_count > 0)
        p->outputs = mem_zalloc(p->count, sizeof *p->outputs);
    if (p->outputs)
        p->outputs[a->task] = (struct output){bytes, a->node};
}

/* Whether anything may follow from the commit of a task: another phase reads the output, another
 * attempt has made it too, or it was the last that its phase waited for. */
static bool victory_matters(const struct brain *b, const struct phase *p, const struct task *t)
{
    return t->attempts != ATTEMPT_NONE || p->consumer_count > 0 || p->incomplete <= 1 ||
           protect_ops(b)->won;
}

HANDLER apply_commit(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_of(b, e);
    struct phase *p = attempt_phase(a);
    struct task *t = &p->tasks[a->task];
    uint32_t task = a->task;
    check(t->state == TASK_COMMITTING && t->winner == a->ordinal);
    if (a->job->state != JOB_LIVE) { /* the job failed meanwhile */
        struct job *j = a->job;
        attempt_forget(b, a);
        job_free_if_over(b, j);
        return;
    }
    if (e->type == EV_COMMITTED && t->stale) {
        t->stale = false;
        attempt_set_task(b, p, t, TASK_ACTIVE);
        attempt_forget(b, a);
        todo_add(b, p->job, TODO_RETRACT, task_ref_of(p, task));
        return;
    }
    t->stale = false;
    if (e->type == EV_COMMITTED) {
        if (t->recompute && t->checksum != a->checksum)
            todo_add(b, p->job, TODO_CHANGED, task_ref_of(p, task));
        t->checksum = a->checksum;
        t->took_us = (float)a->took_us;
        if (p->won_us)
            p->won_us[task] = b->world.now_us;
        if (b->wants_outputs)
            output_note(b, p, a);
        attempt_forget(b, a);
        /* before what phase_task_done adds */
        if (victory_matters(b, p, t))
            todo_add(b, p->job, TODO_WON, task_ref_of(p, task));
        phase_task_done(b, p, task);
        commit_counts(b, p);
        return;
    }
    bool full = e->cause == CAUSE_DISK_FULL;
    /* What the body refuses is no fault of the task: it is run again, as often as it may be. */
    if (e->type == EV_COMMIT_FAILED && e->cause != CAUSE_OUTPUT_GONE &&
        !(full && disk_full_forgives(b, a, NODE_NONE)))
        task_failed_once(b, t);
    if (full)
        disk_full_begin(b, NODE_NONE);
    attempt_set_task(b, p, t, TASK_ACTIVE);
    bool is_there = e->type == EV_COMMIT_FAILED && e->cause != CAUSE_OUTPUT_GONE;
    if (is_there && a->source) {
        attempt_bar(b, a);
    } else {
        if (is_there)
            todo_add(b, p->job, TODO_DISCARD, e->at);
        attempt_forget(b, a);
    }
    phase_settle_task(b, p, task);
    if (p->job->copy > 0)
        todo_add(b, p->job, TODO_REDO, phase_ref(p));
    commit_counts(b, p);
}

/* Tells the seam `protect` what became of a copy of a committed output. */
static void tell_protect(struct brain *b, struct phase *p, const struct event *e)
{
    const struct task *t = &p->tasks[e->at.task];
    if (protect_ops(b)->output_event && p->guard && t->state == TASK_DONE &&
        t->winner == e->at.attempt)
        protect_ops(b)->output_event(&b->parts[PART_PROTECT], p, e->at.task, e);
}

HANDLER apply_replica(struct brain *b, const struct event *e)
{
    struct job *j = world_job(&b->world, e->at.job);
    if (j && j->state == JOB_LIVE && e->at.phase < j->phase_count &&
        e->at.task < j->phases[e->at.phase].count)
        tell_protect(b, &j->phases[e->at.phase], e);
}

HANDLER apply_output_lost(struct brain *b, const struct event *e)
{
    struct job *j = world_job(&b->world, e->at.job);
    if (!j || j->state != JOB_LIVE)
        return;
    struct attempt *a = attempt_find(b, e->at);
    if (a && job_copy_output_lost(b, a))
        return;
    struct phase *p = &j->phases[e->at.phase];
    struct task *t = &p->tasks[e->at.task];
    if (t->state == TASK_DONE && t->winner == e->at.attempt) {
        tell_protect(b, p, e);
        phase_task_lost(b, p, e->at.task);
        return;
    }
    /* The output of a finished attempt that has not won. One whose commit is on its way is
     * answered by commit_failed. */
    if (!a || a->state != ATTEMPT_FINISHED ||
        (t->state == TASK_COMMITTING && t->winner == a->ordinal))
        return;
    attempt_forget(b, a);
    phase_settle_task(b, p, e->at.task);
    todo_fill_readers(b, p);
}

/* A whole phase's outputs are fetched in one piece, and a reader without them cannot go on: it
 * makes room, and starts anew when they are there again. (Waiting in its slot could keep that slot
 * from the very task that has to be run again.) Single tasks' outputs are the business of
 * `shuffle`. */
HANDLER apply_fetch(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_find(b, e->at);
    if (!a || a->state == ATTEMPT_FINISHED)
        return;
    shuffle_ops(b)->fetched(&b->parts[PART_SHUFFLE], a, e);
    for (uint32_t i = 0; e->type == EV_FETCH_DONE && i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->fetched)
            mitigate_ops(b, i)->fetched(&b->parts[PART_MITIGATE + i], a);
    if (e->u.fetch.source.task != TASK_ALL) {
        todo_fill(b, attempt_phase(a));
    } else if (e->type == EV_FETCH_FAILED) {
        if (!a->unwanted)
            a->stop_why = WHY_HOPELESS_INPUT;
        a->unwanted = true;
        todo_add(b, a->job, TODO_STOP, e->at);
    }
}

HANDLER apply_refused(struct brain *b, const struct event *e)
{
    struct attempt *a = attempt_find(b, e->at);
    switch (e->u.refused.decision_type) {
    case DO_COMMIT:
        apply_commit(b, e);
        break;
    case DO_WITHDRAW: /* it has started, or will have when its `started` arrives: kill it then */
        if (a && a->state == ATTEMPT_RUNNING && a->unwanted) {
            a->asked = false;
            todo_add(b, a->job, TODO_STOP, e->at);
        }
        break;
    case DO_REPLICATE:
        apply_replica(b, e);
        break;
    default: /* what we wanted to end has ended: its own event says how */
        break;
    }
}

/* What a rack could still send (node) or receive (to); a transfer between two nodes says neither.
 */
HANDLER apply_link(struct brain *b, const struct event *e)
{
    struct world *w = &b->world;
    bool up = e->u.link.to.v == NODE_NONE.v;
    struct node_id node = up ? e->node : e->u.link.to;
    if ((!up && e->node.v != NODE_NONE.v) || node.v >= w->nodes.count || e->u.link.took_us <= 0)
        return;
    uint32_t rack = w->nodes.at[node.v].rack;
    while (w->racks.count <= rack)
        vec_push(&w->racks, ((struct rack_link){0}));
    double rate = (double)e->u.link.bytes * 1e6 / (double)e->u.link.took_us;
    *(up ? &w->racks.at[rack].up : &w->racks.at[rack].down) = rate;
}

static void keep_progress(struct world *w, uint32_t index, const struct event *e)
{
    while (w->progress.count <= index) {
        pool_add(&w->progress);
        w->progress.at[w->progress.count - 1] = (struct progress){0};
    }
    w->progress.at[index] = (struct progress){w->now_us, e->u.progress.done, e->u.progress.total};
}

static void tell_report(struct brain *b, const struct attempt *a)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->reported)
            mitigate_ops(b, i)->reported(&b->parts[PART_MITIGATE + i], a);
}

static inline void apply_progress_of(struct brain *b, struct attempt *a, const struct event *e)
{
    if (!a || a->state != ATTEMPT_RUNNING)
        return; /* a late report */
    a->reported = e->u.progress.total > 0;
    if (a->reported)
        a->score = (double)e->u.progress.done / (double)e->u.progress.total;
    if (b->world.keeps_progress)
        keep_progress(&b->world, (uint32_t)(a - b->world.attempts.at), e);
    if (b->hears_reports)
        tell_report(b, a);
}

HANDLER apply_progress(struct brain *b, const struct event *e)
{
    apply_progress_of(b, attempt_find(b, e->at), e);
}

HANDLER apply_ended(struct brain *b, const struct event *e)
{
    attempt_vacate(b, attempt_of(b, e));
}

HANDLER apply_timer(struct brain *b, const struct event *e)
{
    timers_come(b, e->u.timer);
    if (e->u.timer == TIMER_AVOID)
        nodes_unavoid(b);
}

/* Whether the world has changed, and not only what is known of it. */
static bool stirs(uint8_t type)
{
    const uint32_t news = 1U << EV_ATTEMPT_PROGRESS | 1U << EV_TIMER | 1U << EV_LINK_SAMPLE |
                          1U << EV_CORES | 1U << EV_PRESSURE;
    return !(news >> (type & 31) & 1);
}

void brain_apply(struct brain *b, int64_t now_us, const struct event *e)
{
    check(now_us >= b->world.now_us);
    b->world.now_us = now_us;
    if (stirs(e->type))
        b->timers.stirred_us = now_us;
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
    case EV_NODE_CAPACITY:
        apply_node(b, e);
        break;
    case EV_JOB_SUBMITTED:
    case EV_JOB_CHANGED:
    case EV_JOB_CANCELLED:
        apply_job(b, e);
        break;
    case EV_ATTEMPT_STARTED:
        apply_started(b, e);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        apply_end(b, e);
        break;
    case EV_ATTEMPT_ENDED:
        apply_ended(b, e);
        break;
    case EV_ATTEMPT_PROGRESS:
        apply_progress(b, e);
        break;
    case EV_OUTPUT_READY:
        apply_ready(b, e);
        break;
    case EV_OUTPUT_LOST:
        apply_output_lost(b, e);
        break;
    case EV_COMMITTED:
    case EV_COMMIT_FAILED:
        apply_commit(b, e);
        break;
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        apply_fetch(b, e);
        break;
    case EV_REFUSED:
        apply_refused(b, e);
        break;
    case EV_TIMER:
        apply_timer(b, e);
        break;
    case EV_LINK_SAMPLE:
        apply_link(b, e);
        break;
    case EV_CORES:
        b->world.spare = e->u.cores.spare;
        b->world.each = e->u.cores.each;
        break;
    case EV_PRESSURE:
        pressure_note(b, e);
        break;
    case EV_RESOURCE:
        b->world.kinds.v[e->u.resource.which] = e->u.resource.kind;
        break;
    case EV_REPLICA_DONE:
    case EV_REPLICA_FAILED:
        apply_replica(b, e);
        break;
    default: /* starts of fetches: no part listens to them yet */
        break;
    }
}

/* Reports come in long rows, mostly from tasks of the same phase, and change nothing but what is
 * known of their attempt. Returns how many of the events were reports. */
static uint32_t apply_reports(struct brain *b, const struct event *at, uint32_t count)
{
    const struct world *w = &b->world;
    struct hint_row row = hint_row_make(w, at->at);
    bool hints = hint_pays(w);
    uint32_t i = 0;
    for (; i < count && at[i].type == EV_ATTEMPT_PROGRESS; i++) {
        const struct event *e = &at[i];
        if (hints)
            hint_report(w, &row, e, count - i);
        const struct task *t = hint_row_task(&row, e->at);
        if (!t) {
            row = hint_row_make(w, e->at);
            t = hint_row_task(&row, e->at);
        }
        struct attempt *a = t && t->attempts != ATTEMPT_NONE ? world_attempt(w, t->attempts) : NULL;
        if (!a || a->ordinal != e->at.attempt) /* the task's only attempt, or else */
            a = attempt_find(b, e->at);
        apply_progress_of(b, a, e);
    }
    return i;
}

void brain_apply_all(struct brain *b, int64_t now_us, const struct event *at, uint32_t count)
{
    bool hints = count > HINT_FEW && hint_pays(&b->world);
    if (hints)
        hint_events(&b->world, at, count);
    for (uint32_t i = 0; i < count; i++) {
        if (at[i].type == EV_ATTEMPT_PROGRESS && b->world.now_us == now_us) {
            i += apply_reports(b, &at[i], count - i) - 1;
            continue;
        }
        if (hints && count - i > HINT_FEW)
            hint_event(&b->world, &at[i], count - i);
        brain_apply(b, now_us, &at[i]);
    }
}
