/* wait_tree.h - those who wait for room: who is first among those that fit into it?
 *
 * A balanced search tree by demand. Each subtree knows the least it asks for of each resource and
 * who of it is first in line, so a search leaves out subtrees that ask for too much or whose first
 * stands behind what was found. With two resources, whether anybody fits costs the height of the
 * tree. */
#ifndef FIT_WAIT_TREE_H
#define FIT_WAIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/res.h"

#define WAIT_NONE UINT32_MAX

/* A place in line. */
struct wait_place {
    int64_t key;
    uint64_t tie;
};

/* What is known of a subtree. */
struct wait_sum {
    struct res least;
    struct wait_place place; /* of the first in line, ... */
    uint32_t first;          /* ... who is this one */
};

struct wait_member {
    struct res need;
    struct wait_place place;
    struct wait_sum sum; /* of itself and what hangs below */
    uint32_t child[2], parent;
    void *owner;
};

/* Start with WAIT_TREE_EMPTY; free with wait_tree_fini. */
struct wait_tree {
    VEC(struct wait_member) at;
    VEC(uint32_t) unused;
    uint32_t root;
};

#define WAIT_TREE_EMPTY ((struct wait_tree){.root = WAIT_NONE})

void wait_tree_fini(struct wait_tree *t);

static inline bool wait_tree_is_empty(const struct wait_tree *t)
{
    return t->root == WAIT_NONE;
}

static inline bool wait_place_before(struct wait_place a, struct wait_place b)
{
    return a.key != b.key ? a.key < b.key : a.tie < b.tie;
}

/* Adds a member and returns its number. Ties must differ. */
uint32_t wait_tree_add(struct wait_tree *t, const struct res *need, int64_t key, uint64_t tie,
                       void *owner);
void wait_tree_remove(struct wait_tree *t, uint32_t member);

/* Whether the number is that of a member, and this its place. */
static inline bool wait_tree_has(const struct wait_tree *t, uint32_t member,
                                 struct wait_place place)
{
    const struct wait_place *at = &t->at.at[member].place;
    return at->key == place.key && at->tie == place.tie;
}

/* The member has another place in line. */
void wait_tree_rekey(struct wait_tree *t, uint32_t member, int64_t key, uint64_t tie);

/* The first in line of those that fit into `room`, or WAIT_NONE. */
uint32_t wait_tree_first(const struct wait_tree *t, const struct res *room);

/* Whether any fits into it. */
bool wait_tree_any(const struct wait_tree *t, const struct res *room);

#endif
