/* lanes.c - the method is in lanes.h.
 *
 * There are few lanes whose demand has a set in the index, and one check shows whether such a
 * demand fits: they are in a short list that is searched in full. The others are merged by (key,
 * tie) in a heap. New lanes are in the heap themselves; lanes that found no room wait in a line of
 * their own, and each node that grew since the walk before is in the heap with the key of the first
 * of those that fit into its free resources. A node's key is corrected only when it reaches the
 * top: it can but get worse meanwhile, because nodes only lose room; a lane that moves forward in
 * that line during a walk leaves it for the heap.
 *
 * A new lane would have to search all nodes in vain when the cluster is full. But if a waiting lane
 * asks for no more, the new one fits nowhere either, except where nodes grew, and this is recorded
 * in the index. */
#include "core/match/lanes.h"

#include "base/check.h"

static struct lane_group *group_make(void)
{
    struct lane_group *g = mem_zalloc(1, sizeof *g);
    g->source = (struct lane_source){HEAP_NOWHERE, 0, LANE_SOURCE_ROOM};
    g->heap_index = HEAP_NOWHERE;
    g->most = (struct res){{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};
    return g;
}

static struct lane_group *group_at(struct lanes *s, uint32_t group)
{
    while (s->groups.count <= group) {
        vec_push(&s->groups, group_make());
        s->groups.at[0]->far += s->groups.count == 2;
    }
    return s->groups.at[group];
}

void lanes_init(struct lanes *s, struct fit_index *fit)
{
    *s = (struct lanes){.fit = fit};
    (void)group_at(s, 0);
}

static void lane_free(struct lane *l)
{
    heap_fini(&l->side[LANE_FIRSTS]);
    heap_fini(&l->side[LANE_CLONES]);
    mem_free(l);
}

static void group_free(struct lane_group *g)
{
    heap_fini(&g->ready);
    heap_fini(&g->clones);
    wait_line_fini(&g->stuck);
    wait_line_fini(&g->barred);
    vec_free(&g->near);
    vec_free(&g->later);
    vec_free(&g->passed);
    vec_free(&g->sources);
    mem_free(g);
}

void lanes_fini(struct lanes *s)
{
    for (uint32_t i = 0; i < s->at.count; i++)
        if (s->at.at[i])
            lane_free(s->at.at[i]);
    for (uint32_t i = 0; i < s->spare.count; i++)
        lane_free(s->spare.at[i]);
    for (uint32_t i = 0; i < s->groups.count; i++)
        group_free(s->groups.at[i]);
    vec_free(&s->at);
    vec_free(&s->unused);
    vec_free(&s->spare);
    vec_free(&s->groups);
    lookup_fini(&s->by_demand);
    heap_fini(&s->order);
}

/* ---- lanes come and go ---- */

static uint64_t lane_name(uint32_t group, uint32_t demand)
{
    return (uint64_t)group << 32 | demand;
}

static struct lane *lane_make(struct lanes *s)
{
    if (s->spare.count == 0)
        return mem_zalloc(1, sizeof(struct lane));
    return s->spare.at[--s->spare.count];
}

struct lane *lanes_hold(struct lanes *s, uint32_t group, const struct res *need)
{
    struct lane *last = s->last;
    if (last && last->group == group && res_equal(&last->need, need)) {
        fit_index_hold_again(s->fit, last->fit);
        last->holders++;
        return last;
    }
    uint32_t demand = fit_index_hold(s->fit, need);
    uint32_t number = lookup_get(&s->by_demand, lane_name(group, demand));
    if (number == LOOKUP_NONE) {
        (void)group_at(s, group);
        struct lane *l = lane_make(s);
        number = vec_take(&s->at, &s->unused);
        *l = (struct lane){.need = *need,
                           .fit = demand,
                           .group = group,
                           .number = number,
                           .side = {l->side[0], l->side[1]},
                           .source = {HEAP_NOWHERE, 0, LANE_SOURCE_LANE},
                           .clones_heap_index = HEAP_NOWHERE};
        s->at.at[number] = l;
        lookup_put(&s->by_demand, lane_name(group, demand), number);
    }
    s->last = s->at.at[number];
    s->last->holders++;
    return s->last;
}

static void list_leave(struct lane **at, uint32_t *count, uint32_t i, bool passed)
{
    at[i] = at[--*count];
    *(passed ? &at[i]->passed_at : &at[i]->at) = i;
}

void lanes_drop(struct lanes *s, struct lane *l)
{
    struct lane_group *g = s->groups.at[l->group];
    fit_index_drop(s->fit, l->fit);
    if (--l->holders > 0)
        return;
    check(l->state == LANE_EMPTY && l->side[LANE_CLONES].count == 0);
    if (l->passed) {
        list_leave(g->passed.at, &g->passed.count, l->passed_at, true);
        g->far--;
    }
    lookup_remove(&s->by_demand, lane_name(l->group, l->fit));
    s->at.at[l->number] = NULL;
    if (s->last == l)
        s->last = NULL;
    vec_push(&s->unused, l->number);
    vec_push(&s->spare, l);
}

/* ---- where a lane's first attempts are ---- */

static void firsts_leave(struct lane_group *g, struct lane *l)
{
    g->far -= l->state > LANE_NEAR;
    switch (l->state) {
    case LANE_NEAR:
        list_leave(g->near.at, &g->near.count, l->at, false);
        break;
    case LANE_LATER:
        list_leave(g->later.at, &g->later.count, l->at, false);
        break;
    case LANE_READY:
        heap_remove(&g->ready, &l->source.heap_index);
        break;
    case LANE_STUCK:
        wait_line_remove(&g->stuck, l->at);
        break;
    case LANE_BARRED:
        wait_line_remove(&g->barred, l->at);
        break;
    default:
        break;
    }
    l->state = LANE_EMPTY;
}

static void firsts_enter(struct lane_group *g, struct lane *l, enum lane_state state)
{
    const struct heap_item *top = heap_top(&l->side[LANE_FIRSTS]);
    l->state = (uint8_t)state;
    g->far += state > LANE_NEAR;
    switch (state) {
    case LANE_NEAR:
        l->at = g->near.count;
        vec_push(&g->near, l);
        break;
    case LANE_LATER:
        l->at = g->later.count;
        vec_push(&g->later, l);
        break;
    case LANE_READY:
        heap_push(&g->ready, top->key, top->tie, &l->source.heap_index);
        break;
    case LANE_STUCK:
        l->at = wait_line_add(&g->stuck, &l->need, top->key, top->tie, l);
        break;
    case LANE_BARRED:
        l->at = wait_line_add(&g->barred, &l->need, top->key, top->tie, l);
        break;
    default:
        break;
    }
}

static void firsts_go(struct lane_group *g, struct lane *l, enum lane_state state)
{
    firsts_leave(g, l);
    firsts_enter(g, l, state);
}

static bool comes_before(const struct heap_item *a, int64_t key, uint64_t tie)
{
    return a->key != key ? a->key < key : a->tie < tie;
}

/* The group may have a next member again. */
static void walk_join(struct lanes *s, uint32_t group)
{
    struct lane_group *g = s->groups.at[group];
    if (s->groups.count > 1 && g->heap_index == HEAP_NOWHERE)
        heap_push(&s->order, g->key, group, &g->heap_index);
}

/* The first of the lane is another, or has another key. */
static void line_moved(struct lanes *s, struct lane_group *g, struct lane *l)
{
    struct wait_line *line = l->state == LANE_STUCK ? &g->stuck : &g->barred;
    const struct wait_member *m = &line->at.at[l->at];
    const struct heap_item *top = heap_top(&l->side[LANE_FIRSTS]);
    if (top->key == m->rank.key && top->tie == m->rank.tie)
        return;
    if (s->walks && comes_before(top, m->rank.key, m->rank.tie)) {
        firsts_go(g, l, LANE_READY);
        walk_join(s, l->group);
    } else {
        wait_line_rekey(line, l->at, top->key, top->tie);
    }
}

static void firsts_moved(struct lanes *s, struct lane *l)
{
    struct lane_group *g = s->groups.at[l->group];
    const struct heap_item *top = heap_top(&l->side[LANE_FIRSTS]);
    if (!top) {
        firsts_leave(g, l);
        s->firsts_waiting--;
    } else if (l->state == LANE_EMPTY) {
        firsts_enter(g, l, fit_index_has_set(s->fit, l->fit) ? LANE_NEAR : LANE_LATER);
        l->left_out = s->walks ? s->walk : 0;
        s->firsts_waiting++;
    } else if (l->state == LANE_READY) {
        heap_move(&g->ready, &l->source.heap_index, top->key, top->tie);
    } else if (l->state > LANE_READY) {
        line_moved(s, g, l);
    }
}

/* ---- clones ---- */

static void clones_moved(struct lanes *s, struct lane *l)
{
    struct lane_group *g = s->groups.at[l->group];
    const struct heap_item *top = heap_top(&l->side[LANE_CLONES]);
    if (l->passed)
        return;
    if (!top) {
        heap_remove(&g->clones, &l->clones_heap_index);
        g->far--;
    } else if (l->clones_heap_index == HEAP_NOWHERE) {
        g->far++;
        heap_push(&g->clones, top->key, top->tie, &l->clones_heap_index);
        if (s->walks)
            walk_join(s, l->group);
    } else {
        heap_move(&g->clones, &l->clones_heap_index, top->key, top->tie);
    }
}

/* ---- members ---- */

static void side_moved(struct lanes *s, struct lane *l, enum lane_side side)
{
    if (side == LANE_FIRSTS)
        firsts_moved(s, l);
    else
        clones_moved(s, l);
}

void lanes_put(struct lanes *s, struct lane *l, enum lane_side side, int64_t key, uint64_t tie,
               uint32_t *heap_index)
{
    heap_push(&l->side[side], key, tie, heap_index);
    if (*heap_index == 0)
        side_moved(s, l, side);
}

void lanes_rekey(struct lanes *s, struct lane *l, enum lane_side side, int64_t key,
                 uint32_t *heap_index)
{
    bool first = *heap_index == 0;
    heap_rekey(&l->side[side], heap_index, key);
    if ((first || *heap_index == 0) && (side == LANE_CLONES || l->state >= LANE_READY))
        side_moved(s, l, side);
}

void lanes_take(struct lanes *s, struct lane *l, enum lane_side side, uint32_t *heap_index)
{
    bool first = *heap_index == 0;
    heap_remove(&l->side[side], heap_index);
    if (first)
        side_moved(s, l, side);
}

/* ---- groups ---- */

void lanes_set_group_key(struct lanes *s, uint32_t group, int64_t key)
{
    struct lane_group *g = group_at(s, group);
    g->key = key;
    if (g->heap_index != HEAP_NOWHERE)
        heap_rekey(&s->order, &g->heap_index, key);
}

void lanes_set_group_room(struct lanes *s, uint32_t group, const struct res *room)
{
    struct lane_group *g = group_at(s, group);
    g->limited = true;
    g->room = *room;
}

static struct res res_least(const struct res *a, const struct res *b)
{
    struct res least;
    for (int i = 0; i < RES_COUNT; i++)
        least.v[i] = a->v[i] < b->v[i] ? a->v[i] : b->v[i];
    return least;
}

static bool group_might_use(const struct lane_group *g, const struct res *room)
{
    if (g->later.count + g->ready.count > 0 || wait_line_any(&g->stuck, room) ||
        wait_line_any(&g->barred, room))
        return true;
    for (uint32_t k = 0; k < g->near.count; k++)
        if (res_fits(&g->near.at[k]->need, room))
            return true;
    return false;
}

bool lanes_set_group_most(struct lanes *s, uint32_t group, const struct res *most)
{
    struct lane_group *g = group_at(s, group);
    bool grows = !res_fits(most, &g->most);
    g->most = *most;
    return grows && group_might_use(g, most);
}

bool lanes_might_use(const struct lanes *s, const struct res *room)
{
    for (uint32_t i = 0; i < s->groups.count; i++) {
        struct res own = res_least(room, &s->groups.at[i]->most);
        if (group_might_use(s->groups.at[i], &own))
            return true;
    }
    return false;
}

/* What a node has free, as far as the group may take it. */
static struct res room_on(const struct lanes *s, const struct lane_group *g, uint32_t node)
{
    return g->limited ? res_least(&g->room, &s->fit->free[node]) : s->fit->free[node];
}

/* ---- a walk ---- */

static struct lane_source *source_of(const struct heap_item *it)
{
    return (struct lane_source *)(void *)((char *)it->heap_index -
                                          offsetof(struct lane_source, heap_index));
}

static struct lane *lane_of_source(struct lane_source *x)
{
    return (struct lane *)(void *)((char *)x - offsetof(struct lane, source));
}

static struct lane *lane_of_clones(const struct heap_item *it)
{
    return (struct lane *)(void *)((char *)it->heap_index -
                                   offsetof(struct lane, clones_heap_index));
}

static void source_push(struct lane_group *g, struct lane_source *x, const struct wait_line *line,
                        uint32_t member)
{
    if (member == WAIT_NONE)
        return;
    struct wait_rank at = line->at.at[member].rank;
    heap_push(&g->ready, at.key, at.tie, &x->heap_index);
    x->member = member;
}

static void look_at_growths(struct lanes *s, struct lane_group *g)
{
    uint32_t first = (uint32_t)(s->begun - s->fit->grown_from), end = s->fit->grown.count;
    vec_clear(&g->sources);
    vec_reserve(&g->sources, end - first); /* they must not move */
    for (uint32_t i = first; i < end; i++) {
        struct res room = s->fit->free[s->fit->grown.at[i]];
        uint32_t member = wait_line_first(&g->stuck, &room);
        if (member == WAIT_NONE)
            continue;
        vec_push(&g->sources, ((struct lane_source){HEAP_NOWHERE, 0, s->fit->grown.at[i]}));
        source_push(g, &g->sources.at[g->sources.count - 1], &g->stuck, member);
    }
}

static void group_begin_firsts(struct lanes *s, struct lane_group *g)
{
    while (g->later.count > 0)
        firsts_go(g, g->later.at[g->later.count - 1], LANE_READY);
    if (!wait_line_is_empty(&g->stuck))
        look_at_growths(s, g);
    if (!wait_line_is_empty(&g->barred))
        source_push(g, &g->source, &g->barred, wait_line_first(&g->barred, &g->room));
}

/* Those that were passed over have another try. */
static void group_begin_clones(struct lanes *s, struct lane_group *g)
{
    while (g->passed.count > 0) {
        struct lane *l = g->passed.at[--g->passed.count];
        l->passed = false;
        g->far--;
        if (l->side[LANE_CLONES].count > 0)
            clones_moved(s, l);
    }
}

void lanes_begin_far(struct lanes *s)
{
    if (s->firsts) {
        s->begun = s->seen < s->fit->grown_from ? s->fit->grown_from : s->seen;
        fit_index_forget_growths(s->fit, s->begun);
        s->seen = fit_index_growths(s->fit);
    }
    for (uint32_t i = 0; i < s->groups.count; i++) {
        struct lane_group *g = s->groups.at[i];
        if (s->firsts)
            group_begin_firsts(s, g);
        if (s->clones)
            group_begin_clones(s, g);
        if ((s->firsts && g->near.count + g->ready.count > 0) || (s->clones && g->clones.count > 0))
            walk_join(s, i);
    }
}

/* Whether the lane at the top may be named; else it goes where it has to wait. */
static bool lane_fits(struct lanes *s, struct lane_group *g, struct lane *l)
{
    if (g->limited && !res_fits(&l->need, &g->room)) {
        firsts_go(g, l, LANE_BARRED);
        return false;
    }
    if (l->compared != s->walk &&
        !fit_index_fits(s->fit, s->fit->known.at[l->fit].some, &l->need)) {
        l->compared = s->walk;
        if (wait_line_any(&g->stuck, &l->need))
            fit_index_tell_none(s->fit, l->fit, s->begun);
    }
    if (fit_index_any(s->fit, l->fit))
        return true;
    firsts_go(g, l, fit_index_has_set(s->fit, l->fit) ? LANE_NEAR : LANE_STUCK);
    return false;
}

/* Nothing fits any more into what the node has free and the group may take. Those that lack the
 * group's room alone have to wait for that. */
static void node_is_done(struct lanes *s, struct lane_group *g, struct lane_source *x)
{
    uint32_t member;
    heap_remove(&g->ready, &x->heap_index);
    while (g->limited && (member = wait_line_first(&g->stuck, &s->fit->free[x->node])) != WAIT_NONE)
        firsts_go(g, g->stuck.at.at[member].owner, LANE_BARRED);
}

/* The first of those that wait and fit into what the node at the top has left. Whoever was that of
 * more still is, if he stands where he stood and fits: in a walk nobody moves forward there,
 * and those who enter it fit nowhere. */
static uint32_t node_first(struct lanes *s, struct lane_group *g, struct lane_source *x)
{
    struct res room = room_on(s, g, x->node);
    const struct heap_item *top = heap_top(&g->ready);
    if (!wait_line_has(&g->stuck, x->member, (struct wait_rank){top->key, top->tie}) ||
        !res_fits(&g->stuck.at.at[x->member].need, &room))
        x->member = wait_line_first(&g->stuck, &room);
    return x->member;
}

/* The lane that a node at the top stands for, or NULL: something else is at the top now. */
static struct lane *node_lane(struct lanes *s, struct lane_group *g, struct lane_source *x)
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
    struct lane *l = m->owner;
    fit_index_tell_none(s->fit, l->fit, s->begun);
    fit_index_tell_some(s->fit, l->fit, x->node);
    return l;
}

