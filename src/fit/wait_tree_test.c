#include "fit/wait_tree.h"

#include "base/rng.h"
#include "tests/test.h"

enum { MEMBERS = 300 };

struct wait_entry {
    bool in;
    struct res need;
    int64_t key;
    uint64_t tie;
    uint32_t number;
};

static struct wait_entry *naive_first(struct wait_entry *all, const struct res *room)
{
    struct wait_entry *first = NULL;
    for (struct wait_entry *m = all; m < all + MEMBERS; m++)
        if (m->in && res_fits(&m->need, room) &&
            (!first || m->key < first->key || (m->key == first->key && m->tie < first->tie)))
            first = m;
    return first;
}

/* The height of a subtree; expects its sums, its order and its links. */
static int height(const struct wait_tree *t, uint32_t at, uint32_t parent)
{
    if (at == WAIT_NONE)
        return 0;
    const struct wait_member *m = &t->at.at[at];
    struct res least = m->need;
    uint32_t first = at;
    int deepest = 0;
    expect(m->parent == parent);
    for (int side = 0; side < 2; side++) {
        int below = height(t, m->child[side], at);
        deepest = below > deepest ? below : deepest;
        if (m->child[side] == WAIT_NONE)
            continue;
        const struct res *need = &t->at.at[m->child[side]].need;
        const struct wait_sum *c = &t->at.at[m->child[side]].sum;
        struct wait_place place = t->at.at[c->first].place;
        expect(c->place.key == place.key && c->place.tie == place.tie);
        expect(side ? need->v[0] >= m->need.v[0] : need->v[0] <= m->need.v[0]);
        for (int i = 0; i < RES_COUNT; i++)
            least.v[i] = c->least.v[i] < least.v[i] ? c->least.v[i] : least.v[i];
        if (wait_place_before(place, t->at.at[first].place))
            first = c->first;
    }
    expect(res_equal(&least, &m->sum.least) && first == m->sum.first);
    return deepest + 1;
}

TEST(wait_tree_finds_what_a_scan_finds)
{
    struct rng r = rng_stream(3, RNG_TEST, 0, 0, 0, 0);
    struct wait_tree t = WAIT_TREE_EMPTY;
    static struct wait_entry all[MEMBERS];
    uint32_t fitted = 0;
    for (int round = 0; round < 20000; round++) {
        struct wait_entry *m = &all[rng_below(&r, MEMBERS)];
        if (!m->in) {
            struct res need = {{0}};
            for (int i = 0; i < RES_COUNT; i++)
                need.v[i] = (int32_t)rng_below(&r, i < 2 ? 50 : 3);
            *m =
                (struct wait_entry){true, need, (int64_t)rng_below(&r, 20), (uint64_t)(m - all), 0};
            m->number = wait_tree_add(&t, &m->need, m->key, m->tie, m);
        } else if (rng_below(&r, 2)) {
            wait_tree_remove(&t, m->number);
            m->in = false;
        } else {
            m->key = (int64_t)rng_below(&r, 20);
            wait_tree_rekey(&t, m->number, m->key, m->tie);
        }
        struct res room = {{(int32_t)rng_below(&r, 25), (int32_t)rng_below(&r, 25),
                            (int32_t)rng_below(&r, 3), (int32_t)rng_below(&r, 3)}};
        struct wait_entry *first = naive_first(all, &room);
        uint32_t found = wait_tree_first(&t, &room);
        expect(first ? found != WAIT_NONE && t.at.at[found].owner == first : found == WAIT_NONE);
        expect(wait_tree_any(&t, &room) == (first != NULL));
        fitted += first != NULL;
        if (round % 500 == 0)
            expect(height(&t, t.root, WAIT_NONE) < 40);
    }
    expect(fitted > 1000);
    expect(t.at.count <= MEMBERS); /* numbers are used again */
    wait_tree_fini(&t);
}

TEST(wait_tree_of_many_equal_demands_stays_low)
{
    struct wait_tree t = WAIT_TREE_EMPTY;
    struct res one = {{1000, 0, 0, 0}}, less = {{999, 9, 9, 9}};
    for (uint32_t i = 0; i < 4096; i++)
        (void)wait_tree_add(&t, &one, -(int64_t)i, i, NULL);
    expect(height(&t, t.root, WAIT_NONE) < 40);
    expect(wait_tree_first(&t, &one) == 4095 && wait_tree_first(&t, &less) == WAIT_NONE);
    for (uint32_t i = 4096; i-- > 1;)
        wait_tree_remove(&t, i);
    expect(wait_tree_first(&t, &one) == 0 && !wait_tree_is_empty(&t));
    wait_tree_remove(&t, 0);
    expect(wait_tree_is_empty(&t) && !wait_tree_any(&t, &one));
    wait_tree_fini(&t);
}
