/* smallest_demands.h - the smallest of many demands, for checking whether any of them fits without
 * looking at all of them.
 *
 * If one fits, so does one that no other undercuts. Of those there are few: seven among a thousand
 * demands of two resources drawn at random. If there are more than SMALLEST_MAX, those most alike
 * become one, the least of both, which may fit where neither does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/res.h"

enum { SMALLEST_MAX = 12 };

/* Zero-initialise. */
struct smallest_demands {
    struct res least[SMALLEST_MAX];
    uint32_t count; /* 0: there are no demands */
};

/* Returns true if any demand may fit; false is certain. */
static inline bool smallest_demands_fit(const struct smallest_demands *e, const struct res *room)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (res_fits(&e->least[i], room))
            return true;
    return false;
}

/* Adds a demand. */
void smallest_demands_add(struct smallest_demands *e, const struct res *demand);
