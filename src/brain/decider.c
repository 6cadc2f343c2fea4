/* decider.c - decisions come into being here and nowhere else.
 *
 * Every decision gets the next id and its reason, and what it takes is charged at once: the next
 * policy that looks sees a world in which the launch has happened and the kill has been asked for.
 * What it gives back is credited only when an event confirms it. Policies never touch the list of
 * decisions themselves, so none can forget a reason, launch twice, or kill what has already ended.
 */
#include "brain/decider.h"

#include "base/check.h"
#include "base/rng.h"
#include "brain/state.h"

struct decision *brain_add(struct brain *b, uint8_t type, struct attempt_ref at,
                           const struct reason *why)
{
    struct decision *d = vec_add(&b->out);
    d->id = ++b->last_id;
    d->type = type;
    d->kind = 0;
    d->job_copy = 0;
    d->at = at;
    d->node = NODE_NONE;
    d->u.timer.id = 0;
    d->u.timer.at_us = 0;
    d->why = *why;
    return d;
}

void brain_todo(struct brain *b, const struct job *j, enum todo_what what, struct attempt_ref at)
{
    struct todo *t = vec_add(&b->todo);
    t->what = (uint8_t)what;
    t->copy = j->copy;
    t->at = at;
}

struct node_id brain_place(struct brain *b, const struct phase *p, uint32_t task)
{
    if (!fit_index_any(&b->world.fit, p->fit))
        return NODE_NONE;
    if (!p->planned && BRAIN_OPS(b, place)->plan) {
        struct phase *mine = &p->job->phases[p->index];
        mine->planned = true;
        mine->plan = BRAIN_OPS(b, place)->plan(&b->place, p);
    }
    struct place_luck luck = {p->place_trunk, task, task_named(p, task)->ordinals};
    return BRAIN_OPS(b, place)->pick(&b->place, p, task, luck);
}

struct reason brain_cap_reason(const struct brain *b)
{
    return REASON(WHY_CAP, b->cost_cap.sum / RES_SLOT / 1e6,
                  cost_cap_limit(&b->cost_cap) / RES_SLOT / 1e6);
}

bool decider_capped(const struct brain *b, const struct res *demand, uint64_t attempts,
                    struct reason *why)
{
    if (cost_cap_allows(&b->cost_cap, (int64_t)attempts * demand->v[RES_CPU]))
        return false;
    *why = brain_cap_reason(b);
    return true;
}

bool brain_capped(struct brain *b, const struct phase *p)
{
    struct reason why;
    if (!decider_capped(b, &p->demand, 1, &why)) {
        b->cost_cap.said = false;
        return false;
    }
    if (!b->cost_cap.said)
        decider_verdict(b, p, &why);
    b->cost_cap.said = true;
    return true;
}

/* Whoever asks for more than the job's limit, again and again for the same task, or for a task
 * whose input is lost, is told that there is no room: policies cannot overrun any of these. Half of
 * a task's launches are left to those that it needs: a policy that starts copies and ends them, for
 * ever, must not make it fail. */
struct node_id decider_place(struct brain *b, const struct phase *p, uint32_t task)
{
    const struct job *j = p->job;
    if (!p->open || job_is_full(j) || p->tasks[task].launches >= b->policy->launches_max / 2 ||
        brain_capped(b, p) || disk_full_lately(b))
        return NODE_NONE;
    return brain_place(b, p, task);
}

bool decider_firsts_wait(const struct brain *b)
{
    for (uint32_t i = 0; i < b->queues.count; i++)
        if (b->queues.at[i]->firsts.count > 0)
            return true;
    return false;
}

void brain_launch(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                  struct node_id node, const struct reason *why)
{
    struct attempt *a = attempt_create(b, p, task, kind, node);
    struct decision *d = brain_add(b, DO_LAUNCH, attempt_ref_of(a), why);
    d->kind = kind;
    d->node = node;
    d->job_copy = p->job->holds ? p->job->copy : 0;
    if (p->edge_count > 0)
        BRAIN_OPS(b, shuffle)->launched(&b->shuffle, a);
    if (kind == LAUNCH_CLONE || kind == LAUNCH_BACKUP || a->spare)
        return;
    uint32_t slot = (uint32_t)(a - b->world.attempts.at); /* the pool may move */
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->launched)
            BRAIN_MITIGATE(b, i)->launched(&b->mitigate[i], world_attempt(&b->world, slot));
}

