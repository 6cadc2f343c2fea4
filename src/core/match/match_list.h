/* match_list.h - waiting entries, for servers that look for the best one.
 *
 * Entries of equal key are one rank. A server takes, from the first rank of which any entry fits,
 * the entry with the largest score (match_score.h), and of equal ones the one with the least tie.
 * Entries are in blocks of up to 64, which are passed over when none of their entries fits
 * (smallest_demands.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/smallest_demands.h"
#include "core/model/res.h"

struct match_entry {
    int64_t key;
    uint64_t tie; /* unique */
    struct res demand;
    void *what; /* the caller's */
};

/* The smallest demands of some entries, and perhaps of some that were removed: it is computed anew
 * when it has promised a fit in vain. Most removals do not change it. */
struct match_smallest {
    struct smallest_demands v;
    uint32_t left; /* removals since then */
};

struct match_block;

struct match_list {
    VEC(struct match_block *) blocks;       /* in order, none of them empty */
    VEC(struct match_smallest) smallest_of; /* of these */
    struct match_smallest smallest;         /* of all */
    uint32_t count;                         /* of entries */
    bool used[RES_COUNT];                   /* some entry has asked for this resource ... */
    int r[RES_COUNT], resources;            /* ... and these are their numbers */
    struct res largest;                     /* the most that any server has of each resource ... */
    float unit[RES_COUNT];                  /* ... and a unit's share of it; 0: no server has any */
    bool by_tie; /* entries of a rank are ordered by ties alone, not by size */
};

void match_list_fini(struct match_list *l);

/* Orders the entries of a rank by ties alone, for callers that have scores of their own and use
 * match_list_fitting instead of match_list_best. Call before the first insertion. */
static inline void match_list_by_tie(struct match_list *l)
{
    l->by_tie = true;
}

/* Sets the most that any server has of each resource, by which scores are measured. Rebuilds the
 * list if that changes. */
void match_list_measure(struct match_list *l, const struct res *largest);

/* Inserts an entry, which must not be in the list. */
void match_list_insert(struct match_list *l, const struct match_entry *e);

/* Removes the entry with this key, demand and tie, which must be in the list. */
void match_list_remove(struct match_list *l, const struct match_entry *e);

/* The `what` of the entry that a server with this much free takes next, or NULL if none fits. */
void *match_list_best(struct match_list *l, const struct res *free);

/* The fitting entries of a rank, ordered by ties. */
struct match_fits {
    VEC(void *) what;
};
/* Sets *out to the fitting entries of the first rank of which any fits; empty if none does. */
void match_list_fitting(struct match_list *l, const struct res *free, struct match_fits *out);

/* Returns true if any entry may fit; false is certain. */
static inline bool match_list_may_fit(const struct match_list *l, const struct res *free)
{
    return smallest_demands_fit(&l->smallest.v, free);
}
