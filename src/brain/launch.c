/* launch.c - first attempts and clones, in the order of their jobs.
 *
 * Which phase is next is the business of queue.c; here it gets a node, or is passed over. Where
 * clones take only what is idle, they come after all first attempts, and yield to those that found
 * no room. */
#include "brain/launch.h"

#include "brain/attempt.h"
#include "brain/disk_full.h"
#include "brain/phase.h"
#include "brain/state.h"
#include "brain/yield.h"

struct node_id launch_place(struct brain *b, const struct phase *p, uint32_t task)
{
    const struct place_ops *place = place_ops(b);
    if (!fit_index_any(&b->world.fit, p->fit))
        return NODE_NONE;
    if (!p->planned && place->plan) {
        struct phase *mine = &p->job->phases[p->index];
        mine->planned = true;
        mine->plan = place->plan(&b->parts[PART_PLACE], p);
    }
    struct place_luck luck = {p->place_trunk, task, task_named(p, task)->ordinals};
    return place->pick(&b->parts[PART_PLACE], p, task, luck);
}

void launch_attempt(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                    struct node_id node, const struct reason *why)
{
    struct attempt *a = attempt_create(b, p, task, kind, node);
    struct decision *d = decider_add(b, DO_LAUNCH, attempt_ref_of(a), why);
    d->kind = kind;
    d->node = node;
    d->job_copy = p->job->holds ? p->job->copy : 0;
    if (p->edge_count > 0)
        shuffle_ops(b)->launched(&b->parts[PART_SHUFFLE], a);
    if (kind == LAUNCH_CLONE || kind == LAUNCH_BACKUP || a->spare)
        return;
    uint32_t index = (uint32_t)(a - b->world.attempts.at); /* the pool may move */
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->launched)
            mitigate_ops(b, i)->launched(&b->parts[PART_MITIGATE + i],
                                         world_attempt(&b->world, index));
}

/* ---- the best phase of a queue ---- */

/* Its turn has come; where the order says what makes it so, that is the reason. */
static struct reason launch_turn(const struct phase *p)
{
    const struct standing *s = &p->job->standing;
    if (s->rank > 0 || s->volume > 0 || s->time_s > 0)
        return REASON(WHY_STANDING, s->rank, s->volume, s->time_s);
    return REASON_PLAIN(WHY_RUNNABLE);
}

static bool launch_first(struct brain *b, struct phase *p)
{
    uint32_t task = queue_first(p);
    struct node_id node = launch_place(b, p, task);
    if (node.v == NODE_NONE.v)
        return false;
    bool is_new = !p->started;
    p->started = true;
    for (uint32_t i = 0; is_new && i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->phase_started)
            mitigate_ops(b, i)->phase_started(&b->parts[PART_MITIGATE + i], p);
    const struct task *t = &p->tasks[task];
    phase_unpend(b, p, task);
    queue_launched(b, p);
    if (p->job->lead)
        launch_attempt(b, p, task, LAUNCH_CLONE, node,
                       &REASON(WHY_CLONE, p->job->copy - 1.0, (double)p->copies));
    else if (t->recompute)
        launch_attempt(b, p, task, LAUNCH_RECOMPUTE, node, &REASON_PLAIN(WHY_OUTPUT_LOST));
    else if (t->launches > 0)
        launch_attempt(b, p, task, LAUNCH_RESTART, node,
                       &REASON(WHY_AFTER_FAILURE, (double)t->failures));
    else {
        struct reason turn = launch_turn(p);
        launch_attempt(b, p, task, LAUNCH_FIRST, node, &turn);
    }
    return true;
}

static bool clone_may_start(struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->clone_may_start)
            return mitigate_ops(b, i)->clone_may_start(&b->parts[PART_MITIGATE + i], p);
    return false;
}

static bool launch_clone(struct brain *b, struct phase *p)
{
    uint32_t task = queue_first_clone(b, p);
    if (task == TASK_ALL)
        return true; /* nothing was left to clone; the phase has left its queue */
    if (disk_full_lately(b) || !clone_may_start(b, p) || cost_cap_forbids(b, p) ||
        yield_forbids_clone(b, p))
        return false;
    struct node_id node = launch_place(b, p, task);
    if (node.v == NODE_NONE.v)
        return false;
    queue_take_clone(b, p);
    p->tasks[task].clones++;
    launch_attempt(b, p, task, LAUNCH_CLONE, node,
                   &REASON(WHY_CLONE, (double)p->tasks[task].clones, (double)p->copies));
    return true;
}

/* ---- all queues ---- */

static void launch_walk(struct brain *b)
{
    bool clone;
    for (struct phase *p; (p = queue_next(b, &clone)) != NULL;)
        if (!(clone ? launch_clone(b, p) : launch_first(b, p)))
            queue_pass_over(b, p, clone);
}

/* Clones that come after first attempts: of these none is left, or none fits anywhere. */
static void launch_clones(struct brain *b)
{
    yield_refill(b);
    queue_begin(b, false, true);
    launch_walk(b);
}

/* Attempts start at ticks, and room for them is made at ticks. The next one matters if a task would
 * fit now, and while anything runs: policies may want to add to it. */
static void wait_for_tick(struct brain *b)
{
    bool matters = b->world.live > 0;
    for (struct queue_cursor c = {0}; !matters && queue_walk_firsts(b, &c);)
        matters = fit_index_any(&b->world.fit, c.phase->fit);
    if (matters)
        timers_want_tick(b);
}

void launch_all(struct brain *b)
{
    disk_full_shed(b);
    yield_cores(b);
    bool may = !disk_full_waits(b);
    if (b->off_tick) {
        wait_for_tick(b);
        return;
    }
    queue_begin(b, may, b->clones_when == CLONES_AMONG);
    launch_walk(b);
    if (b->early_jobs > 0)
        yield_readers(b);
    if (b->clones_when == CLONES_IDLE && queue_firsts_wait(b))
        yield_clones(b);
    else if (b->clones_when == CLONES_IDLE || (b->clones_when == CLONES_AFTER && may))
        launch_clones(b);
}
