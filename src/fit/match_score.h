/* match_score.h - how well a demand and what a server has free go together: their inner product,
 * each over the largest server's capacity of that resource (DollyMP, Algorithm 2, step 12).
 *
 * Every comparison ends in this one function, and ties are broken by ids: those who search may
 * round and skip as they like, as long as they come to what it says. */
#ifndef FIT_MATCH_SCORE_H
#define FIT_MATCH_SCORE_H

#include "model/res.h"

/* Resources that no server has count nothing. */
static inline double match_score(const struct res *demand, const struct res *free,
                                 const struct res *largest)
{
    double sum = 0;
    for (int r = 0; r < RES_COUNT; r++)
        if (largest->v[r] > 0)
            sum += ((double)demand->v[r] / largest->v[r]) * ((double)free->v[r] / largest->v[r]);
    return sum;
}

/* Scores in single precision are within this share of the above: the three roundings of a product,
 * that of its weight, and three of the sum, all of numbers that are not negative. */
#define MATCH_SCORE_ERROR 1e-6f

#endif
