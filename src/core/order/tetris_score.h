/* tetris_score.h - which of the tasks that fit a server it should take: the rule of Tetris.
 *
 * The fit of a task (fit) is weighed against the unfinished work of its job (left). Neither has a
 * natural unit, so both are made equally large on average over the bids. */
#pragma once

#include <stdint.h>

#include "core/model/res.h"

struct tetris_bid {
    double fit;  /* inner product of demand and free room, each over the largest server's */
    double left; /* unfinished work of the job: tetris_score_work over its unfinished tasks */
};

/* The work of `tasks` tasks of this demand and time: seconds x the sum of their shares of the
 * largest server. */
double tetris_score_work(const struct res *demand, const struct res *largest, double task_s,
                         uint64_t tasks);

/* The index of the bid with the largest fit + weight x eps x left, where eps is mean fit over mean
 * left, or 0 if mean left is 0. Weight -1: both count alike, and less left is better. The first of
 * equal ones; count > 0. */
uint32_t tetris_score_best(const struct tetris_bid *bids, uint32_t count, double weight);
