/* launch.c - first attempts and clones, in the order of their jobs.
 *
 * Either the next phase in line gets a node for its task (MATCH_TASK), or nodes take the phase that
 * suits them best (MATCH_SERVER, core/match/node_walk.h).
 *
 * queue.c decides which phase is next; here it gets a node, or is passed over. Clones that take
 * only idle slots are launched after all first attempts, and yield to those that found no room. */
#include "core/brain/launch.h"

#include "base/check.h"
#include "base/rare.h"
#include "core/brain/attempt.h"
#include "core/brain/decisions.h"
#include "core/brain/disk_full.h"
#include "core/brain/phase.h"
#include "core/brain/state.h"
#include "core/brain/yield.h"

/* The seam `place` is asked about the phase for the first time. */
static void launch_plan(struct brain *b, const struct phase *p)
{
    if (p->prepared || !place_ops(b)->prepare)
        return;
    struct phase *mine = &p->job->phases[p->index];
    mine->prepared = true;
    mine->place_state = place_ops(b)->prepare(&b->parts[PART_PLACE], p);
}

struct node_id launch_place(struct brain *b, const struct phase *p, uint32_t task)
{
    const struct place_ops *place = place_ops(b);
    if (!fit_index_any(&b->world.fit, p->fit))
        return NODE_NONE;
    launch_plan(b, p);
    struct place_luck luck = {p->place_trunk, task, task_named(p, task)->ordinals};
    return place->pick(&b->parts[PART_PLACE], p, task, luck);
}

void launch_attempt(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                    struct node_id node, const struct reason *why)
{
    check(p->job->state == JOB_LIVE); /* one that is over waits in no queue, whatever it left */
    struct attempt *a = attempt_create(b, p, task, kind, node);
    struct decision *d = decisions_add(b, DO_LAUNCH, attempt_ref_of(a), why);
    d->kind = kind;
    d->node = node;
    d->job_copy = p->job->holds ? p->job->copy : 0;
    if (p->edge_count > 0) {
        shuffle_ops(b)->launched(&b->parts[PART_SHUFFLE], a);
        b->reader_launched = true;
    }
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
static void launch_in_turn(struct brain *b, struct phase *p, uint32_t task, struct node_id node)
{
    static const struct reason runnable = {WHY_RUNNABLE, 0, {0}};
    const struct standing *s = &p->job->standing;
    if (s->rank > 0 || s->volume > 0 || s->time_s > 0)
        launch_attempt(b, p, task, LAUNCH_FIRST, node,
                       &REASON(WHY_STANDING, s->rank, s->volume, s->time_s));
    else
        launch_attempt(b, p, task, LAUNCH_FIRST, node, &runnable);
}

static void launch_first_on(struct brain *b, struct phase *p, uint32_t task, struct node_id node)
{
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
    else
        launch_in_turn(b, p, task, node);
}

static bool launch_first(struct brain *b, struct phase *p)
{
    uint32_t task = queue_first(p);
    struct node_id node = launch_place(b, p, task);
    if (node.v != NODE_NONE.v)
        launch_first_on(b, p, task, node);
    return node.v != NODE_NONE.v;
}

static enum clone_leave clone_leave_of(struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->clone_may_start)
            return mitigate_ops(b, i)->clone_may_start(&b->parts[PART_MITIGATE + i], p);
    return CLONES_ALIKE_MUST_WAIT;
}

static enum clone_leave clone_may_start(struct brain *b, const struct phase *p)
{
    if (disk_full_lately(b))
        return CLONES_ALIKE_MUST_WAIT;
    enum clone_leave leave = clone_leave_of(b, p);
    if (leave == CLONE_MAY_START && (cost_cap_forbids(b, p) || yield_forbids_clone(b, p)))
        return CLONES_ALIKE_MUST_WAIT;
    return leave;
}

static void launch_clone_on(struct brain *b, struct phase *p, uint32_t task, struct node_id node)
{
    attempt_charge_phase(b, p);
    queue_take_clone(b, p);
    p->tasks[task].clones++;
    launch_attempt(b, p, task, LAUNCH_CLONE, node,
                   &REASON(WHY_CLONE, (double)p->tasks[task].clones, (double)p->copies));
}

