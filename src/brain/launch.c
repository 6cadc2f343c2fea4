/* launch.c - first attempts and clones, in the order of their jobs.
 *
 * The queues of different demands are merged by the keys of their best phases; first attempts come
 * before clones of the same job. A queue whose best phase finds no room is left out for the rest of
 * the decide: no other of its demand would find any. Where clones take only what is idle, they come
 * after all first attempts, and yield to those that found no room. */
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
    if (p->job->lead)
        launch_attempt(b, p, task, LAUNCH_CLONE, node,
                       &REASON(WHY_CLONE, p->job->copy - 1.0, (double)p->copies));
    else if (t->recompute)
        launch_attempt(b, p, task, LAUNCH_RECOMPUTE, node, &REASON_PLAIN(WHY_OUTPUT_LOST));
    else if (t->launches > 0)
        launch_attempt(b, p, task, LAUNCH_RESTART, node,
                       &REASON(WHY_AFTER_FAILURE, (double)t->failures));
    else
        launch_attempt(b, p, task, LAUNCH_FIRST, node, &REASON_PLAIN(WHY_RUNNABLE));
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

static bool item_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* The queue whose best phase is next in line. */
static struct demand_queue *next_queue(struct brain *b, bool *clone)
{
    struct demand_queue *best = NULL;
    const struct heap_item *top = NULL;
    queue_settle(b);
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        const struct heap_item *it = l->firsts_blocked ? NULL : heap_top(&l->firsts);
        if (it && (!top || item_before(it, top) ||
                   (*clone && it->key == top->key && it->tie == top->tie))) {
            top = it;
            best = l;
            *clone = false;
        }
        it = l->clones_blocked ? NULL : heap_top(&l->clones);
        if (it && (!top || item_before(it, top))) {
            top = it;
            best = l;
            *clone = true;
        }
    }
    return best;
}

/* No first attempt can be launched, because none waits or because no node has room. */
static bool queue_is_full(const struct brain *b, const struct demand_queue *l)
{
    return l->firsts.count == 0 || !fit_index_any(&b->world.fit, l->fit);
}

static void launch_next(struct brain *b, struct demand_queue *l, bool clone)
{
    if (clone)
        l->clones_blocked = !launch_clone(b, queue_clone_phase(heap_top(&l->clones)));
    else
        l->firsts_blocked =
            !launch_first(b, queue_first_phase(heap_top(&l->firsts))) || queue_is_full(b, l);
}

/* Clones that take only what is idle, after first attempts. */
static void launch_idle_clones(struct brain *b)
{
    bool clone = false;
    yield_refill(b);
    for (uint32_t i = 0; i < b->queues.count; i++)
        b->queues.at[i]->clones_blocked = false;
    for (struct demand_queue *l; (l = next_queue(b, &clone)) != NULL;)
        launch_next(b, l, true);
}

void launch_all(struct brain *b)
{
    disk_full_shed(b);
    yield_cores(b);
    bool clone = false, any = false, waits = disk_full_waits(b);
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        l->firsts_blocked = waits || queue_is_full(b, l);
        l->clones_blocked = b->clones_idle;
        any |= !l->firsts_blocked || (!b->clones_idle && l->clones.count > 0);
    }
    for (struct demand_queue *l; any && (l = next_queue(b, &clone)) != NULL;) {
        launch_next(b, l, clone);
        any = !l->firsts_blocked || b->queues.count > 1 || l->clones.count > 0;
    }
    if (b->early_jobs > 0)
        yield_readers(b);
    if (b->clones_idle && queue_firsts_wait(b))
        yield_clones(b);
    else if (b->clones_idle)
        launch_idle_clones(b);
}
