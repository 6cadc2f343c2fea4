#include "fit/fit_edge.h"

void fit_edge_add(struct fit_edge *e, const struct res *demand)
{
    uint32_t kept = 0;
    if (fit_edge_fits(e, demand))
        return; /* somebody asks for no more */
    for (uint32_t i = 0; i < e->count; i++)
        if (!res_fits(demand, &e->least[i]))
            e->least[kept++] = e->least[i];
    e->count = kept;
    if (e->count < FIT_EDGE_MAX) {
        e->least[e->count++] = *demand;
        return;
    }
    struct res *last = &e->least[FIT_EDGE_MAX - 1];
    for (int r = 0; r < RES_COUNT; r++)
        last->v[r] = demand->v[r] < last->v[r] ? demand->v[r] : last->v[r];
}

bool fit_edge_has(const struct fit_edge *e, const struct res *demand)
{
    if (e->count == FIT_EDGE_MAX && res_fits(&e->least[FIT_EDGE_MAX - 1], demand))
        return true;
    for (uint32_t i = 0; i < e->count; i++)
        if (res_equal(&e->least[i], demand))
            return true;
    return false;
}
