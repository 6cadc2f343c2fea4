/* match_block.h - up to 64 demands in order, compared with what a server has free all at once.
 *
 * A server that has room compares it with thousands of demands to find one. So demands lie in
 * vectors, resource by resource, and scores are worked out in single precision, four at a time. */
#ifndef FIT_MATCH_BLOCK_H
#define FIT_MATCH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "fit/fit_edge.h"
#include "model/res.h"

enum { MATCH_LANES = 4, MATCH_BLOCK = 64, MATCH_VECTORS = MATCH_BLOCK / MATCH_LANES };

typedef float match_floats __attribute__((vector_size(4 * MATCH_LANES)));
typedef int32_t match_ints __attribute__((vector_size(4 * MATCH_LANES)));

/* Those of equal key are one rank. */
struct match_entry {
    int64_t key;
    uint64_t tie; /* no two entries have the same */
    struct res demand;
    void *what; /* the caller's */
};

struct match_place {
    int64_t key;
    uint64_t tie;
    void *what;
};

struct match_block {
    match_ints demand[RES_COUNT][MATCH_VECTORS]; /* behind the last: more than any server has */
    struct match_place at[MATCH_BLOCK];          /* in the order of (key, tie) */
    uint32_t count;
};

/* A server in the form in which blocks are compared with it. */
struct match_look {
    struct res free;
    int resources; /* those that somebody asks for */
    int r[RES_COUNT];
    float weight[RES_COUNT]; /* of a unit of demand */
};

/* Scores of a block as bits, which stand in the order of the scores; of what does not fit, -1. */
struct match_scores {
    match_ints at[MATCH_VECTORS];
};

struct match_block *match_block_create(void);

static inline bool match_is_before(int64_t key, uint64_t tie, const struct match_place *p)
{
    return key != p->key ? key < p->key : tie < p->tie;
}

/* How many entries of the block stand before (key, tie). */
uint32_t match_block_rank(const struct match_block *b, int64_t key, uint64_t tie);

/* An entry enters as number `i`, where there is room, or leaves. */
void match_block_insert(struct match_block *b, uint32_t i, const struct match_entry *e);
void match_block_remove(struct match_block *b, uint32_t i);

/* Moves the entries from number `from` on into a block that is empty. */
void match_block_split(struct match_block *b, uint32_t from, struct match_block *rest);

struct res match_block_demand(const struct match_block *b, uint32_t i);

struct fit_edge match_block_edge(const struct match_block *b);

/* Whether all are of one rank. */
static inline bool match_block_is_even(const struct match_block *b)
{
    return b->at[0].key == b->at[b->count - 1].key;
}

/* A bit for each entry that fits. */
uint64_t match_block_fitting(const struct match_block *b, const struct match_look *k);

/* Works all scores out. The largest, or -1 when nothing fits. */
int32_t match_block_score(const struct match_block *b, const struct match_look *k,
                          struct match_scores *out);

/* A bit for each entry that scores as much or more. */
uint64_t match_block_above(const struct match_block *b, const struct match_scores *s,
                           int32_t score);

#endif
