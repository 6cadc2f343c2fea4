/* match_nodes.h - the node on which a demand has the largest score.
 *
 * Nodes with the same free resources are a group, represented by its first node. Groups are in the
 * cells of a grid by their free amounts of two resources. No group of a cell scores more than the
 * cell's far corner would: cells are searched from the largest such bound down, until no other can
 * hold a better group. */
#pragma once

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
    uint32_t first;    /* the first of its nodes; MATCH_NODES_NONE: it is empty */
    struct heap more;  /* the others, by number */
    uint32_t cell, at; /* its cell, and its index there */
    uint32_t recent;   /* index in match_nodes.recent; MATCH_NODES_NONE: not there */
};

struct match_node {
    uint32_t group;      /* MATCH_NODES_NONE: it accepts no task */
    uint32_t heap_index; /* in the group's heap, unless it is the first */
};

/* A group in the list of its cell, with the data that a search compares. */
struct match_spot {
    struct res free;
    uint32_t group;
};

struct match_cell {
    VEC(struct match_spot) spots; /* the last is the newest */
};

/* The groups on which the last need scores most: tasks of one phase arrive one after the other with
 * the same need. Every group that fits and scores at least `floor` is there. */
struct match_recent {
    bool known;
    struct res need;
    float weight[RES_COUNT]; /* weight of a free unit */
    float floor;
    VEC(uint32_t) groups;
    VEC(float) scores; /* of these; padded with negative ones to a full vector */
};

/* A group that a search has found. */
struct match_found {
    uint32_t group;
    float score;
};

/* Zero-initialise; free with match_nodes_fini. */
struct match_nodes {
    struct match_node *nodes; /* by number; heaps point into it, so it grows by copying all */
    uint32_t count, cap;
    VEC(struct match_group) groups;
    VEC(uint32_t) unused;      /* of these */
    struct match_cell *cells;  /* column by column */
    uint64_t rows[MATCH_GRID]; /* by column: the rows whose cell is not empty */
    struct match_recent recent;
    VEC(struct match_found) found; /* scratch */
    struct res largest;
    int axis[2];               /* the two resources of the grid, */
    float edge[2][MATCH_GRID]; /* ... the most of them in each column or row */
};

void match_nodes_fini(struct match_nodes *m);

/* Sets the most that any node has of each resource, by which scores are measured. Call before the
 * first node; after a change all nodes have to be set again. */
void match_nodes_measure(struct match_nodes *m, const struct res *largest);

/* Sets the free resources of node `i`; a negative entry: the node accepts no task. */
void match_nodes_set(struct match_nodes *m, uint32_t i, const struct res *free);

/* Sets the free resources of each node of the set from `free`, which is indexed by node, and
 * empties the set. */
void match_nodes_set_all(struct match_nodes *m, struct node_set *nodes, const struct res *free);

/* The node with room for `need` on which it has the largest score (match_score.h), of equal ones
 * the first; or MATCH_NODES_NONE. */
uint32_t match_nodes_best(struct match_nodes *m, const struct res *need);

/* The best node as above, among `count` nodes only, whose free resources are in `free`; uses no
 * other state. */
uint32_t match_nodes_best_of(const uint32_t *nodes, uint32_t count, const struct res *free,
                             const struct res *largest, const struct res *need);
