/* healthy.h - how long a healthy attempt of a phase takes, before its own attempts show it.
 *
 * Two experts give an opinion: the best source of core/brain/expect.h (each source counts as an
 * expert of its own), and the bytes that a task reads. Expected times are means that contain
 * stalls, and of bytes only the unit is known. So each expert's bias is learnt, in logarithms, and
 * taken out, and the expert with the least mean error is believed. */
#pragma once

#include "core/brain/expect.h"
#include "core/brain/world.h"

enum { HEALTHY_BYTES = EXPECTED_DECLARED + 1, HEALTHY_EXPERTS };

enum { HEALTHY_MEMORY = 200 }; /* about the number of phases that count */

struct healthy_expert {
    double bias, error; /* of logarithms: the mean, and the mean distance from it */
    uint32_t count;
};

/* Zeroed at the start. */
struct healthy {
    struct healthy_expert experts[HEALTHY_EXPERTS];
};

/* Returns the bytes of external input of all tasks of the phase. */
double healthy_inputs(const struct phase *p);

/* Returns the mean of the bytes that the phase's tasks read; 1 if none are known. `inputs` is its
 * healthy_inputs, which never change. */
double healthy_mean_bytes(const struct phase *p, double inputs);

/* Returns the microseconds per byte that the best expert expects, or 0 if none has an opinion.
 * `bytes` is the phase's mean. */
double healthy_guess(const struct healthy *h, const struct world *w, const struct phase *p,
                     double bytes);

/* Scores the experts by a phase that has shown its healthy time per byte, in us, above 0. */
void healthy_learn(struct healthy *h, const struct world *w, const struct phase *p, double bytes,
                   double per_byte);
