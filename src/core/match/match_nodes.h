/* match_nodes.h - the node on which a demand scores most.
 *
 * Nodes with the same free resources are a group, of which the first node stands for all. Groups
 * lie in the cells of a grid by what they have free of two resources. No group of a cell scores
 * more than the cell's far corner would: cells are looked at from the largest such bound down,
 * until no other can hold a better group. */
#ifndef CORE_MATCH_MATCH_NODES_H
#define CORE_MATCH_MATCH_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/vec.h"
#include "core/match/node_set.h"
#include "core/model/res.h"

enum { MATCH_GRID = 64 }; /* cells in each direction; rows of a column are the bits of a word */

#define MATCH_NODES_NONE UINT32_MAX

struct match_group {
    struct res free;
    uint32_t first;    /* of its nodes; MATCH_NODES_NONE: it has none */
    struct heap more;  /* the others, by number */
    uint32_t cell, at; /* which, and where in its list */
    uint32_t recent;   /* where in match_nodes.recent, MATCH_NODES_NONE: not there */
};

struct match_node {
    uint32_t group;      /* MATCH_NODES_NONE: it takes nothing */
    uint32_t heap_index; /* in the group's heap, unless it is the first */
};

/* A group in the list of its cell, with what a search compares. */
struct match_spot {
    struct res free;
    uint32_t group;
};

struct match_cell {
    VEC(struct match_spot) spots; /* the last is the one that came last */
};

/* Tasks of one phase come one after the other and ask the same: the groups on which the last need
 * scores most are kept. Every group that fits and scores `floor` or more is there. */
struct match_recent {
    bool known;
    struct res need;
    float weight[RES_COUNT]; /* of a unit that is free */
    float floor;
    VEC(uint32_t) groups;
    VEC(float) scores; /* of these; below 0 up to a full vector */
};

/* A group that a search has come by. */
struct match_found {
    uint32_t group;
    float score;
};

/* Zero-initialise; free with match_nodes_fini. */
struct match_nodes {
    struct match_node *nodes; /* by number; places are pointed to, so it grows by copying all */
    uint32_t count, cap;
    VEC(struct match_group) groups;
    VEC(uint32_t) unused;      /* of these */
    struct match_cell *cells;  /* column by column */
    uint64_t rows[MATCH_GRID]; /* of each column: those whose cell is not empty */
    struct match_recent recent;
    VEC(struct match_found) found; /* scratch */
    struct res largest;
    int axis[2];               /* the two resources of the grid, */
    float edge[2][MATCH_GRID]; /* ... the most of them in each column or row */
};

void match_nodes_fini(struct match_nodes *m);

/* What scores are measured by: the most that any node has of each resource. Before the first node;
 * after a change all nodes have to be set again. */
void match_nodes_measure(struct match_nodes *m, const struct res *largest);

/* Node `i` has this much free; a negative entry: it takes nothing. */
void match_nodes_set(struct match_nodes *m, uint32_t i, const struct res *free);

/* All of these have what `free` says, by number. The set is empty then. */
void match_nodes_set_all(struct match_nodes *m, struct node_set *nodes, const struct res *free);

/* The node with room for `need` on which it scores most (match_score.h), of equals the first; or
 * MATCH_NODES_NONE. */
uint32_t match_nodes_best(struct match_nodes *m, const struct res *need);

/* The same, of `count` nodes only, each with what `free` says; no more is known of them. */
uint32_t match_nodes_best_of(const uint32_t *nodes, uint32_t count, const struct res *free,
                             const struct res *largest, const struct res *need);

#endif
