/* queue.c - keeps the phases with tasks to launch, in order.
 *
 * Every phase with something to launch is in the queue of its demand (core/match/demand_queues.h),
 * once for first attempts and once for clones, ordered by the key that the seam `order` gives its
 * job (clones: or by arrival). Which task of the phase is next is a bitmap by rank: setting,
 * clearing and finding the least are a few instructions, and a task whose attempt failed takes its
 * old rank again. */
#include "core/brain/queue.h"

#include "base/check.h"
#include "base/rare.h"
#include "core/brain/state.h"

void queue_init(struct brain *b)
{
    const struct order_ops *order = order_ops(b);
    b->queue.settles = order->plan || order->weigh || order->group || order->allowed;
    b->queue.keeps_held = order->group || order->follows & FOLLOWS_HELD;
    demand_queues_init(&b->queue.by_demand, &b->world.fit);
}

void queue_fini(struct brain *b)
{
    demand_queues_fini(&b->queue.by_demand);
    vec_free(&b->queue.unkeyed);
    vec_free(&b->queue.stale);
    vec_free(&b->queue.stuck);
    node_walk_fini(&b->queue.serve_firsts);
    node_walk_fini(&b->queue.serve_clones);
}

void queue_rank(const struct brain *b, struct phase *p)
{
    if (!within_ops(b)->rank)
        return;
    within_ops(b)->rank(p, p->queued.by_rank);
    for (uint32_t r = 0; r < p->count; r++)
        p->queued.rank_of[p->queued.by_rank[r]] = r;
}

static void queue_join_group(struct brain *b, struct job *j, uint32_t group)
{
    j->group = group;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        p->queued.queue = demand_queues_hold(&b->queue.by_demand, group, &p->demand);
        p->fit = p->queued.queue->fit;
    }
}

static void group_changed(struct brain *b, uint32_t group)
{
    if (b->world.groups.at[group].stale)
        return;
    b->world.groups.at[group].stale = true;
    vec_push(&b->queue.stale, group);
}

void queue_join(struct brain *b, struct job *j)
{
    const struct order_ops *order = order_ops(b);
    uint32_t group = order->group ? order->group(&b->parts[PART_ORDER], j) : 0;
    while (order->group && b->world.groups.count <= group) {
        vec_push(&b->world.groups, ((struct group){.moved = true}));
        group_changed(b, b->world.groups.count - 1);
    }
    queue_join_group(b, j, group);
}

void queue_join_copy(struct brain *b, struct job *j, const struct job *lead)
{
    queue_join_group(b, j, lead->group);
}

/* The phase that the order is asked about. */
static const struct phase *queue_named(const struct phase *p)
{
    return &job_lead(p->job)->phases[p->index];
}

static int64_t queue_key(const struct brain *b, const struct phase *p)
{
    return order_ops(b)->key(&b->parts[PART_ORDER], queue_named(p));
}

/* Rounds of clones that are distinguished; those after the last count as one. */
enum { ROUNDS_MAX = 7 };

/* Where clones stand in the order of their jobs' arrival, they do so behind all first attempts. */
static int64_t queue_clone_key(const struct brain *b, const struct phase *p)
{
    if (b->clones_order == CLONES_BY_ARRIVAL)
        return INT64_MAX / 2 + job_lead(p->job)->id.v;
    uint64_t round = b->clones_order == CLONES_BY_ROUND ? p->queued.clone_next / p->count : 0;
    return (int64_t)(round < ROUNDS_MAX ? round : ROUNDS_MAX) << ORDER_KEY_MAX | queue_key(b, p);
}

static uint64_t queue_tie(const struct phase *p)
{
    return (uint64_t)p->job->id.v << 32 | (uint64_t)p->job->copy << 16 | p->index;
}

static void queue_turn_first(struct brain *b, struct phase *p, bool in)
{
    p->job->queued += in ? 1U : -1U;
    if (p->job->early)
        b->queue.early_waiting += in ? 1U : -1U;
    b->queue.wanted_anew |= in && p->queued.queue->side[QUEUE_FIRSTS].count == 0;
    if (in)
        demand_queues_put(&b->queue.by_demand, p->queued.queue, QUEUE_FIRSTS, queue_key(b, p),
                          queue_tie(p), &p->queued.first_index);
    else
        demand_queues_take(&b->queue.by_demand, p->queued.queue, QUEUE_FIRSTS,
                           &p->queued.first_index);
}

