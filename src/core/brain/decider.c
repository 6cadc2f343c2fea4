/* decider.c - hands the requests of policies to the files that carry them out.
 *
 * Nothing below knows that policies exist, and policies can reach nothing else. Requests that are
 * not allowed are handled here: they find no room, or are a programmer error. */
#include "core/brain/decider.h"

#include "base/check.h"
#include "core/brain/attempt.h"
#include "core/brain/cost_cap.h"
#include "core/brain/decisions.h"
#include "core/brain/job.h"
#include "core/brain/job_copy.h"
#include "core/brain/launch.h"
#include "core/brain/pressure.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"
#include "core/brain/timers.h"
#include "core/brain/yield.h"

bool decider_capped(const struct brain *b, const struct res_sum *more, struct reason *why)
{
    int lacks = cost_cap_lacks(b, more);
    if (lacks >= 0)
        *why = cost_cap_reason(b, lacks);
    return lacks >= 0;
}

double decider_cap_spent(const struct brain *b, const struct phase *p)
{
    return cost_cap_spent(b, p);
}

/* Between ticks, beyond the job's limit or its end, again and again for the same task, or for a
 * task whose input is lost, there is no room: policies cannot overrun any of these. Half of a
 * task's launches are left to those that it needs: a policy that starts copies and ends them, for
 * ever, must not make it fail.
 */
struct node_id decider_place(struct brain *b, const struct phase *p, uint32_t task)
{
    const struct job *j = p->job;
    b->turned_away |= b->off_tick;
    if (b->off_tick)
        return NODE_NONE;
    if (j->state != JOB_LIVE || !p->open || job_is_full(j) ||
        p->tasks[task].launches >= b->policy->launches_max / 2 || cost_cap_forbids(b, p) ||
        disk_full_lately(b) || !queue_group_allows(b, p))
        return NODE_NONE;
    return launch_place(b, p, task);
}

bool decider_group_allows(struct brain *b, const struct phase *p)
{
    return queue_group_allows(b, p);
}

/* Takes in what nodes have free now. */
static void score_nodes(struct brain *b)
{
    const struct world *w = &b->world;
    if (!b->scores.cells || !res_equal(&b->scores.largest, &w->largest)) {
        match_nodes_measure(&b->scores, &w->largest);
        for (uint32_t i = 0; i < w->fit.count; i++)
            node_set_add(&b->unscored, i);
    }
    match_nodes_set_all(&b->scores, &b->unscored, w->fit.free);
}

/* Leaves out the nodes of the task's attempts in this copy of its job, until they are scored anew.
 */
static void unscore_attempts(struct brain *b, const struct task *t)
{
    static const struct res closed = {{-1, -1, -1, -1}};
    FOR_ATTEMPTS (a, &b->world, t)
        if (a->state != ATTEMPT_FINISHED) {
            match_nodes_set(&b->scores, a->node.v, &closed);
            node_set_add(&b->unscored, a->node.v);
        }
}

static struct node_id node_or_none(uint32_t node)
{
    return node == MATCH_NODES_NONE ? NODE_NONE : (struct node_id){node};
}

/* On a full cluster what waits fits only where something has ended: there is no need to know the
 * scores of all nodes, then, nor to learn of those that change. */
struct node_id decider_best_node(struct brain *b, const struct phase *p, uint32_t task)
{
    const struct job *lead = job_lead(p->job);
    const struct world *w = &b->world;
    uint32_t count, live = phase_live_attempts(p, task);
    const uint32_t *few = live == 0 ? fit_index_few(&w->fit, p->fit, &count) : NULL;
    if (few)
        return node_or_none(match_nodes_best_of(few, count, w->fit.free, &w->largest, &p->demand));
    score_nodes(b);
    unscore_attempts(b, &lead->phases[p->index].tasks[task]);
    for (const struct job *j = lead->copies; j; j = j->next)
        unscore_attempts(b, &j->phases[p->index].tasks[task]);
    uint32_t node = match_nodes_best(&b->scores, &p->demand);
    if (node == MATCH_NODES_NONE) {
        score_nodes(b);
        node = match_nodes_best(&b->scores, &p->demand);
    }
    return node_or_none(node);
}

