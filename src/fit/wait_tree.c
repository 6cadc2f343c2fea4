/* wait_tree.c - a treap: a search tree by (demand, number) that is a heap by the hash of the
 * number.
 *
 * The shape depends on the members alone, and not on the order in which they came. Demands are
 * compared by their first resource and then by the others. A k-d tree would prune a little better
 * with three or four resources, but is not easily kept in balance. */
#include "fit/wait_tree.h"

#include "base/check.h"

static const struct wait_place behind_all = {INT64_MAX, UINT64_MAX};

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

/* Who is first, if another subtree is added. */
static inline void first_add(struct wait_sum *sum, const struct wait_sum *more)
{
    if (wait_place_before(more->place, sum->place)) {
        sum->place = more->place;
        sum->first = more->first;
    }
}

/* Adds what is known of a subtree, or of a single member, to what is known of another. */
static inline void sum_add(struct wait_sum *sum, const struct wait_sum *more)
{
    for (int i = 0; i < RES_COUNT; i++)
        sum->least.v[i] = more->least.v[i] < sum->least.v[i] ? more->least.v[i] : sum->least.v[i];
    first_add(sum, more);
}

static struct wait_sum sum_of_one(const struct wait_tree *t, uint32_t member)
{
    const struct wait_member *m = &t->at.at[member];
    return (struct wait_sum){m->need, m->place, member};
}

/* Works out what a member knows of its subtree. */
static void sum_up(struct wait_tree *t, uint32_t member)
{
    struct wait_member *m = &t->at.at[member];
    m->sum = sum_of_one(t, member);
    for (int side = 0; side < 2; side++)
        if (m->child[side] != WAIT_NONE)
            sum_add(&m->sum, &t->at.at[m->child[side]].sum);
}

/* Upwards from `at`, until nothing changes and nobody there looks at what became of `changed`. */
static void sum_up_from(struct wait_tree *t, uint32_t at, uint32_t changed)
{
    while (at != WAIT_NONE) {
        const struct wait_member *m = &t->at.at[at];
        struct wait_sum old = m->sum;
        sum_up(t, at);
        if (old.first == m->sum.first && old.first != changed &&
            res_equal(&old.least, &m->sum.least))
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

/* Moves a member up, its parent down. It then knows of its subtree what its parent knew of the
 * same; what the parent knows is wrong. */
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
    m->sum = p->sum;
}

/* Those above learn of it on the way down. */
uint32_t wait_tree_add(struct wait_tree *t, const struct res *need, int64_t key, uint64_t tie,
                       void *owner)
{
    uint32_t member = vec_take(&t->at, &t->unused), parent = WAIT_NONE, at = t->root;
    struct wait_member *m = &t->at.at[member];
    *m = (struct wait_member){
        .need = *need, .place = {key, tie}, .owner = owner, .child = {WAIT_NONE, WAIT_NONE}};
    m->sum = sum_of_one(t, member);
    int side = 0;
    while (at != WAIT_NONE) {
        parent = at;
        sum_add(&t->at.at[at].sum, &m->sum);
        side = !is_left(t, member, at);
        at = t->at.at[at].child[side];
    }
    m->parent = parent;
    if (parent == WAIT_NONE)
        t->root = member;
    else
        t->at.at[parent].child[side] = member;
    while (m->parent != WAIT_NONE && is_above(member, m->parent)) {
        uint32_t below = m->parent;
        rotate(t, member);
        sum_up(t, below);
    }
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
    t->at.at[member].place = behind_all;
}

/* The member stands before more of the others: those above that it is first of learn of it. */
static void move_forward(struct wait_tree *t, uint32_t member)
{
    struct wait_place place = t->at.at[member].place;
    for (uint32_t at = member; at != WAIT_NONE; at = t->at.at[at].parent) {
        struct wait_sum *sum = &t->at.at[at].sum;
        if (sum->first != member && !wait_place_before(place, sum->place))
            return;
        sum->place = place;
        sum->first = member;
    }
}

/* It stands behind some: those above that it was first of look again. */
static void move_back(struct wait_tree *t, uint32_t member)
{
    for (uint32_t at = member; at != WAIT_NONE; at = t->at.at[at].parent) {
        struct wait_member *m = &t->at.at[at];
        if (m->sum.first != member)
            return;
        m->sum.place = m->place;
        m->sum.first = at;
        for (int side = 0; side < 2; side++)
            if (m->child[side] != WAIT_NONE)
                first_add(&m->sum, &t->at.at[m->child[side]].sum);
    }
}

void wait_tree_rekey(struct wait_tree *t, uint32_t member, int64_t key, uint64_t tie)
{
    struct wait_member *m = &t->at.at[member];
    struct wait_place old = m->place;
    m->place = (struct wait_place){key, tie};
    if (wait_place_before(m->place, old))
        move_forward(t, member);
    else
        move_back(t, member);
}

/* The first in line that fits, as far as it was found. */
struct wait_search {
    const struct wait_member *at;
    struct res room;
    struct wait_place place; /* behind all others: none was */
    uint32_t found;
};

/* Whether somebody below may fit and stand before who was found. */
static inline bool may_find(const struct wait_search *s, uint32_t at)
{
    return at != WAIT_NONE && res_fits(&s->at[at].sum.least, &s->room) &&
           wait_place_before(s->at[at].sum.place, s->place);
}

/* Takes a member that fits and stands before who was found. */
static inline bool take(struct wait_search *s, uint32_t member, struct wait_place place)
{
    if (!res_fits(&s->at[member].need, &s->room) || !wait_place_before(place, s->place))
        return false;
    s->place = place;
    s->found = member;
    return true;
}

/* Looks below a member where it may find somebody. Children are judged before they are visited:
 * most are not. */
static void search_below(struct wait_search *s, uint32_t at)
{
    const struct wait_member *m = &s->at[at];
    if (take(s, m->sum.first, m->sum.place))
        return;
    (void)take(s, at, m->place);
    uint32_t one = m->child[0], other = m->child[1];
    bool may_one = may_find(s, one), may_other = may_find(s, other);
    if (may_one && may_other && wait_place_before(s->at[other].sum.place, s->at[one].sum.place)) {
        one = m->child[1];
        other = m->child[0];
    }
    if (may_one && may_other) {
        search_below(s, one);
        if (wait_place_before(s->at[other].sum.place, s->place))
            search_below(s, other);
    } else if (may_one || may_other) {
        search_below(s, may_one ? one : other);
    }
}

uint32_t wait_tree_first(const struct wait_tree *t, const struct res *room)
{
    struct wait_search s = {t->at.at, *room, behind_all, WAIT_NONE};
    if (may_find(&s, t->root))
        search_below(&s, t->root);
    return s.found;
}

static bool any_below(const struct wait_tree *t, uint32_t at, const struct res *room)
{
    if (at == WAIT_NONE || !res_fits(&t->at.at[at].sum.least, room))
        return false;
    const struct wait_member *m = &t->at.at[at];
    return res_fits(&m->need, room) || any_below(t, m->child[0], room) ||
           any_below(t, m->child[1], room);
}

bool wait_tree_any(const struct wait_tree *t, const struct res *room)
{
    return any_below(t, t->root, room);
}