static void queue_turn_clone(struct brain *b, struct phase *p, bool in)
{
    p->job->queued += in ? 1U : -1U;
    if (in)
        demand_queues_put(&b->queue.by_demand, p->queued.queue, QUEUE_CLONES, queue_clone_key(b, p),
                          queue_tie(p), &p->queued.clone_index);
    else
        demand_queues_take(&b->queue.by_demand, p->queued.queue, QUEUE_CLONES,
                           &p->queued.clone_index);
}

static inline void queue_stand_first(struct brain *b, struct phase *p, bool in)
{
    if (in != (p->queued.first_index != HEAP_NOWHERE))
        queue_turn_first(b, p, in);
}

static inline void queue_stand_clone(struct brain *b, struct phase *p, bool in)
{
    if (in != (p->queued.clone_index != HEAP_NOWHERE))
        queue_turn_clone(b, p, in);
}

/* In how many lines the phase stands. */
static inline uint32_t phase_stands(const struct phase *p)
{
    return (uint32_t)(p->queued.first_index != HEAP_NOWHERE) +
           (p->queued.clone_index != HEAP_NOWHERE);
}

/* It has its new keys, or needs none. */
static void queue_is_keyed(struct brain *b, struct job *j)
{
    if (j->unkeyed == 0)
        return;
    struct job *last = b->queue.unkeyed.at[--b->queue.unkeyed.count];
    b->queue.unkeyed.at[j->unkeyed - 1] = last;
    last->unkeyed = j->unkeyed;
    j->unkeyed = 0;
}

/* ---- where nodes choose (MATCH_SERVER), phases stand in their lists, too ---- */

/* Enters, leaves, or moves to `key`. */
static void serve_stand(struct node_walk *list, struct phase *p, bool in, int64_t key,
                        struct serve_place *at)
{
    if (in && !at->in)
        *at = (struct serve_place){false, key, queue_tie(p)};
    struct match_entry e = {at->key, at->tie, p->demand, p};
    if (in && !at->in)
        node_walk_add(list, &e, p->fit);
    else if (!in && at->in)
        node_walk_remove(list, &e);
    else if (in && at->key != key)
        node_walk_rekey(list, &e, key);
    at->in = in;
    at->key = key;
}

static void serve_first(struct brain *b, struct phase *p, bool in)
{
    int64_t key = in ? p->queued.queue->side[QUEUE_FIRSTS].at[p->queued.first_index].key : 0;
    serve_stand(&b->queue.serve_firsts, p, in, key, &p->queued.serve_first);
}

static void queue_serve(struct brain *b, struct phase *p)
{
    if (b->match != MATCH_SERVER)
        return;
    bool clones = p->queued.clone_index != HEAP_NOWHERE;
    int64_t key = clones ? p->queued.queue->side[QUEUE_CLONES].at[p->queued.clone_index].key : 0;
    serve_first(b, p, p->queued.first_index != HEAP_NOWHERE);
    serve_stand(&b->queue.serve_clones, p, clones, key, &p->queued.serve_clone);
}

/* ---- who stands in a queue, and where ---- */

void queue_leave(struct brain *b, struct job *j)
{
    queue_is_keyed(b, j);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        queue_stand_first(b, &j->phases[k], false);
        queue_stand_clone(b, &j->phases[k], false);
        queue_serve(b, &j->phases[k]);
        demand_queues_drop(&b->queue.by_demand, j->phases[k].queued.queue);
    }
}

/* Notes a phase of a job with a slow start that is at its limit, for yield.c. */
static void queue_note_stuck(struct brain *b, struct phase *p)
{
    if (p->stuck)
        return;
    p->stuck = true;
    vec_push(&b->queue.stuck, phase_ref(p));
}

/* Whether the order lets another first attempt of the phase start. It is asked when the phase comes
 * into line. */
