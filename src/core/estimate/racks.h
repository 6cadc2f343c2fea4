/* racks.h - the nodes of each rack, for parts that look at one rack at a time. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"

/* Members of rack r are by_rack.at[from.at[r]] .. by_rack.at[from.at[r + 1] - 1]. */
struct racks {
    VEC(uint32_t) from, by_rack;
};

/* Sorts the nodes of the world by rack if they have changed since the last call. */
void racks_update(struct racks *r, const struct world *w);
void racks_fini(struct racks *r);

/* The number of racks. */
static inline uint32_t racks_count(const struct racks *r)
{
    return r->from.count ? r->from.count - 1 : 0;
}

/* The number of nodes of a rack. */
static inline uint32_t racks_size(const struct racks *r, uint32_t rack)
{
    return r->from.at[rack + 1] - r->from.at[rack];
}

/* The i-th node of the rack, modulo its size. */
static inline uint32_t racks_node(const struct racks *r, uint32_t rack, uint64_t i)
{
    return r->by_rack.at[r->from.at[rack] + i % racks_size(r, rack)];
}
