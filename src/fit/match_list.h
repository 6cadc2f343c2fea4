/* match_list.h - what waits, for servers that look for the best of it.
 *
 * Entries stand in a total order (key, tie); those of equal key are one rank. A server takes, of
 * the first rank of which anything fits, the entry with the largest score (match_score.h), ties by
 * order. Entries lie in blocks (match_block.h), which are passed over when nothing of them fits
 * (fit_edge.h). */
#ifndef FIT_MATCH_LIST_H
#define FIT_MATCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "fit/fit_edge.h"
#include "fit/match_block.h"
#include "model/res.h"

struct match_list {
    VEC(struct match_block *) blocks; /* in order, none of them empty */
    VEC(struct fit_edge) edges;       /* of these */
    struct fit_edge edge;             /* of all, and of some that have left */
    uint32_t removed;                 /* since that was worked out */
    uint32_t count;                   /* of entries */
    bool used[RES_COUNT];             /* some entry has asked for it ... */
    int r[RES_COUNT], resources;      /* ... and so for these */
    struct res largest;               /* the most that any server has of each resource ... */
    float weight[RES_COUNT];          /* ... and one over its square; 0: none has any */
    struct res passed;                /* nothing fits into this ... */
    uint32_t passed_blocks;           /* ... of so many blocks */
};

void match_list_fini(struct match_list *l);

/* What scores are measured by: the most that any server has of each resource. */
void match_list_measure(struct match_list *l, const struct res *largest);

/* The entry is not in the list. */
void match_list_insert(struct match_list *l, const struct match_entry *e);

/* The entry of this key and tie is. */
void match_list_remove(struct match_list *l, int64_t key, uint64_t tie);

/* What the server with this much free takes next, or NULL when nothing fits. */
void *match_list_best(struct match_list *l, const struct res *free);

/* All of the first rank of which anything fits, in order, that fits; none when nothing does. For
 * those who choose by other scores. */
struct match_fits {
    VEC(void *) what;
};
void match_list_fitting(const struct match_list *l, const struct res *free, struct match_fits *out);

/* Whether it may be that something fits; false is certain. */
static inline bool match_list_may_fit(const struct match_list *l, const struct res *free)
{
    return fit_edge_fits(&l->edge, free);
}

#endif