static bool queue_is_allowed(const struct brain *b, struct phase *p)
{
    if (order_ops(b)->allowed && p->queued.first_index == HEAP_NOWHERE)
        p->queued.allowed = order_ops(b)->allowed(&b->parts[PART_ORDER], queue_named(p));
    return p->queued.allowed > 0;
}

void queue_refresh(struct brain *b, struct phase *p)
{
    const struct job *j = p->job;
    bool runs = j->state == JOB_LIVE && p->open, may = runs && !job_is_full(j);
    if (runs && !may && j->early && p->pending_count > 0)
        queue_note_stuck(b, p);
    queue_stand_first(b, p, may && p->pending_count > 0 && queue_is_allowed(b, p));
    queue_stand_clone(b, p, may && p->clones_queued > 0 && !p->queued.aside);
    queue_serve(b, p);
}

void queue_set_aside(struct brain *b, struct phase *p, bool aside)
{
    p->queued.aside = aside;
    queue_refresh(b, p);
}

void queue_refresh_job(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        if (p->pending_count > 0 || p->clones_queued > 0 || phase_stands(p) > 0)
            queue_refresh(b, p);
    }
    for (struct job *r = j->copies; r; r = r->next)
        queue_refresh_job(b, r);
}

void queue_weigh_job(struct brain *b, const struct job *j)
{
    if (order_ops(b)->weigh && !j->lead)
        order_ops(b)->weigh(&b->parts[PART_ORDER], j);
}

/* Asks anew how many first attempts may start. */
static void queue_reallow(struct brain *b, struct phase *p)
{
    p->queued.allowed = order_ops(b)->allowed(&b->parts[PART_ORDER], queue_named(p));
    queue_refresh(b, p);
}

static void queue_rekey_clones(struct brain *b, struct phase *p)
{
    if (p->queued.clone_index != HEAP_NOWHERE)
        demand_queues_rekey(&b->queue.by_demand, p->queued.queue, QUEUE_CLONES,
                            queue_clone_key(b, p), &p->queued.clone_index);
}

static void queue_rekey(struct brain *b, struct job *j)
{
    bool allows = order_ops(b)->allowed;
    uint32_t left = j->queued;
    for (uint16_t k = 0; k < j->phase_count && (left > 0 || allows); k++) {
        struct phase *p = &j->phases[k];
        if (allows && p->open)
            queue_reallow(b, p);
        if (phase_stands(p) == 0)
            continue;
        left -= phase_stands(p);
        if (p->queued.first_index != HEAP_NOWHERE)
            demand_queues_rekey(&b->queue.by_demand, p->queued.queue, QUEUE_FIRSTS, queue_key(b, p),
                                &p->queued.first_index);
        queue_rekey_clones(b, p);
        queue_serve(b, p);
    }
    for (struct job *r = j->copies; r; r = r->next)
        queue_rekey(b, r);
}

void queue_rekey_job(struct brain *b, struct job *j)
{
    queue_weigh_job(b, j);
    queue_rekey(b, j);
}

static void queue_rekey_all(struct brain *b)
{
    void (*plan)(const struct part_ctx *) = order_ops(b)->plan;
    b->queue.unplanned = false;
    while (b->queue.unkeyed.count > 0) {
        struct job *j = b->queue.unkeyed.at[b->queue.unkeyed.count - 1];
        queue_is_keyed(b, j);
        if (plan)
            queue_weigh_job(b, j);
    }
    if (plan)
        plan(&b->parts[PART_ORDER]);
    if (order_ops(b)->keys_are_ranks)
        return; /* decider_publish has put off those that move */
    for (uint32_t i = b->world.jobs.gone; i < b->world.jobs.count; i++)
        if (b->world.jobs.at[i])
            (plan ? queue_rekey : queue_rekey_job)(b, b->world.jobs.at[i]);
}

/* Groups take the places and the allowances that follow from what they hold. */
static void queue_settle_groups(struct brain *b)
{
    const struct order_ops *order = order_ops(b);
    const struct part_ctx *s = &b->parts[PART_ORDER];
    while (b->queue.stale.count > 0) {
        uint32_t group = b->queue.stale.at[--b->queue.stale.count];
        b->world.groups.at[group].stale = false;
        if (order->group_key)
            demand_queues_set_group_key(&b->queue.by_demand, group, order->group_key(s, group));
        if (order->group_allowance) {
            struct res allowance =
                order->group_allowance(s, group, &b->world.groups.at[group].held);
            demand_queues_set_group_allowance(&b->queue.by_demand, group, &allowance);
        }
    }
}

