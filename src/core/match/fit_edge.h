/* fit_edge.h - the smallest of many demands, for checking whether any of them fits without looking
 * at all of them.
 *
 * If one fits, so does one that no other undercuts. Of those there are few: seven among a thousand
 * demands of two resources drawn at random. If there are more than FIT_EDGE_MAX, those most alike
 * become one, the least of both, which may fit where neither does. */
#ifndef CORE_MATCH_FIT_EDGE_H
#define CORE_MATCH_FIT_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/res.h"

enum { FIT_EDGE_MAX = 12 };

/* Zero-initialise. */
struct fit_edge {
    struct res least[FIT_EDGE_MAX];
    uint32_t count; /* 0: there are no demands */
};

/* Returns true if any demand may fit; false is certain. */
static inline bool fit_edge_fits(const struct fit_edge *e, const struct res *room)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (res_fits(&e->least[i], room))
            return true;
    return false;
}

/* Adds a demand. */
void fit_edge_add(struct fit_edge *e, const struct res *demand);

#endif