/* Clones of the phase are left out until they are brought back. */
static void set_aside(struct brain *b, struct phase *p)
{
    queue_set_aside(b, p, true);
    vec_push(&b->launch.aside, p);
}

/* All but the first `kept` of those left out come back, as if they were new. */
static void bring_back(struct brain *b, uint32_t kept)
{
    while (b->launch.aside.count > kept)
        queue_set_aside(b, b->launch.aside.at[--b->launch.aside.count], false);
}

/* False: nothing of its demand can be launched. */
static bool launch_clone(struct brain *b, struct phase *p)
{
    uint32_t task = queue_first_clone(b, p);
    if (task == TASK_ALL)
        return true; /* nothing was left to clone; the phase has left its queue */
    enum clone_leave leave = clone_may_start(b, p);
    if (leave == CLONE_MUST_WAIT)
        set_aside(b, p);
    if (leave != CLONE_MAY_START)
        return leave == CLONE_MUST_WAIT;
    struct node_id node = launch_place(b, p, task);
    if (node.v != NODE_NONE.v)
        launch_clone_on(b, p, task, node);
    else
        pressure_tell(b, p);
    return node.v != NODE_NONE.v;
}

/* ---- nodes choose ---- */

/* Of the phases in the list, the one that suits the node best, or NULL. */
static struct phase *serve_best(struct brain *b, struct node_walk *w, uint32_t node)
{
    const struct res *free = &b->world.fit.free[node];
    const struct place_ops *place = place_ops(b);
    queue_settle(b);
    if (!place->choose)
        return match_list_best(&w->list, free);
    match_list_fitting(&w->list, free, &b->launch.fits);
    if (b->launch.fits.what.count == 0)
        return NULL;
    for (uint32_t i = 0; place->prepare && i < b->launch.fits.what.count; i++)
        launch_plan(b, b->launch.fits.what.at[i]);
    uint32_t i = place->choose(&b->parts[PART_PLACE], (struct node_id){node},
                               (const struct phase *const *)b->launch.fits.what.at,
                               b->launch.fits.what.count);
    return b->launch.fits.what.at[i];
}

static void serve_firsts_on(struct brain *b, uint32_t node)
{
    for (struct phase *p; (p = serve_best(b, &b->queue.serve_firsts, node)) != NULL;)
        launch_first_on(b, p, queue_first(p), (struct node_id){node});
    if (b->clones_when != CLONES_AMONG)
        node_walk_grown(&b->queue.serve_clones, node);
}

/* Whether the task's clone had better go to another node, because one of its attempts is on this
 * one and elsewhere there is room: what slows one attempt down may be the node. Each attempt can
 * spoil one node at most. */
static bool clone_is_better_off(const struct brain *b, const struct phase *p, const struct task *t,
                                uint32_t node)
{
    uint32_t other = node;
    if (!task_is_on(&b->world, t, node))
        return false;
    for (uint32_t tries = t->live; tries > 0 && task_is_on(&b->world, t, other); tries--)
        other = fit_index_find(&b->world.fit, p->fit, other + 1);
    return !task_is_on(&b->world, t, other);
}

/* Clones that are forbidden are left out of the walk, those better off elsewhere of this node. */
static uint32_t serve_clones_on(struct brain *b, uint32_t node, uint32_t *forbidden)
{
    uint32_t launched = 0;
    for (struct phase *p; (p = serve_best(b, &b->queue.serve_clones, node)) != NULL;) {
        uint32_t task = queue_first_clone(b, p);
        if (task == TASK_ALL)
            continue; /* nothing was left to clone; the phase has left its queue */
        if (clone_may_start(b, p) != CLONE_MAY_START) {
            set_aside(b, p);
            struct phase *last = b->launch.aside.at[*forbidden];
            b->launch.aside.at[b->launch.aside.count - 1] = last;
            b->launch.aside.at[(*forbidden)++] = p;
        } else if (clone_is_better_off(b, p, &p->tasks[task], node)) {
            set_aside(b, p);
        } else {
            launch_clone_on(b, p, task, (struct node_id){node});
            launched++;
        }
    }
    bring_back(b, *forbidden);
    return launched;
}

