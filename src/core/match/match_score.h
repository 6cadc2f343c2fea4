/* match_score.h - how well a demand and a server's free resources go together: their inner product,
 * each over the largest server's capacity of that resource (DollyMP, Algorithm 2, step 12).
 *
 * Every comparison ends in this one function, and ties are broken by ids: searches may round and
 * skip as they like, as long as they reach the same result. */
#pragma once

#include "core/model/res.h"

/* A server's free resources, prepared for comparison with many demands. */
struct match_free {
    double largest[RES_COUNT], share[RES_COUNT]; /* share: of the largest */
    int resource[RES_COUNT];                     /* resources that some server has */
    int count;
};

/* Prepares a server's free resources. */
static inline struct match_free match_free(const struct res *free, const struct res *largest)
{
    struct match_free m = {.count = 0};
    for (int r = 0; r < RES_COUNT; r++)
        if (largest->v[r] > 0) {
            m.resource[m.count] = r;
            m.largest[m.count] = largest->v[r];
            m.share[m.count++] = (double)free->v[r] / largest->v[r];
        }
    return m;
}

/* The score of a demand on a prepared server. */
static inline double match_score_on(const struct res *demand, const struct match_free *m)
{
    double sum = 0;
    for (int i = 0; i < m->count; i++)
        sum += (double)demand->v[m->resource[i]] / m->largest[i] * m->share[i];
    return sum;
}

/* The score of a demand on a server. Resources that no server has do not count. */
static inline double match_score(const struct res *demand, const struct res *free,
                                 const struct res *largest)
{
    struct match_free m = match_free(free, largest);
    return match_score_on(demand, &m);
}

/* Scores in single precision are within this share of the above: the three roundings of a product,
 * that of its weight, and three of the sum, all of numbers that are not negative. */
#define MATCH_SCORE_ERROR 1e-6f