/* What queues know of those whose keys change is all over the memory: it is fetched for many at
 * once before it is asked for, of their first phases at least. */
static void queue_prefetch(const struct brain *b)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < b->queue.unkeyed.count; i++) {
            const struct phase *p = &b->queue.unkeyed.at[i]->phases[0];
            if (p->queued.queue && round == 0)
                __builtin_prefetch(p->queued.queue);
            else if (p->queued.queue)
                demand_queues_prefetch(&b->queue.by_demand, p->queued.queue);
        }
}

static void queue_settle_keys(struct brain *b)
{
    if (b->queue.unplanned)
        queue_rekey_all(b);
    if (b->queue.unkeyed.count > 4)
        queue_prefetch(b);
    while (b->queue.unkeyed.count > 0) {
        struct job *j = b->queue.unkeyed.at[b->queue.unkeyed.count - 1];
        queue_is_keyed(b, j);
        queue_rekey_job(b, j);
    }
}

/* Does what was put off. Before it is said who is next. */
void queue_settle(struct brain *b)
{
    if (b->queue.unplanned || b->queue.unkeyed.count > 0)
        queue_settle_keys(b);
    if (b->queue.stale.count > 0)
        queue_settle_groups(b);
}

void queue_follow_capacity(struct brain *b)
{
    for (uint32_t i = 0; i < b->world.groups.count; i++) {
        b->world.groups.at[i].moved = true;
        group_changed(b, i);
    }
    queue_follow(b, NULL, FOLLOWS_CAPACITY);
}

void queue_put_off(struct brain *b, struct job *j)
{
    if (!j) {
        b->queue.unplanned = true;
    } else if (!b->queue.settles && j->queued == 0 && !j->copies) {
        return; /* nothing of it is in line; who comes into line is asked about then */
    } else if (!j->lead && j->unkeyed == 0) {
        vec_push(&b->queue.unkeyed, j);
        j->unkeyed = b->queue.unkeyed.count;
    }
}

void queue_hold(struct brain *b, const struct attempt *a, int sign)
{
    const struct phase *p = attempt_phase(a);
    struct job *j = job_lead(a->job);
    res_sum_add(&j->held, &p->demand, sign);
    queue_follow(b, j, FOLLOWS_HELD);
    if (b->world.groups.count == 0)
        return;
    res_sum_add(&b->world.groups.at[j->group].held, &p->demand, sign);
    if (a->kind == LAUNCH_CLONE)
        res_sum_add(&b->world.groups.at[j->group].clones, &p->demand, sign);
    else
        b->world.groups.at[j->group].moved = true;
    group_changed(b, j->group);
}

bool queue_group_allows(struct brain *b, const struct phase *p)
{
    if (b->queue.stale.count > 0)
        queue_settle_groups(b);
    return demand_queues_group_allows(&b->queue.by_demand, p->job->group, &p->demand);
}

bool queue_group_would_allow(const struct brain *b, uint32_t group, const struct res_sum *held,
                             const struct res *need)
{
    if (!order_ops(b)->group_allowance)
        return true;
    struct res allowance = order_ops(b)->group_allowance(&b->parts[PART_ORDER], group, held);
    return res_fits(need, &allowance);
}

/* Whether the group may take more without its clones than when it was last asked about. */
static bool queue_group_eases(struct brain *b, uint32_t group)
{
    struct group *g = &b->world.groups.at[group];
    struct res_sum firm = g->held;
    if (!g->moved || !order_ops(b)->group_allowance)
        return false;
    g->moved = false;
    for (int i = 0; i < RES_COUNT; i++)
        firm.v[i] -= g->clones.v[i];
    struct res most = order_ops(b)->group_allowance(&b->parts[PART_ORDER], group, &firm);
    return demand_queues_set_group_most(&b->queue.by_demand, group, &most);
}

