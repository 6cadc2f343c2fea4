/* match_block.h - up to 64 demands in order, compared with what a server has free four at a time.
 *
 * A server that has room compares it with many demands to find one. So demands lie in vectors,
 * resource by resource, and scores are worked out in single precision. Of one rank the largest come
 * first: those that score most mostly are among them, and the others need not be looked at. */
#ifndef CORE_MATCH_MATCH_BLOCK_H
#define CORE_MATCH_MATCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/match/fit_edge.h"
#include "core/model/res.h"

enum { MATCH_LANES = 4, MATCH_BLOCK = 64, MATCH_VECTORS = MATCH_BLOCK / MATCH_LANES };

typedef float match_floats __attribute__((vector_size(4 * MATCH_LANES)));
typedef int32_t match_ints __attribute__((vector_size(4 * MATCH_LANES)));

/* Demands are as large as the sum of their shares of the largest server. */
struct match_order {
    int64_t key;  /* those of equal key are one rank */
    float size;   /* of one rank, larger ones first, ... */
    uint64_t tie; /* ... and of equals the least */
};

struct match_entry {
    int64_t key;
    uint64_t tie; /* no two entries have the same */
    struct res demand;
    void *what; /* the caller's */
};

struct match_place {
    struct match_order order;
    void *what;
};

struct match_block {
    match_ints demand[RES_COUNT][MATCH_VECTORS]; /* behind the last: more than any server has */
    struct match_place at[MATCH_BLOCK];          /* in order */
    struct res most;                             /* of each resource that any asks for */
    uint32_t count;
};

/* A server in the form in which blocks are compared with it. */
struct match_look {
    struct res free;
    int resources; /* those that somebody asks for */
    int r[RES_COUNT];
    float share[RES_COUNT];  /* of the largest server's, that is free ... */
    float least;             /* ... the least of them */
    float unit[RES_COUNT];   /* a unit's share of the largest server's */
    float weight[RES_COUNT]; /* of a unit of demand */
};

struct match_block *match_block_create(void);

static inline bool match_is_before(const struct match_order *a, const struct match_order *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->size != b->size ? a->size > b->size : a->tie < b->tie;
}

/* How many entries of the block stand before this place. */
uint32_t match_block_rank(const struct match_block *b, const struct match_order *o);

/* An entry enters as number `i`, where there is room, or leaves. */
void match_block_insert(struct match_block *b, uint32_t i, const struct match_place *p,
                        const struct res *demand);
void match_block_remove(struct match_block *b, uint32_t i);

/* Moves the entries from number `from` on into a block that is empty. */
void match_block_split(struct match_block *b, uint32_t from, struct match_block *rest);

struct res match_block_demand(const struct match_block *b, uint32_t i);

struct fit_edge match_block_edge(const struct match_block *b);

/* Whether all are of one rank. */
static inline bool match_block_is_even(const struct match_block *b)
{
    return b->at[0].order.key == b->at[b->count - 1].order.key;
}

/* A bit for each entry that fits. */
uint64_t match_block_fitting(const struct match_block *b, const struct match_look *k);

/* A bit for each entry of a block of one rank that fits and may have the largest score. Scores
 * below *near cannot be that; it is raised to what cannot be either, now. */
uint64_t match_block_best(const struct match_block *b, const struct match_look *k, float *near);

#endif