bool decider_firsts_wait(const struct brain *b)
{
    return queue_firsts_wait(b);
}

bool decider_is_next(struct brain *b, const struct phase *p)
{
    return queue_is_next(b, p);
}

bool decider_holds_extras(const struct brain *b)
{
    return b->off_tick || disk_full_lately(b);
}

bool decider_core_is_idle(struct brain *b, const struct phase *p)
{
    return !yield_forbids_clone(b, p);
}

bool decider_node_is_pressed(struct brain *b, const struct phase *p, struct node_id node)
{
    if (!world_node_is_pressed(&b->world, node.v))
        return false;
    pressure_tell(b, p);
    return true;
}

void decider_clone_phase(struct brain *b, struct phase *p, uint16_t copies)
{
    check(copies >= 2 && p->copies == 1 && !p->cloned);
    p->copies = copies;
    queue_add_clones(b, p);
}

void decider_cancel_clones(struct brain *b, struct phase *p)
{
    queue_drop_all_clones(b, p);
}

void decider_clone_job(struct brain *b, struct job *j, uint16_t copies)
{
    job_copy_begin(b, j, copies);
}

void decider_backup(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                    const struct reason *why)
{
    check(b->world.keeps_running); /* disk_full.c looks for backups there */
    check(task_is_open(&p->tasks[task]) && p->tasks[task].live > 0 && !p->tasks[task].spent);
    launch_attempt(b, p, task, LAUNCH_BACKUP, node, why);
}

void decider_clone(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                   const struct reason *why)
{
    struct task *t = &p->tasks[task];
    check(task_is_open(t) && t->live > 0 && !t->spent);
    attempt_charge_phase(b, p);
    if (p->copies < t->live + 1U)
        p->copies = (uint16_t)(t->live + 1U);
    t->clones++;
    launch_attempt(b, p, task, LAUNCH_CLONE, node, why);
}

void decider_precompute(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                        const struct reason *why)
{
    const struct task *t = &p->tasks[task];
    check(t->state == TASK_DONE && t->live == 0 && t->finished == 0);
    launch_attempt(b, p, task, LAUNCH_RECOMPUTE, node, why);
}

void decider_replicate(struct brain *b, const struct phase *p, uint32_t task, struct node_id node,
                       const struct reason *why)
{
    struct attempt_ref at = task_ref_of(p, task);
    check(p->tasks[task].state == TASK_DONE);
    at.attempt = p->tasks[task].winner;
    decisions_add(b, DO_REPLICATE, at, why)->node = node;
}

void decider_stop(struct brain *b, struct attempt *a, const struct reason *why)
{
    stop_attempt(b, a, why);
}

void decider_drop_copy(struct brain *b, struct job *j, const struct reason *why)
{
    job_drop_copy(b, j, why);
}

void decider_avoid(struct brain *b, struct node_id node, int64_t until_us, const struct reason *why)
{
    stop_node(b, node, until_us, why);
}

void decider_verdict(struct brain *b, const struct phase *p, const struct reason *why)
{
    decisions_add_verdict(b, p, why);
}

void decider_read(struct brain *b, struct attempt *reader, struct attempt_ref source,
                  bool exclusive, const struct reason *why)
{
    struct decision *d = decisions_add(b, DO_ASSIGN_READ, attempt_ref_of(reader), why);
    d->u.read.source = source;
    d->u.read.exclusive = exclusive;
}

void decider_publish(struct brain *b, const struct job *j, struct standing standing)
{
    struct job *mine = world_job(&b->world, j->id);
    bool moves = standing.rank != mine->standing.rank;
    mine->standing = standing;
    if (moves && order_ops(b)->keys_are_ranks)
        queue_put_off(b, mine);
}

void *decider_note(struct brain *b, const struct job *j, size_t size)
{
    struct job *mine = world_job(&b->world, j->id);
    if (!mine->note)
        mine->note = mem_zalloc(1, size);
    return mine->note;
}

void decider_wake(struct brain *b, int64_t at_us)
{
    timers_want(b, TIMER_SHUFFLE, at_us);
}
