/* wait_tree.c - a treap: a search tree by (demand, number) that is a heap by the hash of the
 * number.
 *
 * The shape depends on the members alone, and not on the order in which they came. Demands are
 * compared by their first resource and then by the others. A k-d tree would prune a little better
 * with three or four resources, but is not easily kept in balance. */
#include "fit/wait_tree.h"

#include "base/check.h"

void wait_tree_fini(struct wait_tree *t)
{
    vec_free(&t->at);
    vec_free(&t->unused);
    t->root = WAIT_NONE;
}

/* One-to-one. */
static uint32_t priority(uint32_t member)
{
    uint32_t x = (member + 1) * 0x9e3779b1U;
    x = (x ^ x >> 15) * 0x85ebca77U;
    return x ^ x >> 13;
}

static bool is_above(uint32_t a, uint32_t b)
{
    return priority(a) > priority(b);
}

static bool is_left(const struct wait_tree *t, uint32_t a, uint32_t b)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (t->at.at[a].need.v[i] != t->at.at[b].need.v[i])
            return t->at.at[a].need.v[i] < t->at.at[b].need.v[i];
    return a < b;
}

static bool is_before(const struct wait_tree *t, uint32_t a, uint32_t b)
{
    const struct wait_member *x = &t->at.at[a], *y = &t->at.at[b];
    return x->key != y->key ? x->key < y->key : x->tie < y->tie;
}

/* Works out what a member knows of its subtree. */
static void sum_up(struct wait_tree *t, uint32_t member)
{
    struct wait_member *m = &t->at.at[member];
    m->least = m->need;
    m->first = member;
    for (int side = 0; side < 2; side++) {
        if (m->child[side] == WAIT_NONE)
            continue;
        const struct wait_member *c = &t->at.at[m->child[side]];
        for (int i = 0; i < RES_COUNT; i++)
            m->least.v[i] = c->least.v[i] < m->least.v[i] ? c->least.v[i] : m->least.v[i];
        if (is_before(t, c->first, m->first))
            m->first = c->first;
    }
}

/* Upwards from `at`, until nothing changes and nobody there looks at what became of `changed`. */
static void sum_up_from(struct wait_tree *t, uint32_t at, uint32_t changed)
{
    while (at != WAIT_NONE) {
        const struct wait_member *m = &t->at.at[at];
        struct res least = m->least;
        uint32_t first = m->first;
        sum_up(t, at);
        if (first == m->first && first != changed && res_equal(&least, &m->least))
            return;
        at = m->parent;
    }
}

/* Puts `member` where `old` hangs. */
static void hang(struct wait_tree *t, uint32_t old, uint32_t parent, uint32_t member)
{
    if (parent == WAIT_NONE)
        t->root = member;
    else
        t->at.at[parent].child[t->at.at[parent].child[1] == old] = member;
    if (member != WAIT_NONE)
        t->at.at[member].parent = parent;
}

/* Moves a member up, its parent down; what they know of their subtrees follows. */
static void rotate(struct wait_tree *t, uint32_t member)
{
    uint32_t parent = t->at.at[member].parent;
    struct wait_member *m = &t->at.at[member], *p = &t->at.at[parent];
    int side = p->child[1] == member;
    hang(t, parent, p->parent, member);
    p->child[side] = m->child[!side];
    if (m->child[!side] != WAIT_NONE)
        t->at.at[m->child[!side]].parent = parent;
    m->child[!side] = parent;
    p->parent = member;
    sum_up(t, parent);
    sum_up(t, member);
}

uint32_t wait_tree_add(struct wait_tree *t, const struct res *need, int64_t key, uint64_t tie,
                       void *owner)
{
    uint32_t member = vec_take(&t->at, &t->unused), parent = WAIT_NONE, at = t->root;
    t->at.at[member] = (struct wait_member){
        .need = *need, .key = key, .tie = tie, .owner = owner, .child = {WAIT_NONE, WAIT_NONE}};
    int side = 0;
    while (at != WAIT_NONE) {
        parent = at;
        side = !is_left(t, member, at);
        at = t->at.at[at].child[side];
    }
    t->at.at[member].parent = parent;
    if (parent == WAIT_NONE)
        t->root = member;
    else
        t->at.at[parent].child[side] = member;
    sum_up(t, member);
    while (t->at.at[member].parent != WAIT_NONE && is_above(member, t->at.at[member].parent))
        rotate(t, member);
    sum_up_from(t, t->at.at[member].parent, member);
    return member;
}

void wait_tree_remove(struct wait_tree *t, uint32_t member)
{
    const struct wait_member *m = &t->at.at[member];
    while (m->child[0] != WAIT_NONE && m->child[1] != WAIT_NONE)
        rotate(t, m->child[is_above(m->child[1], m->child[0])]);
    uint32_t parent = m->parent;
    hang(t, member, parent, m->child[m->child[0] == WAIT_NONE]);
    sum_up_from(t, parent, member);
    vec_push(&t->unused, member);
}

void wait_tree_rekey(struct wait_tree *t, uint32_t member, int64_t key, uint64_t tie)
{
    t->at.at[member].key = key;
    t->at.at[member].tie = tie;
    sum_up_from(t, member, member);
}

/* The first in line below `at` that fits, if it stands before `found`; else `found`. */
static uint32_t search(const struct wait_tree *t, uint32_t at, const struct res *room,
                       uint32_t found)
{
    if (at == WAIT_NONE)
        return found;
    const struct wait_member *m = &t->at.at[at];
    if (!res_fits(&m->least, room) || (found != WAIT_NONE && !is_before(t, m->first, found)))
        return found;
    if (res_fits(&t->at.at[m->first].need, room))
        return m->first;
    if (res_fits(&m->need, room) && (found == WAIT_NONE || is_before(t, at, found)))
        found = at;
    bool right = m->child[0] == WAIT_NONE ||
                 (m->child[1] != WAIT_NONE &&
                  is_before(t, t->at.at[m->child[1]].first, t->at.at[m->child[0]].first));
    found = search(t, m->child[right], room, found);
    return search(t, m->child[!right], room, found);
}

uint32_t wait_tree_first(const struct wait_tree *t, const struct res *room)
{
    return search(t, t->root, room, WAIT_NONE);
}

static bool any_below(const struct wait_tree *t, uint32_t at, const struct res *room)
{
    if (at == WAIT_NONE || !res_fits(&t->at.at[at].least, room))
        return false;
    const struct wait_member *m = &t->at.at[at];
    return res_fits(&m->need, room) || any_below(t, m->child[0], room) ||
           any_below(t, m->child[1], room);
}

bool wait_tree_any(const struct wait_tree *t, const struct res *room)
{
    return any_below(t, t->root, room);
}