/* The group has room for a lane that lacked it. */
static void room_lane(struct lane_group *g)
{
    uint32_t member = wait_line_first(&g->barred, &g->room);
    heap_remove(&g->ready, &g->source.heap_index);
    if (member == WAIT_NONE)
        return;
    firsts_go(g, g->barred.at.at[member].owner, LANE_READY);
    if (!wait_line_is_empty(&g->barred))
        source_push(g, &g->source, &g->barred, wait_line_first(&g->barred, &g->room));
}

/* The lane that what is at the top of the heap stands for; NULL: look again. */
static struct lane *ready_lane(struct lanes *s, struct lane_group *g)
{
    struct lane_source *x = source_of(heap_top(&g->ready));
    if (x->node == LANE_SOURCE_LANE)
        return lane_fits(s, g, lane_of_source(x)) ? lane_of_source(x) : NULL;
    if (x->node != LANE_SOURCE_ROOM)
        return node_lane(s, g, x);
    room_lane(g);
    return NULL;
}

/* The first of those near, or NULL. */
static const struct heap_item *near_next(const struct lanes *s, const struct lane_group *g)
{
    const struct heap_item *next = NULL;
    for (uint32_t i = 0; i < g->near.count; i++) {
        const struct lane *l = g->near.at[i];
        if (l->left_out == s->walk || !fit_index_any(s->fit, l->fit) ||
            (g->limited && !res_fits(&l->need, &g->room)))
            continue;
        const struct heap_item *top = heap_top(&l->side[LANE_FIRSTS]);
        if (!next || comes_before(top, next->key, next->tie))
            next = top;
    }
    return next;
}

