/* demand_queues.c - the method is in demand_queues.h.
 *
 * There are few queues whose demand has a set in the index, and one check shows whether such a
 * demand fits: they are in a short list that is searched in full. The others are merged by (key,
 * tie) in a heap. New queues are in the heap themselves; queues that found no room are members of a
 * wait queue, and each node that grew since the walk before is in the heap with the key of the
 * first of those that fit into its free resources. A node's key is corrected only when it reaches
 * the top: it can but get worse meanwhile, because nodes only lose room; a queue that moves forward
 * in the wait queue during a walk leaves it for the heap.
 *
 * A new queue would have to search all nodes in vain when the cluster is full. But if a waiting
 * queue asks for no more, the new one fits nowhere either, except where nodes grew, and this is
 * recorded in the index. */
#include "core/match/demand_queues.h"

#include "base/check.h"

static struct queue_group *group_make(void)
{
    struct queue_group *g = mem_zalloc(1, sizeof *g);
    g->entry = (struct walk_entry){HEAP_NOWHERE, 0, WALK_ENTRY_ALLOWANCE};
    g->heap_index = HEAP_NOWHERE;
    g->most = (struct res){{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};
    return g;
}

static struct queue_group *group_at(struct demand_queues *s, uint32_t group)
{
    while (s->groups.count <= group) {
        vec_push(&s->groups, group_make());
        s->groups.at[0]->far += s->groups.count == 2;
    }
    return s->groups.at[group];
}

void demand_queues_init(struct demand_queues *s, struct fit_index *fit)
{
    *s = (struct demand_queues){.fit = fit};
    (void)group_at(s, 0);
}

static void queue_free(struct demand_queue *q)
{
    heap_fini(&q->side[QUEUE_FIRSTS]);
    heap_fini(&q->side[QUEUE_CLONES]);
    mem_free(q);
}

static void group_free(struct queue_group *g)
{
    heap_fini(&g->ready);
    heap_fini(&g->clones);
    wait_queue_fini(&g->stuck);
    wait_queue_fini(&g->barred);
    vec_free(&g->near);
    vec_free(&g->later);
    vec_free(&g->passed);
    vec_free(&g->entries);
    mem_free(g);
}

void demand_queues_fini(struct demand_queues *s)
{
    for (uint32_t i = 0; i < s->at.count; i++)
        if (s->at.at[i])
            queue_free(s->at.at[i]);
    for (uint32_t i = 0; i < s->groups.count; i++)
        group_free(s->groups.at[i]);
    vec_free(&s->at);
    vec_free(&s->unused);
    vec_free(&s->groups);
    lookup_fini(&s->by_demand);
    heap_fini(&s->order);
}

/* ---- queues come and go ---- */

static uint64_t queue_name(uint32_t group, uint32_t demand)
{
    return (uint64_t)group << 32 | demand;
}

struct demand_queue *demand_queues_hold(struct demand_queues *s, uint32_t group,
                                        const struct res *need)
{
    uint32_t demand = fit_index_hold(s->fit, need);
    uint32_t number = lookup_get(&s->by_demand, queue_name(group, demand));
    if (number == LOOKUP_NONE) {
        (void)group_at(s, group);
        struct demand_queue *q = mem_zalloc(1, sizeof *q);
        number = vec_take(&s->at, &s->unused);
        *q = (struct demand_queue){.need = *need,
                                   .fit = demand,
                                   .group = group,
                                   .number = number,
                                   .entry = {HEAP_NOWHERE, 0, WALK_ENTRY_QUEUE},
                                   .clones_heap_index = HEAP_NOWHERE};
        s->at.at[number] = q;
        lookup_put(&s->by_demand, queue_name(group, demand), number);
    }
    s->at.at[number]->holders++;
    return s->at.at[number];
}

static void list_leave(struct demand_queue **at, uint32_t *count, uint32_t i, bool passed)
{
    at[i] = at[--*count];
    *(passed ? &at[i]->passed_at : &at[i]->at) = i;
}

void demand_queues_drop(struct demand_queues *s, struct demand_queue *q)
{
    struct queue_group *g = s->groups.at[q->group];
    fit_index_drop(s->fit, q->fit);
    if (--q->holders > 0)
        return;
    check(q->state == QUEUE_EMPTY && q->side[QUEUE_CLONES].count == 0);
    if (q->passed) {
        list_leave(g->passed.at, &g->passed.count, q->passed_at, true);
        g->far--;
    }
    lookup_remove(&s->by_demand, queue_name(q->group, q->fit));
    s->at.at[q->number] = NULL;
    vec_push(&s->unused, q->number);
    queue_free(q);
}

/* ---- where a queue's first attempts are ---- */

static void firsts_leave(struct queue_group *g, struct demand_queue *q)
{
    g->far -= q->state > QUEUE_NEAR;
    switch (q->state) {
    case QUEUE_NEAR:
        list_leave(g->near.at, &g->near.count, q->at, false);
        break;
    case QUEUE_LATER:
        list_leave(g->later.at, &g->later.count, q->at, false);
        break;
    case QUEUE_READY:
        heap_remove(&g->ready, &q->entry.heap_index);
        break;
    case QUEUE_STUCK:
        wait_queue_remove(&g->stuck, q->at);
        break;
    case QUEUE_BARRED:
        wait_queue_remove(&g->barred, q->at);
        break;
    default:
        break;
    }
    q->state = QUEUE_EMPTY;
}

static void firsts_enter(struct queue_group *g, struct demand_queue *q, enum queue_state state)
{
    const struct heap_item *top = heap_top(&q->side[QUEUE_FIRSTS]);
    q->state = (uint8_t)state;
    g->far += state > QUEUE_NEAR;
    switch (state) {
    case QUEUE_NEAR:
        q->at = g->near.count;
        vec_push(&g->near, q);
        break;
    case QUEUE_LATER:
        q->at = g->later.count;
        vec_push(&g->later, q);
        break;
    case QUEUE_READY:
        heap_push(&g->ready, top->key, top->tie, &q->entry.heap_index);
        break;
    case QUEUE_STUCK:
        q->at = wait_queue_add(&g->stuck, &q->need, top->key, top->tie, q);
        break;
    case QUEUE_BARRED:
        q->at = wait_queue_add(&g->barred, &q->need, top->key, top->tie, q);
        break;
    default:
        break;
    }
}

static void firsts_go(struct queue_group *g, struct demand_queue *q, enum queue_state state)
{
    firsts_leave(g, q);
    firsts_enter(g, q, state);
}

static bool comes_before(const struct heap_item *a, int64_t key, uint64_t tie)
{
    return a->key != key ? a->key < key : a->tie < tie;
}

/* The group may have a next member again. */
static void walk_join(struct demand_queues *s, uint32_t group)
{
    struct queue_group *g = s->groups.at[group];
    if (s->groups.count > 1 && g->heap_index == HEAP_NOWHERE)
        heap_push(&s->order, g->key, group, &g->heap_index);
}

/* The first of the queue is another, or has another key. */
static void wait_moved(struct demand_queues *s, struct queue_group *g, struct demand_queue *q)
{
    struct wait_queue *w = q->state == QUEUE_STUCK ? &g->stuck : &g->barred;
    const struct wait_member *m = &w->at.at[q->at];
    const struct heap_item *top = heap_top(&q->side[QUEUE_FIRSTS]);
    if (top->key == m->rank.key && top->tie == m->rank.tie)
        return;
    if (s->walks && comes_before(top, m->rank.key, m->rank.tie)) {
        firsts_go(g, q, QUEUE_READY);
        walk_join(s, q->group);
    } else {
        wait_queue_rekey(w, q->at, top->key, top->tie);
    }
}

static void firsts_moved(struct demand_queues *s, struct demand_queue *q)
{
    struct queue_group *g = s->groups.at[q->group];
    const struct heap_item *top = heap_top(&q->side[QUEUE_FIRSTS]);
    if (!top) {
        firsts_leave(g, q);
        s->firsts_waiting--;
    } else if (q->state == QUEUE_EMPTY) {
        firsts_enter(g, q, fit_index_has_set(s->fit, q->fit) ? QUEUE_NEAR : QUEUE_LATER);
        q->left_out = s->walks ? s->walk : 0;
        s->firsts_waiting++;
    } else if (q->state == QUEUE_READY) {
        heap_move(&g->ready, &q->entry.heap_index, top->key, top->tie);
    } else if (q->state > QUEUE_READY) {
        wait_moved(s, g, q);
    }
}

/* ---- clones ---- */

static void clones_moved(struct demand_queues *s, struct demand_queue *q)
{
    struct queue_group *g = s->groups.at[q->group];
    const struct heap_item *top = heap_top(&q->side[QUEUE_CLONES]);
    if (q->passed)
        return;
    if (!top) {
        heap_remove(&g->clones, &q->clones_heap_index);
        g->far--;
    } else if (q->clones_heap_index == HEAP_NOWHERE) {
        g->far++;
        heap_push(&g->clones, top->key, top->tie, &q->clones_heap_index);
        if (s->walks)
            walk_join(s, q->group);
    } else {
        heap_move(&g->clones, &q->clones_heap_index, top->key, top->tie);
    }
}

/* ---- members ---- */

static void side_moved(struct demand_queues *s, struct demand_queue *q, enum queue_side side)
{
    if (side == QUEUE_FIRSTS)
        firsts_moved(s, q);
    else
        clones_moved(s, q);
}

void demand_queues_put(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                       int64_t key, uint64_t tie, uint32_t *heap_index)
{
    heap_push(&q->side[side], key, tie, heap_index);
    if (*heap_index == 0)
        side_moved(s, q, side);
}

void demand_queues_rekey(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                         int64_t key, uint32_t *heap_index)
{
    bool first = *heap_index == 0;
    heap_rekey(&q->side[side], heap_index, key);
    if ((first || *heap_index == 0) && (side == QUEUE_CLONES || q->state >= QUEUE_READY))
        side_moved(s, q, side);
}

void demand_queues_take(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                        uint32_t *heap_index)
{
    bool first = *heap_index == 0;
    heap_remove(&q->side[side], heap_index);
    if (first)
        side_moved(s, q, side);
}

/* ---- groups ---- */

void demand_queues_set_group_key(struct demand_queues *s, uint32_t group, int64_t key)
{
    struct queue_group *g = group_at(s, group);
    g->key = key;
    if (g->heap_index != HEAP_NOWHERE)
        heap_rekey(&s->order, &g->heap_index, key);
}

void demand_queues_set_group_allowance(struct demand_queues *s, uint32_t group,
                                       const struct res *allowance)
{
    struct queue_group *g = group_at(s, group);
    g->limited = true;
    g->allowance = *allowance;
}

static struct res res_least(const struct res *a, const struct res *b)
{
    struct res least;
    for (int i = 0; i < RES_COUNT; i++)
        least.v[i] = a->v[i] < b->v[i] ? a->v[i] : b->v[i];
    return least;
}

static bool group_might_use(const struct queue_group *g, const struct res *room)
{
    if (g->later.count + g->ready.count > 0 || wait_queue_any(&g->stuck, room) ||
        wait_queue_any(&g->barred, room))
        return true;
    for (uint32_t k = 0; k < g->near.count; k++)
        if (res_fits(&g->near.at[k]->need, room))
            return true;
    return false;
}

bool demand_queues_set_group_most(struct demand_queues *s, uint32_t group, const struct res *most)
{
    struct queue_group *g = group_at(s, group);
    bool grows = !res_fits(most, &g->most);
    g->most = *most;
    return grows && group_might_use(g, most);
}

bool demand_queues_might_use(const struct demand_queues *s, const struct res *room)
{
    for (uint32_t i = 0; i < s->groups.count; i++) {
        struct res own = res_least(room, &s->groups.at[i]->most);
        if (group_might_use(s->groups.at[i], &own))
            return true;
    }
    return false;
}

/* What a node has free, as far as the group may take it. */
static struct res room_on(const struct demand_queues *s, const struct queue_group *g, uint32_t node)
{
    return g->limited ? res_least(&g->allowance, &s->fit->free[node]) : s->fit->free[node];
}

/* ---- a walk ---- */

static struct walk_entry *entry_of(const struct heap_item *it)
{
    return (struct walk_entry *)(void *)((char *)it->heap_index -
                                         offsetof(struct walk_entry, heap_index));
}

static struct demand_queue *queue_of_source(struct walk_entry *x)
{
    return (struct demand_queue *)(void *)((char *)x - offsetof(struct demand_queue, entry));
}

static struct demand_queue *queue_of_clones(const struct heap_item *it)
{
    return (struct demand_queue *)(void *)((char *)it->heap_index -
                                           offsetof(struct demand_queue, clones_heap_index));
}

static void entry_push(struct queue_group *g, struct walk_entry *x, const struct wait_queue *w,
                       uint32_t member)
{
    if (member == WAIT_NONE)
        return;
    struct wait_rank at = w->at.at[member].rank;
    heap_push(&g->ready, at.key, at.tie, &x->heap_index);
    x->member = member;
}

static void look_at_growths(struct demand_queues *s, struct queue_group *g)
{
    uint32_t first = (uint32_t)(s->begun - s->fit->grown_from), end = s->fit->grown.count;
    vec_clear(&g->entries);
    vec_reserve(&g->entries, end - first); /* they must not move */
    for (uint32_t i = first; i < end; i++) {
        struct res room = s->fit->free[s->fit->grown.at[i]];
        uint32_t member = wait_queue_first(&g->stuck, &room);
        if (member == WAIT_NONE)
            continue;
        vec_push(&g->entries, ((struct walk_entry){HEAP_NOWHERE, 0, s->fit->grown.at[i]}));
        entry_push(g, &g->entries.at[g->entries.count - 1], &g->stuck, member);
    }
}

static void group_begin_firsts(struct demand_queues *s, struct queue_group *g)
{
    while (g->later.count > 0)
        firsts_go(g, g->later.at[g->later.count - 1], QUEUE_READY);
    if (!wait_queue_is_empty(&g->stuck))
        look_at_growths(s, g);
    if (!wait_queue_is_empty(&g->barred))
        entry_push(g, &g->entry, &g->barred, wait_queue_first(&g->barred, &g->allowance));
}

/* Those that were passed over have another try. */
static void group_begin_clones(struct demand_queues *s, struct queue_group *g)
{
    while (g->passed.count > 0) {
        struct demand_queue *q = g->passed.at[--g->passed.count];
        q->passed = false;
        g->far--;
        if (q->side[QUEUE_CLONES].count > 0)
            clones_moved(s, q);
    }
}

void demand_queues_begin_far(struct demand_queues *s)
{
    if (s->firsts) {
        s->begun = s->seen < s->fit->grown_from ? s->fit->grown_from : s->seen;
        fit_index_forget_growths(s->fit, s->begun);
        s->seen = fit_index_growths(s->fit);
    }
    for (uint32_t i = 0; i < s->groups.count; i++) {
        struct queue_group *g = s->groups.at[i];
        if (s->firsts)
            group_begin_firsts(s, g);
        if (s->clones)
            group_begin_clones(s, g);
        if ((s->firsts && g->near.count + g->ready.count > 0) || (s->clones && g->clones.count > 0))
            walk_join(s, i);
    }
}

/* Whether the queue at the top may be named; else it goes where it has to wait. */
static bool queue_fits(struct demand_queues *s, struct queue_group *g, struct demand_queue *q)
{
    if (g->limited && !res_fits(&q->need, &g->allowance)) {
        firsts_go(g, q, QUEUE_BARRED);
        return false;
    }
    if (q->compared != s->walk &&
        !fit_index_fits(s->fit, s->fit->known.at[q->fit].some, &q->need)) {
        q->compared = s->walk;
        if (wait_queue_any(&g->stuck, &q->need))
            fit_index_tell_none(s->fit, q->fit, s->begun);
    }
    if (fit_index_any(s->fit, q->fit))
        return true;
    firsts_go(g, q, fit_index_has_set(s->fit, q->fit) ? QUEUE_NEAR : QUEUE_STUCK);
    return false;
}

/* Nothing fits any more into what the node has free and the group may take. Those that lack the
 * group's allowance alone have to wait for that. */
static void node_is_done(struct demand_queues *s, struct queue_group *g, struct walk_entry *x)
{
    uint32_t member;
    heap_remove(&g->ready, &x->heap_index);
    while (g->limited &&
           (member = wait_queue_first(&g->stuck, &s->fit->free[x->node])) != WAIT_NONE)
        firsts_go(g, g->stuck.at.at[member].owner, QUEUE_BARRED);
}

/* The first of those that wait and fit into what the node at the top has left. Whoever was that of
 * more still is, if he stands where he stood and fits: in a walk nobody moves forward there,
 * and those who enter it fit nowhere. */
static uint32_t node_first(struct demand_queues *s, struct queue_group *g, struct walk_entry *x)
{
    struct res room = room_on(s, g, x->node);
    const struct heap_item *top = heap_top(&g->ready);
    if (!wait_queue_has(&g->stuck, x->member, (struct wait_rank){top->key, top->tie}) ||
        !res_fits(&g->stuck.at.at[x->member].need, &room))
        x->member = wait_queue_first(&g->stuck, &room);
    return x->member;
}

/* The queue that a node at the top stands for, or NULL: something else is at the top now. */
static struct demand_queue *node_queue(struct demand_queues *s, struct queue_group *g,
                                       struct walk_entry *x)
{
    uint32_t member = node_first(s, g, x);
    if (member == WAIT_NONE) {
        node_is_done(s, g, x);
        return NULL;
    }
    const struct wait_member *m = &g->stuck.at.at[member];
    const struct heap_item *top = heap_top(&g->ready);
    if (comes_before(top, m->rank.key, m->rank.tie)) {
        heap_move(&g->ready, &x->heap_index, m->rank.key, m->rank.tie);
        return NULL;
    }
    struct demand_queue *q = m->owner;
    fit_index_tell_none(s->fit, q->fit, s->begun);
    fit_index_tell_some(s->fit, q->fit, x->node);
    return q;
}

/* The group may take a queue that it could not take before. */
static void push_barred(struct queue_group *g)
{
    uint32_t member = wait_queue_first(&g->barred, &g->allowance);
    heap_remove(&g->ready, &g->entry.heap_index);
    if (member == WAIT_NONE)
        return;
    firsts_go(g, g->barred.at.at[member].owner, QUEUE_READY);
    if (!wait_queue_is_empty(&g->barred))
        entry_push(g, &g->entry, &g->barred, wait_queue_first(&g->barred, &g->allowance));
}

/* The queue that what is at the top of the heap stands for; NULL: look again. */
static struct demand_queue *ready_queue(struct demand_queues *s, struct queue_group *g)
{
    struct walk_entry *x = entry_of(heap_top(&g->ready));
    if (x->node == WALK_ENTRY_QUEUE)
        return queue_fits(s, g, queue_of_source(x)) ? queue_of_source(x) : NULL;
    if (x->node != WALK_ENTRY_ALLOWANCE)
        return node_queue(s, g, x);
    push_barred(g);
    return NULL;
}

/* The first of those near, or NULL. */
static const struct heap_item *near_next(const struct demand_queues *s, const struct queue_group *g)
{
    const struct heap_item *next = NULL;
    for (uint32_t i = 0; i < g->near.count; i++) {
        const struct demand_queue *q = g->near.at[i];
        if (q->left_out == s->walk || !fit_index_any(s->fit, q->fit) ||
            (g->limited && !res_fits(&q->need, &g->allowance)))
            continue;
        const struct heap_item *top = heap_top(&q->side[QUEUE_FIRSTS]);
        if (!next || comes_before(top, next->key, next->tie))
            next = top;
    }
    return next;
}

static const struct heap_item *group_next(struct demand_queues *s, struct queue_group *g,
                                          enum queue_side *side)
{
    const struct heap_item *near = s->firsts ? near_next(s, g) : NULL;
    for (;;) {
        const struct heap_item *ready = s->firsts ? heap_top(&g->ready) : NULL;
        const struct heap_item *clone = s->clones ? heap_top(&g->clones) : NULL;
        bool is_ready = ready && !(near && comes_before(near, ready->key, ready->tie));
        const struct heap_item *first = is_ready ? ready : near;
        *side = QUEUE_CLONES;
        if (clone && !(first && !comes_before(clone, first->key, first->tie))) {
            struct demand_queue *q = queue_of_clones(clone);
            if (!g->limited || res_fits(&q->need, &g->allowance))
                return heap_top(&q->side[QUEUE_CLONES]);
            demand_queues_pass_over(s, q, QUEUE_CLONES);
            continue;
        }
        *side = QUEUE_FIRSTS;
        if (!is_ready)
            return near;
        const struct demand_queue *q = ready_queue(s, g);
        if (q)
            return heap_top(&q->side[QUEUE_FIRSTS]);
    }
}

const struct heap_item *demand_queues_next(struct demand_queues *s, enum queue_side *side)
{
    const struct heap_item *it = s->groups.count == 1 ? group_next(s, s->groups.at[0], side) : NULL;
    while (!it && s->order.count > 0) {
        struct queue_group *g = s->groups.at[heap_top(&s->order)->tie];
        it = group_next(s, g, side);
        if (!it)
            heap_remove(&s->order, &g->heap_index);
    }
    s->walks = it != NULL;
    return it;
}

void demand_queues_pass_over(struct demand_queues *s, struct demand_queue *q, enum queue_side side)
{
    struct queue_group *g = s->groups.at[q->group];
    if (side == QUEUE_FIRSTS) {
        q->left_out = s->walk;
        if (q->state > QUEUE_NEAR)
            firsts_go(g, q, QUEUE_LATER);
        return;
    }
    if (q->clones_heap_index != HEAP_NOWHERE)
        heap_remove(&g->clones, &q->clones_heap_index);
    else
        g->far++;
    q->passed = true;
    q->passed_at = g->passed.count;
    vec_push(&g->passed, q);
}
