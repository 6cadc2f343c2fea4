#include "core/estimate/racks.h"

void racks_update(struct racks *d, const struct world *w)
{
    uint32_t racks = 0;
    if (d->by_rack.count == w->nodes.count)
        return;
    for (uint32_t i = 0; i < w->nodes.count; i++)
        racks = w->nodes.at[i].rack >= racks ? w->nodes.at[i].rack + 1 : racks;
    vec_clear(&d->from);
    vec_clear(&d->by_rack);
    for (uint32_t r = 0; r <= racks; r++)
        vec_push(&d->from, 0);
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        d->from.at[w->nodes.at[i].rack + 1]++;
        vec_push(&d->by_rack, 0);
    }
    for (uint32_t r = 0; r < racks; r++)
        d->from.at[r + 1] += d->from.at[r];
    /* Fill from the back, so that each start ends where it belongs. */
    for (uint32_t i = w->nodes.count; i-- > 0;)
        d->by_rack.at[--d->from.at[w->nodes.at[i].rack + 1]] = i;
    for (uint32_t r = 0; r < racks; r++)
        d->from.at[r] = d->from.at[r + 1];
    d->from.at[racks] = w->nodes.count;
}

void racks_fini(struct racks *d)
{
    vec_free(&d->from);
    vec_free(&d->by_rack);
}
