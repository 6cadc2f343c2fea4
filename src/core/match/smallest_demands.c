#include "core/match/smallest_demands.h"

/* How unlike two demands are. */
static uint64_t distance(const struct res *a, const struct res *b)
{
    uint64_t sum = 0;
    for (int r = 0; r < RES_COUNT; r++) {
        int64_t x = a->v[r], y = b->v[r], apart = x > y ? x - y : y - x;
        int64_t more = (x < 0 ? -x : x) + (y < 0 ? -y : y);
        sum += (uint64_t)((apart << 16) / (more + 1));
    }
    return sum;
}

/* Lets the demand most like this one stand for both. */
static void merge(struct smallest_demands *e, const struct res *demand)
{
    struct res *like = &e->least[0];
    for (uint32_t i = 1; i < e->count; i++)
        if (distance(&e->least[i], demand) < distance(like, demand))
            like = &e->least[i];
    for (int r = 0; r < RES_COUNT; r++)
        like->v[r] = demand->v[r] < like->v[r] ? demand->v[r] : like->v[r];
}

void smallest_demands_add(struct smallest_demands *e, const struct res *demand)
{
    uint32_t kept = 0;
    if (smallest_demands_fit(e, demand))
        return; /* somebody asks for no more */
    for (uint32_t i = 0; i < e->count; i++)
        if (!res_fits(demand, &e->least[i]))
            e->least[kept++] = e->least[i];
    e->count = kept;
    if (e->count < SMALLEST_MAX)
        e->least[e->count++] = *demand;
    else
        merge(e, demand);
}