RARE static void serve_firsts(struct brain *b)
{
    struct node_walk *w = &b->queue.serve_firsts;
    while (node_walk_begin(w)) /* again: when one phase is through, its job's next one comes */
        for (uint32_t n = 0; (n = node_walk_next(w, &b->world.fit, n)) != NODE_WALK_END; n++)
            serve_firsts_on(b, n);
    for (uint32_t n; (n = node_set_next(&w->grown, 0)) != NODE_SET_END;) {
        node_set_remove(&w->grown, n); /* nothing waited for them */
        node_walk_grown(&b->queue.serve_clones, n);
    }
}

RARE static void serve_clones(struct brain *b)
{
    struct node_walk *w = &b->queue.serve_clones;
    uint32_t launched = 1, forbidden = 0;
    while (launched > 0 && node_walk_begin(w)) {
        launched = 0;
        for (uint32_t n = 0; (n = node_walk_next(w, &b->world.fit, n)) != NODE_WALK_END; n++)
            launched += serve_clones_on(b, n, &forbidden);
    }
    bring_back(b, 0);
}

/* Of each resource the most that any node has, which scores are measured by. */
RARE static void measure_nodes(struct brain *b)
{
    struct world *w = &b->world;
    b->launch.largest_changed = false;
    w->largest = (struct res){{0}};
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        const struct node *n = &w->nodes.at[i];
        for (int r = 0; r < RES_COUNT && n->state != NODE_UNKNOWN && n->state != NODE_DOWN; r++)
            if (n->capacity.v[r] > w->largest.v[r])
                w->largest.v[r] = n->capacity.v[r];
    }
    match_list_measure(&b->queue.serve_firsts.list, &w->largest);
    match_list_measure(&b->queue.serve_clones.list, &w->largest);
}

/* ---- all of it ---- */

RARE static void launch_walk(struct brain *b)
{
    for (struct phase *p; (p = queue_next(b)) != NULL;) {
        bool clone = b->queue.names_clone;
        if (!(clone ? launch_clone(b, p) : launch_first(b, p)))
            queue_pass_over(b, p, clone);
    }
    bring_back(b, 0);
}

/* Nodes that choose do so among first attempts. What they leave, although it fits, has its turn
 * after that: nothing waits where there is room. */
static void launch_firsts(struct brain *b, bool may)
{
    if (may && b->match == MATCH_SERVER)
        serve_firsts(b);
    if (queue_begin(b, may, b->clones_when == CLONES_AMONG))
        launch_walk(b);
}

/* Clones that come after first attempts: of these none is left, or none fits anywhere. */
RARE static void launch_clones(struct brain *b)
{
    yield_refill(b);
    pressure_close(b);
    if (b->match == MATCH_SERVER)
        serve_clones(b);
    else if (queue_begin(b, false, true))
        launch_walk(b);
    pressure_open(b);
}

/* Attempts start at ticks, and room for them is made at ticks. The next one matters if a task would
 * fit now, and while anything runs: policies may want to add to it. */
RARE static void wait_for_tick(struct brain *b)
{
    bool matters = b->world.live > 0;
    for (struct queue_cursor c = {0}; !matters && queue_walk_firsts(b, &c);)
        matters = fit_index_any(&b->world.fit, c.phase->fit);
    if (matters)
        timers_want_tick(b);
}

void launch_all(struct brain *b)
{
    if (b->disk_full.sheds)
        disk_full_shed(b);
    if (b->clones_when == CLONES_IDLE)
        yield_cores(b);
    if (b->pressure.reported)
        pressure_end_clones(b);
    if (b->launch.largest_changed)
        measure_nodes(b);
    bool may = !(disk_full_lately(b) && disk_full_waits(b));
    if (b->off_tick) {
        wait_for_tick(b);
        return;
    }
    launch_firsts(b, may);
    if ((b->clones_when == CLONES_IDLE && !queue_firsts_wait(b)) ||
        (b->clones_when == CLONES_AFTER && may))
        launch_clones(b);
}

void launch_what_is_left(struct brain *b)
{
    if (!b->off_tick && !b->yield.room_comes && !(disk_full_lately(b) && disk_full_waits(b)))
        launch_clones(b);
}