static const struct heap_item *group_next(struct lanes *s, struct lane_group *g,
                                          enum lane_side *side)
{
    const struct heap_item *near = s->firsts ? near_next(s, g) : NULL;
    for (;;) {
        const struct heap_item *ready = s->firsts ? heap_top(&g->ready) : NULL;
        const struct heap_item *clone = s->clones ? heap_top(&g->clones) : NULL;
        bool is_ready = ready && !(near && comes_before(near, ready->key, ready->tie));
        const struct heap_item *first = is_ready ? ready : near;
        *side = LANE_CLONES;
        if (clone && !(first && !comes_before(clone, first->key, first->tie))) {
            struct lane *l = lane_of_clones(clone);
            if (!g->limited || res_fits(&l->need, &g->room))
                return heap_top(&l->side[LANE_CLONES]);
            lanes_pass_over(s, l, LANE_CLONES);
            continue;
        }
        *side = LANE_FIRSTS;
        if (!is_ready)
            return near;
        const struct lane *l = ready_lane(s, g);
        if (l)
            return heap_top(&l->side[LANE_FIRSTS]);
    }
}

const struct heap_item *lanes_next_of_many(struct lanes *s, enum lane_side *side)
{
    const struct heap_item *it = s->groups.count == 1 ? group_next(s, s->groups.at[0], side) : NULL;
    while (!it && s->order.count > 0) {
        struct lane_group *g = s->groups.at[heap_top(&s->order)->tie];
        it = group_next(s, g, side);
        if (!it)
            heap_remove(&s->order, &g->heap_index);
    }
    s->walks = it != NULL;
    return it;
}

void lanes_pass_over(struct lanes *s, struct lane *l, enum lane_side side)
{
    struct lane_group *g = s->groups.at[l->group];
    if (side == LANE_FIRSTS) {
        l->left_out = s->walk;
        if (l->state > LANE_NEAR)
            firsts_go(g, l, LANE_LATER);
        return;
    }
    if (l->clones_heap_index != HEAP_NOWHERE)
        heap_remove(&g->clones, &l->clones_heap_index);
    else
        g->far++;
    l->passed = true;
    l->passed_at = g->passed.count;
    vec_push(&g->passed, l);
}
