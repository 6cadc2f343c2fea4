/* advice.h - chooses, among policies that were simulated on the same jobs, the one to take.
 *
 * A recorded time can be read in two ways: tasks of a phase differ by luck, and a copy draws again;
 * or they differ by size, and a copy takes as long as its task. The truth is between them, so a
 * policy must not lose in either reading, and counts by the mean of both. */
#pragma once

#include <stdint.h>

enum { ADVICE_READINGS = 2 };

/* Share of the mean completion time with one attempt per task that a policy saves, and half the
 * width of its 95 % interval. */
struct advice_gain {
    double mean, half;
};

struct advice_policy {
    struct advice_gain gains[ADVICE_READINGS];
    double extra; /* slot-seconds beyond those with one attempt per task, as a share of them */
};

/* A policy that loses more than this in a reading is not advised. */
#define ADVICE_LOSS_MAX 0.01
/* A gain that is not certain to be at least this is none. */
#define ADVICE_GAIN_MIN 0.01

enum advice_verdict {
    ADVICE_NOTHING, /* no policy gains anything */
    ADVICE_DEPENDS, /* the policy gains in one reading, and does not lose in the other */
    ADVICE_CERTAIN, /* the policy gains in every reading */
};

struct advice {
    enum advice_verdict verdict;
    uint32_t take; /* the policy that is advised; ADVICE_NOTHING: the best of those that are not */
};

/* Chooses among `count` policies (at least one), in `readings` readings. Of policies that gain the
 * same within ADVICE_GAIN_MIN it takes the one with the fewest slot-seconds. A gain that is NaN
 * counts as a loss. If every policy loses in some reading, `take` is the one that loses least. */
struct advice advice_choose(const struct advice_policy *policies, uint32_t count,
                            uint32_t readings);
