/* Queues against a loop over all that waits, under random operations; and by hand. */
#include "core/match/demand_queues.h"

#include "base/rng.h"
#include "tests/unit/test.h"

enum { MEMBERS = 120, NODES = 12, GROUPS = 3 };

struct member {
    uint32_t heap_index[2]; /* enum queue_side */
    int64_t key[2];
    uint32_t group;
    struct res need;
    struct demand_queue *queue;
    bool blocked; /* its first attempts entered an empty queue in this walk */
};

struct queues_scene {
    struct rng r;
    struct fit_index fit;
    struct demand_queues queues;
    struct member at[MEMBERS];
    struct res free[NODES], room[GROUPS];
    int64_t group_key[GROUPS];
    uint32_t groups;
    bool limited;
    int32_t kinds;
    struct demand_queue *passed[2][MEMBERS]; /* in this walk */
    uint32_t passed_count[2];
};

static int32_t below(struct queues_scene *s, uint32_t n)
{
    return (int32_t)rng_below(&s->r, n);
}

static void node_set(struct queues_scene *s, uint32_t i, struct res free)
{
    s->free[i] = free;
    fit_index_set(&s->fit, i, &free);
}

static void scene_begin(struct queues_scene *s, uint64_t seed, int32_t kinds, uint32_t groups,
                        bool limited)
{
    *s = (struct queues_scene){.r = rng_stream(seed, RNG_TEST, 7, 0, 0, 0),
                               .kinds = kinds,
                               .groups = groups,
                               .limited = limited};
    demand_queues_init(&s->queues, &s->fit);
    fit_index_grow(&s->fit, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        node_set(s, i, (struct res){{below(s, 8), below(s, 8), 0, 0}});
    for (uint32_t i = 0; i < MEMBERS; i++)
        s->at[i].heap_index[0] = s->at[i].heap_index[1] = HEAP_NOWHERE;
}

static void member_leave(struct queues_scene *s, struct member *m)
{
    for (int side = 0; side < 2; side++)
        if (m->heap_index[side] != HEAP_NOWHERE)
            demand_queues_take(&s->queues, m->queue, (enum queue_side)side, &m->heap_index[side]);
    demand_queues_drop(&s->queues, m->queue);
    m->queue = NULL;
}

static void scene_end(struct queues_scene *s)
{
    for (uint32_t i = 0; i < MEMBERS; i++)
        if (s->at[i].queue)
            member_leave(s, &s->at[i]);
    expect(s->queues.at.count == s->queues.unused.count && s->queues.firsts_waiting == 0);
    expect(s->fit.demands.at.count - s->fit.demands.unused.count == s->fit.set_count);
    demand_queues_fini(&s->queues);
    fit_index_fini(&s->fit);
}

static void member_put(struct queues_scene *s, struct member *m, enum queue_side side, bool in_walk)
{
    m->key[side] = below(s, 6);
    if (side == QUEUE_FIRSTS)
        m->blocked = in_walk && m->queue->side[QUEUE_FIRSTS].count == 0;
    for (uint32_t i = 0; side == QUEUE_FIRSTS && i < MEMBERS; i++) /* it joins one that is */
        m->blocked |= s->at[i].queue == m->queue && s->at[i].blocked &&
                      s->at[i].heap_index[QUEUE_FIRSTS] != HEAP_NOWHERE;
    demand_queues_put(&s->queues, m->queue, side, m->key[side], (uint64_t)(m - s->at),
                      &m->heap_index[side]);
}

/* Something enters, moves or leaves. */
static void member_change(struct queues_scene *s, bool in_walk)
{
    struct member *m = &s->at[below(s, MEMBERS)];
    enum queue_side side = below(s, 4) ? QUEUE_FIRSTS : QUEUE_CLONES;
    if (!m->queue) {
        int32_t kind = below(s, (uint32_t)s->kinds);
        m->need = (struct res){{1 + kind % 9, kind / 9, 0, 0}};
        m->group = (uint32_t)below(s, s->groups);
        m->queue = demand_queues_hold(&s->queues, m->group, &m->need);
        member_put(s, m, side, in_walk);
    } else if (m->heap_index[side] == HEAP_NOWHERE) {
        member_put(s, m, side, in_walk);
    } else if (below(s, 2)) {
        m->key[side] = below(s, 6);
        demand_queues_rekey(&s->queues, m->queue, side, m->key[side], &m->heap_index[side]);
    } else if (!in_walk && below(s, 3) == 0) {
        member_leave(s, m);
    } else {
        demand_queues_take(&s->queues, m->queue, side, &m->heap_index[side]);
    }
}

static bool is_passed(const struct queues_scene *s, const struct demand_queue *l, int side)
{
    for (uint32_t i = 0; i < s->passed_count[side]; i++)
        if (s->passed[side][i] == l)
            return true;
    return false;
}

static bool group_has_room(const struct queues_scene *s, const struct member *m)
{
    return !s->limited || res_fits(&m->need, &s->room[m->group]);
}

static bool fits_somewhere(const struct queues_scene *s, const struct member *m)
{
    if (!group_has_room(s, m))
        return false;
    for (uint32_t i = 0; i < NODES; i++)
        if (res_fits(&m->need, &s->free[i]))
            return true;
    return false;
}

static bool is_before(const struct queues_scene *s, const struct member *a, int side_a,
                      const struct member *b, int side_b)
{
    int64_t x[] = {s->group_key[a->group], a->group, a->key[side_a], a - s->at, side_a};
    int64_t y[] = {s->group_key[b->group], b->group, b->key[side_b], b - s->at, side_b};
    for (int i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

/* Who is next, by looking at all. */
static struct member *naive_next(struct queues_scene *s, const bool *sides, int *side)
{
    struct member *best = NULL;
    for (struct member *m = s->at; m < s->at + MEMBERS; m++)
        for (int k = 0; k < 2; k++) {
            if (!sides[k] || m->heap_index[k] == HEAP_NOWHERE || is_passed(s, m->queue, k))
                continue;
            if (k == QUEUE_FIRSTS ? m->blocked || !fits_somewhere(s, m) : !group_has_room(s, m))
                continue;
            if (!best || is_before(s, m, k, best, *side)) {
                best = m;
                *side = k;
            }
        }
    return best;
}

/* Takes the room of one that was launched. */
static void launch(struct queues_scene *s, const struct member *m)
{
    uint32_t node = fit_index_find(&s->fit, m->queue->fit, (uint32_t)below(s, NODES));
    expect(node != FIT_NONE);
    struct res left = s->free[node];
    res_sub(&left, &m->need);
    node_set(s, node, left);
    if (s->limited) {
        res_sub(&s->room[m->group], &m->need);
        demand_queues_set_group_allowance(&s->queues, m->group, &s->room[m->group]);
    }
    s->group_key[m->group] += below(s, 3);
    demand_queues_set_group_key(&s->queues, m->group, s->group_key[m->group]);
}

static void walk_step(struct queues_scene *s, struct member *m, int side)
{
    int32_t what = below(s, 8);
    if (what == 0 || (side == QUEUE_CLONES && !fits_somewhere(s, m))) {
        s->passed[side][s->passed_count[side]++] = m->queue;
        demand_queues_pass_over(&s->queues, m->queue, (enum queue_side)side);
        return;
    }
    launch(s, m);
    if (what < 5) /* that was its last one */
        demand_queues_take(&s->queues, m->queue, (enum queue_side)side, &m->heap_index[side]);
    if (what == 7)
        member_change(s, true);
}

static uint32_t walk(struct queues_scene *s, bool firsts, bool clones)
{
    uint32_t named = 0;
    bool sides[2] = {firsts, clones};
    s->passed_count[0] = s->passed_count[1] = 0;
    for (uint32_t i = 0; i < MEMBERS; i++)
        s->at[i].blocked = false;
    demand_queues_begin(&s->queues, firsts, clones);
    for (;;) {
        enum queue_side side;
        int expected_side = 0;
        bool over = below(s, 2) && demand_queues_end_early(&s->queues);
        const struct heap_item *it = over ? NULL : demand_queues_next(&s->queues, &side);
        struct member *m = naive_next(s, sides, &expected_side);
        expect((it != NULL) == (m != NULL));
        if (!it || !m)
            return named;
        expect(it->heap_index == &m->heap_index[side] && (int)side == expected_side);
        if (it->heap_index != &m->heap_index[expected_side])
            return named;
        walk_step(s, m, expected_side);
        named++;
    }
}

/* Who could use a room is told as by looking at all, but for queues that were not looked at: they
 * might. */
static uint32_t ask_who_uses(struct queues_scene *s)
{
    struct res room = {{below(s, 9), below(s, 9), 0, 0}};
    bool any = false, unsure = false;
    for (const struct member *m = s->at; m < s->at + MEMBERS; m++)
        any |= m->heap_index[QUEUE_FIRSTS] != HEAP_NOWHERE && res_fits(&m->need, &room);
    for (uint32_t g = 0; g < s->queues.groups.count; g++)
        unsure |= s->queues.groups.at[g]->later.count + s->queues.groups.at[g]->ready.count > 0;
    expect(demand_queues_might_use(&s->queues, &room) == (any || unsure));
    return !unsure;
}

static void between_walks(struct queues_scene *s)
{
    for (int32_t i = below(s, 4); i > 0; i--) {
        uint32_t node = (uint32_t)below(s, NODES);
        if (below(s, 10) == 0)
            node_set(s, node, (struct res){{-1, -1, -1, -1}}); /* it is down */
        else
            node_set(s, node, (struct res){{below(s, 9), below(s, 9), 0, 0}});
    }
    for (int32_t i = below(s, 8); i > 0; i--)
        member_change(s, false);
    for (uint32_t g = 0; g < s->groups; g++) {
        s->group_key[g] = below(s, 5);
        demand_queues_set_group_key(&s->queues, g, s->group_key[g]);
        if (s->limited && below(s, 2)) {
            s->room[g] = (struct res){{below(s, 12), below(s, 12), 0, 0}};
            demand_queues_set_group_allowance(&s->queues, g, &s->room[g]);
        }
    }
}

static void against_loop(int32_t kinds, uint32_t groups, bool limited)
{
    uint32_t named = 0, sure = 0;
    static struct queues_scene s;
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene_begin(&s, seed, kinds, groups, limited);
        for (uint32_t g = 0; g < groups && limited; g++)
            demand_queues_set_group_allowance(&s.queues, g, &s.room[g]);
        for (int round = 0; round < 300; round++) {
            between_walks(&s);
            int32_t which = below(&s, 8);
            named += walk(&s, which != 0, which > 1);
            sure += ask_who_uses(&s);
        }
        scene_end(&s);
    }
    expect(named > 1000 && sure > 1000);
}

/* Whether the only member is next does not depend on keys; once it is not alone it does. */
TEST(demand_queues_know_their_only_member)
{
    static const struct res room = {{2, 0, 0, 0}}, none = {{0, 0, 0, 0}}, one = {{1, 0, 0, 0}};
    uint32_t first = HEAP_NOWHERE, second = HEAP_NOWHERE, clone = HEAP_NOWHERE;
    enum queue_side side;
    struct fit_index fit = {0};
    struct demand_queues s;
    demand_queues_init(&s, &fit);
    fit_index_grow(&fit, 1);
    fit_index_set(&fit, 0, &room);
    struct demand_queue *q = demand_queues_hold(&s, 0, &one);

    demand_queues_begin(&s, true, true);
    expect(!demand_queues_only(&s) && !demand_queues_next(&s, &side));
    demand_queues_put(&s, q, QUEUE_FIRSTS, 5, 1, &first);
    demand_queues_begin(&s, true, true);
    const struct heap_item *only = demand_queues_only(&s);
    expect(only && only->heap_index == &first && only == demand_queues_next(&s, &side));
    fit_index_set(&fit, 0, &none);
    expect(!demand_queues_only(&s) && !demand_queues_next(&s, &side));
    fit_index_set(&fit, 0, &room);
    demand_queues_begin(&s, false, true);
    expect(!demand_queues_only(&s) && !demand_queues_next(&s, &side));

    demand_queues_put(&s, q, QUEUE_FIRSTS, 4, 2, &second);
    demand_queues_begin(&s, true, true);
    expect(!demand_queues_only(&s) && demand_queues_next(&s, &side)->heap_index == &second);
    demand_queues_take(&s, q, QUEUE_FIRSTS, &second);
    demand_queues_put(&s, q, QUEUE_CLONES, 4, 3, &clone);
    expect(!demand_queues_only(&s) && demand_queues_next(&s, &side)->heap_index == &clone);
    demand_queues_take(&s, q, QUEUE_CLONES, &clone);
    expect(demand_queues_only(&s));
    demand_queues_pass_over(&s, q, QUEUE_FIRSTS);
    expect(!demand_queues_only(&s) && !demand_queues_next(&s, &side));

    demand_queues_take(&s, q, QUEUE_FIRSTS, &first);
    demand_queues_drop(&s, q);
    demand_queues_fini(&s);
    fit_index_fini(&fit);
}

TEST(demand_queues_of_few_demands_merge_like_a_loop)
{
    against_loop(6, 1, false);
}

TEST(demand_queues_of_many_demands_merge_like_a_loop)
{
    against_loop(72, 1, false);
}

TEST(demand_queues_in_groups_merge_like_a_loop)
{
    against_loop(72, GROUPS, false);
}

TEST(demand_queues_in_groups_with_limits_merge_like_a_loop)
{
    against_loop(72, GROUPS, true);
}