void brain_set_timer(struct brain *b, uint32_t id, int64_t at_us)
{
    struct decision *d = brain_add(b, DO_SET_TIMER, (struct attempt_ref){{0}, TASK_ALL, 0, 0},
                                   &REASON_PLAIN(WHY_CLOCK));
    d->u.timer.id = id;
    d->u.timer.at_us = at_us;
}

bool decider_disk_is_full(const struct brain *b)
{
    return disk_full_lately(b);
}

void decider_backup(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                    const struct reason *why)
{
    check(b->world.keeps_running); /* disk_full.c looks for backups there */
    check(task_is_open(&p->tasks[task]) && p->tasks[task].live > 0);
    brain_launch(b, p, task, LAUNCH_BACKUP, node, why);
}

void decider_clone(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                   const struct reason *why)
{
    struct task *t = &p->tasks[task];
    check(task_is_open(t) && t->live > 0);
    phase_mark_cloned(b, p);
    if (p->copies < t->live + 1U)
        p->copies = (uint16_t)(t->live + 1U);
    t->clones++;
    brain_launch(b, p, task, LAUNCH_CLONE, node, why);
}

void decider_precompute(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                        const struct reason *why)
{
    const struct task *t = &p->tasks[task];
    check(t->state == TASK_DONE && t->live == 0 && t->finished == 0);
    brain_launch(b, p, task, LAUNCH_RECOMPUTE, node, why);
}

void decider_replicate(struct brain *b, const struct phase *p, uint32_t task, struct node_id node,
                       const struct reason *why)
{
    struct attempt_ref at = task_ref_of(p, task);
    check(p->tasks[task].state == TASK_DONE);
    at.attempt = p->tasks[task].winner;
    brain_add(b, DO_REPLICATE, at, why)->node = node;
}

void decider_avoid(struct brain *b, struct node_id node, int64_t until_us, const struct reason *why)
{
    struct decision *d =
        brain_add(b, DO_AVOID_NODE, (struct attempt_ref){{0}, TASK_ALL, 0, 0}, why);
    d->node = node;
    d->u.until_us = until_us;
    b->world.nodes.at[node.v].avoid_until_us = until_us;
    node_refit(&b->world, node.v);
    if (b->avoid_next_us == 0)
        b->avoid_next_us = until_us; /* a later one that ends earlier is let back a little late */
}

void decider_stop(struct brain *b, struct attempt *a, const struct reason *why)
{
    check(a->state != ATTEMPT_FINISHED);
    if (!a->unwanted) {
        a->unwanted = true;
        a->stop_why = why->code;
        if (attempt_is_slow(a) && !a->reported)
            a->left_s = why->num[0];
    }
    if (a->asked)
        return;
    if (a->kind == LAUNCH_CLONE && !a->dying) {
        a->dying = true;
        b->world.clones_dying++;
        res_sum_add(&b->world.clone_dying, &attempt_phase(a)->demand, 1);
    }
    a->asked = true;
    if (attempt_phase(a)->tasks[a->task].state == TASK_DONE)
        phase_refill_readers(b, attempt_phase(a)); /* some may have hoped for its output */
    struct decision *d =
        brain_add(b, a->state == ATTEMPT_LAUNCHING ? DO_WITHDRAW : DO_KILL, attempt_ref_of(a), why);
    d->u.grace_us = 0;
}

void decider_discard(struct brain *b, struct attempt *a, const struct reason *why)
{
    brain_add(b, DO_DISCARD_OUTPUT, attempt_ref_of(a), why);
    attempt_forget(b, a);
}

void decider_read(struct brain *b, struct attempt *reader, struct attempt_ref source,
                  bool exclusive, const struct reason *why)
{
    struct decision *d = brain_add(b, DO_ASSIGN_READ, attempt_ref_of(reader), why);
    d->u.read.source = source;
    d->u.read.exclusive = exclusive;
}

void decider_wake(struct brain *b, int64_t at_us)
{
    if (b->wake_us == 0 || at_us < b->wake_us)
        b->wake_us = at_us;
}

void decider_verdict(struct brain *b, const struct phase *p, const struct reason *why)
{
    brain_add(b, DO_VERDICT, phase_ref(p), why);
}
