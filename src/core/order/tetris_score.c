#include "core/order/tetris_score.h"

#include "base/check.h"

double tetris_score_work(const struct res *demand, const struct res *largest, double task_s,
                         uint64_t tasks)
{
    double shares = 0;
    for (int r = 0; r < RES_COUNT; r++)
        if (largest->v[r] > 0)
            shares += (double)demand->v[r] / largest->v[r];
    return shares * task_s * (double)tasks;
}

uint32_t tetris_score_best(const struct tetris_bid *bids, uint32_t count, double weight)
{
    double fit = 0, left = 0;
    check(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        fit += bids[i].fit;
        left += bids[i].left;
    }
    double eps = left > 0 ? fit / left : 0; /* the means' ratio is that of the sums */
    uint32_t best = 0;
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        double score = bids[i].fit + weight * eps * bids[i].left;
        if (i == 0 || score > most) {
            best = i;
            most = score;
        }
    }
    return best;
}
