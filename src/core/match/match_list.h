/* match_list.h - what waits, for servers that look for the best of it.
 *
 * Entries of equal key are one rank. A server takes, of the first rank of which anything fits, the
 * entry with the largest score (match_score.h), and of equals the one with the least tie. Entries
 * lie in blocks (match_block.h), which are passed over when nothing of them fits (fit_edge.h). */
#ifndef CORE_MATCH_MATCH_LIST_H
#define CORE_MATCH_MATCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/fit_edge.h"
#include "core/match/match_block.h"
#include "core/model/res.h"

/* What some entries ask for at least, and perhaps some that have left: it is worked out anew when
 * it has promised something in vain. Most that leave are not missed. */
struct match_edge {
    struct fit_edge v;
    uint32_t left; /* since then */
};

struct match_list {
    VEC(struct match_block *) blocks; /* in order, none of them empty */
    VEC(struct match_edge) edges;     /* of these */
    struct match_edge edge;           /* of all */
    uint32_t count;                   /* of entries */
    bool used[RES_COUNT];             /* some entry has asked for it ... */
    int r[RES_COUNT], resources;      /* ... and so for these */
    struct res largest;               /* the most that any server has of each resource ... */
    float unit[RES_COUNT];            /* ... and a unit's share of it; 0: none has any */
    bool by_tie;                      /* in a rank entries stand by ties alone, not by size */
    struct res passed;                /* nothing fits into this ... */
    uint32_t passed_blocks;           /* ... of so many blocks */
};

void match_list_fini(struct match_list *l);

/* For those who choose by other scores: match_list_fitting instead of match_list_best. Before the
 * first entry. */
static inline void match_list_by_tie(struct match_list *l)
{
    l->by_tie = true;
}

/* What scores are measured by: the most that any server has of each resource. When that changes,
 * the list is made anew. */
void match_list_measure(struct match_list *l, const struct res *largest);

/* The entry is not in the list. */
void match_list_insert(struct match_list *l, const struct match_entry *e);

/* The entry of this key, demand and tie is. */
void match_list_remove(struct match_list *l, const struct match_entry *e);

/* What the server with this much free takes next, or NULL when nothing fits. */
void *match_list_best(struct match_list *l, const struct res *free);

/* All of the first rank of which anything fits that fits, by ties; none when nothing does. */
struct match_fits {
    VEC(void *) what;
};
void match_list_fitting(struct match_list *l, const struct res *free, struct match_fits *out);

/* Whether it may be that something fits; false is certain. */
static inline bool match_list_may_fit(const struct match_list *l, const struct res *free)
{
    return fit_edge_fits(&l->edge.v, free);
}

#endif
