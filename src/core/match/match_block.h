/* match_block.h - up to 64 demands in order, compared with a server's free resources four at a
 * time.
 *
 * A server that has room compares it with many demands to find one. So demands are stored in
 * vectors, resource by resource, and scores are computed in single precision. Within a rank the
 * largest come first: the ones with the largest score are mostly among them, and the others need
 * not be inspected. */
#ifndef CORE_MATCH_MATCH_BLOCK_H
#define CORE_MATCH_MATCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/match/fit_edge.h"
#include "core/model/res.h"

enum { MATCH_LANES = 4, MATCH_BLOCK = 64, MATCH_VECTORS = MATCH_BLOCK / MATCH_LANES };

typedef float match_floats __attribute__((vector_size(4 * MATCH_LANES)));
typedef int32_t match_ints __attribute__((vector_size(4 * MATCH_LANES)));

/* The order of entries. The size of a demand is the sum of its shares of the largest server. */
struct match_order {
    int64_t key;  /* entries of equal key are one rank */
    float size;   /* within a rank, larger ones first, ... */
    uint64_t tie; /* ... and of equal ones the least tie */
};

struct match_entry {
    int64_t key;
    uint64_t tie; /* unique */
    struct res demand;
    void *what; /* the caller's */
};

struct match_place {
    struct match_order order;
    void *what;
};

struct match_block {
    match_ints demand[RES_COUNT][MATCH_VECTORS]; /* after the last: larger than any server */
    struct match_place at[MATCH_BLOCK];          /* in order */
    struct res most;                             /* maximum of each resource over the entries */
    uint32_t count;
};

/* A server in the form in which blocks are compared with it. */
struct match_look {
    struct res free;
    int resources; /* number of the resources that some entry asks for */
    int r[RES_COUNT];
    float share[RES_COUNT];  /* free share of the largest server's capacity ... */
    float least;             /* ... and the least of these shares */
    float unit[RES_COUNT];   /* a unit's share of the largest server's */
    float weight[RES_COUNT]; /* of a unit of demand */
};

/* Creates an empty block; free with mem_free. */
struct match_block *match_block_create(void);

/* Returns true if `a` precedes `b`. */
static inline bool match_is_before(const struct match_order *a, const struct match_order *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->size != b->size ? a->size > b->size : a->tie < b->tie;
}

/* The number of entries of the block that come before `o`. */
uint32_t match_block_rank(const struct match_block *b, const struct match_order *o);

/* Inserts an entry as number `i`; the block must have room. */
void match_block_insert(struct match_block *b, uint32_t i, const struct match_place *p,
                        const struct res *demand);
/* Removes entry `i`. */
void match_block_remove(struct match_block *b, uint32_t i);

/* Moves the entries from number `from` on into `rest`, which is empty. */
void match_block_split(struct match_block *b, uint32_t from, struct match_block *rest);

/* The demand of entry `i`. */
struct res match_block_demand(const struct match_block *b, uint32_t i);

/* The smallest demands of the block. */
struct fit_edge match_block_edge(const struct match_block *b);

/* Returns true if all entries are of one rank. */
static inline bool match_block_is_even(const struct match_block *b)
{
    return b->at[0].order.key == b->at[b->count - 1].order.key;
}

/* Returns a bit for each entry that fits. */
uint64_t match_block_fitting(const struct match_block *b, const struct match_look *k);

/* Returns a bit for each entry of a block of one rank that fits and may have the largest score.
 * Scores below *near cannot be the largest; raises *near according to this block. */
uint64_t match_block_best(const struct match_block *b, const struct match_look *k, float *near);

#endif
