/* match_naive.h - matching as one would write it first: what the fast ways must agree with, ties
 * included, and what the benchmark measures them against. */
#pragma once

#include "core/match/match.h"

#define MATCH_NAIVE_NONE UINT32_MAX

/* `waiting` tasks that need this much. Phases lie in the order of their ties. */
struct match_naive_phase {
    int64_t key;
    struct res demand;
    uint32_t waiting;
};

/* The phase that a server with this much free takes next: of the least key of which anything fits
 * the one with the largest score. */
static inline uint32_t match_naive_phase(const struct match_naive_phase *phases, uint32_t count,
                                         const struct res *free, const struct res *largest)
{
    uint32_t best = MATCH_NAIVE_NONE;
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct match_naive_phase *p = &phases[i];
        if (p->waiting == 0 || !res_fits(&p->demand, free) ||
            (best != MATCH_NAIVE_NONE && p->key > phases[best].key))
            continue;
        double score = match_score(&p->demand, free, largest);
        if (best != MATCH_NAIVE_NONE && p->key == phases[best].key && score <= most)
            continue;
        best = i;
        most = score;
    }
    return best;
}

/* The server on which the demand scores most. */
static inline uint32_t match_naive_server(const struct res *free, uint32_t count,
                                          const struct res *demand, const struct res *largest)
{
    uint32_t best = MATCH_NAIVE_NONE;
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!res_fits(demand, &free[i]))
            continue;
        double score = match_score(demand, &free[i], largest);
        if (best != MATCH_NAIVE_NONE && score <= most)
            continue;
        best = i;
        most = score;
    }
    return best;
}