bool queue_groups_ease(struct brain *b)
{
    bool eases = false;
    for (uint32_t i = 0; i < b->world.groups.count; i++)
        eases |= queue_group_eases(b, i);
    return eases;
}

void queue_launched(struct brain *b, struct phase *p)
{
    if (p->queued.allowed != UINT32_MAX && --p->queued.allowed == 0)
        queue_refresh(b, p);
}

static uint32_t rank_of(const struct phase *p, uint32_t task)
{
    return p->queued.rank_of ? p->queued.rank_of[task] : task;
}

static uint32_t task_at(const struct phase *p, uint32_t rank)
{
    return p->queued.by_rank ? p->queued.by_rank[rank] : rank;
}

void queue_put(struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    uint64_t bit = 1ULL << (rank % 64);
    check(!(p->queued.pending[rank / 64] & bit));
    p->queued.pending[rank / 64] |= bit;
    p->pending_count++;
    if (rank / 64 < p->queued.pending_from)
        p->queued.pending_from = rank / 64;
}

void queue_take(struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    p->queued.pending[rank / 64] &= ~(1ULL << (rank % 64));
    p->pending_count--;
}

uint32_t queue_first(struct phase *p)
{
    check(p->pending_count > 0);
    while (p->queued.pending[p->queued.pending_from] == 0)
        p->queued.pending_from++;
    uint64_t word = p->queued.pending[p->queued.pending_from];
    return task_at(p, p->queued.pending_from * 64 + (uint32_t)__builtin_ctzll(word));
}

static void clones_count(struct brain *b, struct phase *p, int64_t change)
{
    p->clones_queued = (uint64_t)((int64_t)p->clones_queued + change);
    res_sum_add(&b->world.clone_queued, &p->demand, change);
    queue_refresh(b, p);
}

/* The next clone is that of another task, or a second one. */
static void clones_advance(struct brain *b, struct phase *p)
{
    if (++p->queued.clone_next % p->count != 0 || b->clones_order != CLONES_BY_ROUND)
        return;
    queue_rekey_clones(b, p);
    queue_serve(b, p);
}

void queue_add_clones(struct brain *b, struct phase *p)
{
    uint64_t want = 0;
    p->queued.clone_next = 0;
    p->queued.clone_end = (uint64_t)p->count * (p->copies - 1U);
    for (uint32_t t = 0; t < p->count; t++)
        if (task_is_open(&p->tasks[t]) && !p->tasks[t].unqueued)
            want += p->copies - 1U;
        else
            p->tasks[t].unqueued = true;
    clones_count(b, p, (int64_t)want);
}

void queue_drop_all_clones(struct brain *b, struct phase *p)
{
    p->queued.clone_next = p->queued.clone_end;
    if (p->clones_queued)
        clones_count(b, p, -(int64_t)p->clones_queued);
}

void queue_add_clones_again(struct brain *b, struct phase *p)
{
    queue_drop_all_clones(b, p);
    p->queued.cloned_again = true;
    queue_add_clones(b, p);
}

/* Returns true if the task has at least `count` attempts that were not asked to end. */
static bool has_attempts(const struct brain *b, const struct task *t, uint64_t count)
{
    uint64_t wanted = 0;
    if (t->live < count)
        return false;
    FOR_ATTEMPTS (a, &b->world, t)
        wanted += !a->unwanted;
    return wanted >= count;
}

/* Where clones were queued again: whether the task has the one that is next, or was launched so
 * often that the rest is left to attempts that it needs. */
static bool clone_is_needless(const struct brain *b, const struct phase *p, const struct task *t)
{
    return p->queued.cloned_again && (has_attempts(b, t, p->queued.clone_next / p->count + 2) ||
                                      t->launches >= b->policy->launches_max / 2);
}

uint32_t queue_first_clone(struct brain *b, struct phase *p)
{
    while (p->queued.clone_next < p->queued.clone_end) {
        uint32_t task = task_at(p, (uint32_t)(p->queued.clone_next % p->count));
        const struct task *t = &p->tasks[task];
        if (!t->unqueued && task_is_open(t) && !t->spent && t->live > 0 &&
            !clone_is_needless(b, p, t) && !has_attempts(b, t, p->copies))
            return task; /* a backup may have come before its clones */
        /* Its attempt failed, for good or to be started anew, it has a backup instead, or it is
         * over: this clone is forfeit. */
        clones_advance(b, p);
        if (!t->unqueued)
            clones_count(b, p, -1);
    }
    return TASK_ALL;
}

