/* tetris_score.h - which of the tasks that fit a server it should take: the rule of Tetris.
 *
 * What suits the server (fit) is weighed against how much is left of the job (left). Neither has a
 * natural unit, so both are made equally large on average over those who bid. */
#ifndef CORE_ORDER_TETRIS_SCORE_H
#define CORE_ORDER_TETRIS_SCORE_H

#include <stdint.h>

#include "core/model/res.h"

struct tetris_bid {
    double fit;  /* inner product of demand and free room, each over the largest server's */
    double left; /* what is left of the job: tetris_score_work over its unfinished tasks */
};

/* The work of `tasks` tasks of this demand and time: seconds x the sum of their shares of the
 * largest server. */
double tetris_score_work(const struct res *demand, const struct res *largest, double task_s,
                         uint64_t tasks);

/* The bid with the largest fit + weight x eps x left, eps being mean fit over mean left, or 0 where
 * that is nothing. -1: both count alike, and less left is better. The first of equals. There is at
 * least one. */
uint32_t tetris_score_best(const struct tetris_bid *bids, uint32_t count, double weight);

#endif
