/* fit_set.h - the nodes that have room for one demand, a bit for each.
 *
 * Words of 64 bits are summed up in levels above: finding the next node, wrapping round, costs
 * three or four words even for a quarter of a million nodes. */
#ifndef CORE_MATCH_FIT_SET_H
#define CORE_MATCH_FIT_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { FIT_SET_LEVELS = 4 }; /* 64^4 nodes */

struct fit_set {
    uint64_t *level[FIT_SET_LEVELS]; /* level 0: a bit per node; above: a bit per word below */
    uint32_t words[FIT_SET_LEVELS];
    int levels;     /* in use; the last of them is a single word */
    uint32_t count; /* of nodes in it */
    uint32_t last;  /* the node that was added last */
};

void fit_set_fini(struct fit_set *s);

/* Makes room for nodes 0..cap-1. */
void fit_set_resize(struct fit_set *s, uint32_t cap);

/* Returns true if node `i` is in the set. */
static inline bool fit_set_has(const struct fit_set *s, uint32_t i)
{
    return s->level[0][i / 64] >> (i % 64) & 1;
}

/* Removes node `i` from the set or, if it is not there, adds it. */
void fit_set_flip(struct fit_set *s, uint32_t i);

/* The first node of the set at or after `from`, or FIT_SET_END. */
uint32_t fit_set_next(const struct fit_set *s, uint32_t from);

#define FIT_SET_END UINT32_MAX

#endif