void queue_take_clone(struct brain *b, struct phase *p)
{
    clones_advance(b, p);
    clones_count(b, p, -1);
}

void queue_drop_clones(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    if (p->queued.clone_next >= p->queued.clone_end || t->unqueued)
        return;
    uint64_t rank = rank_of(p, task);
    /* Positions rank, rank + count, ... below clone_end, less those before clone_next. */
    uint64_t all = p->copies - 1U;
    uint64_t past = p->queued.clone_next / p->count + (p->queued.clone_next % p->count > rank);
    t->unqueued = true;
    if (all > past)
        clones_count(b, p, -(int64_t)(all - past));
}

/* ---- a walk ---- */

void queue_begin_walk(struct brain *b, bool firsts, bool clones)
{
    /* Those that wait far away move at less cost now. */
    if (b->queue.settles || demand_queues_have_far(&b->queue.by_demand))
        queue_settle(b);
    demand_queues_begin(&b->queue.by_demand, firsts, clones);
}

/* Keys matter, as there are several that wait. */
RARE static struct phase *queue_next_by_key(struct brain *b)
{
    enum queue_side side;
    queue_settle(b);
    const struct heap_item *it = demand_queues_next(&b->queue.by_demand, &side);
    b->queue.names_clone = it && side == QUEUE_CLONES;
    if (!it)
        return NULL;
    return b->queue.names_clone ? queue_clone_phase(it) : queue_first_phase(it);
}

struct phase *queue_next(struct brain *b)
{
    if (b->queue.settles)
        return queue_next_by_key(b);
    /* Keys that were put off may change back until they matter. */
    if (demand_queues_end_early(&b->queue.by_demand))
        return NULL;
    const struct heap_item *only = demand_queues_only(&b->queue.by_demand);
    if (!only)
        return queue_next_by_key(b);
    b->queue.names_clone = false;
    return queue_first_phase(only);
}

void queue_pass_over(struct brain *b, const struct phase *p, bool clone)
{
    demand_queues_pass_over(&b->queue.by_demand, p->queued.queue,
                            clone ? QUEUE_CLONES : QUEUE_FIRSTS);
}

/* Whether the first of those that wait in the queue is before a phase with this key and tie. */
static bool queue_head_precedes(const struct demand_queues *s, const struct demand_queue *q,
                                uint32_t group, int64_t key, uint64_t tie)
{
    int64_t here = s->groups.at[q->group]->key, there = s->groups.at[group]->key;
    const struct heap_item *head = q->side[QUEUE_FIRSTS].at;
    if (q->group != group)
        return here < there || (here == there && q->group < group);
    return head->key < key || (head->key == key && head->tie < tie);
}

bool queue_is_next(struct brain *b, const struct phase *p)
{
    queue_settle(b);
    const struct demand_queues *s = &b->queue.by_demand;
    int64_t key = queue_key(b, p);
    for (uint32_t i = 0; i < s->at.count; i++)
        if (s->at.at[i] && s->at.at[i]->side[QUEUE_FIRSTS].count > 0 &&
            queue_head_precedes(s, s->at.at[i], p->job->group, key, queue_tie(p)))
            return false;
    return true;
}

bool queue_firsts_wait(const struct brain *b)
{
    return b->queue.by_demand.firsts_waiting > 0;
}

bool queue_walk_firsts(const struct brain *b, struct queue_cursor *c)
{
    for (; c->queue < b->queue.by_demand.at.count; c->queue++, c->member = 0) {
        const struct demand_queue *q = b->queue.by_demand.at.at[c->queue];
        if (!q || c->member >= q->side[QUEUE_FIRSTS].count)
            continue;
        c->phase = queue_first_phase(&q->side[QUEUE_FIRSTS].at[c->member++]);
        return true;
    }
    return false;
}
