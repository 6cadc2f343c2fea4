/* omega.h - how long a reader should wait for an output of its own (NSDI'13, section 4.4).
 *
 * Per size of job, from what was seen in the last window: how long a read takes alone (t_e) and
 * along with a sibling (t_c), how long after the first the other attempts of a task finish (gaps),
 * and how long readers compute. A reader that waits omega in vain reads alone at first and then
 * shares; one that finds an output reads alone:
 *
 *     in vain   first reader  omega + (1 - omega/t_e) t_c     others  omega more     [t_e and 2 t_e
 * when omega >= t_e] found     first reader  t_e                             others  t_e + min(t_e,
 * omega)
 *
 * With P(omega) the probability that no output appears in time, a reader takes P x in vain + (1 -
 * P) x found, then computes; the task takes the least of its readers. Omega minimises the mean of
 * that over sampled compute times.
 *
 *   paper          here
 *   B, alpha, r    only as r/B = t_e and r/(alpha B) = t_c, which is what is observed
 *   p_c            omega_missing()
 *   clones         any number c: readers 1 .. c-1 are alike */
#ifndef POLICY_OMEGA_H
#define POLICY_OMEGA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum {
    OMEGA_BINS = 5,    /* of jobs */
    OMEGA_STEPS = 100, /* candidates: 0, 0.1 s, ... */
    OMEGA_STEP_US = 100000,
    OMEGA_SAMPLES = 256, /* compute times kept */
    OMEGA_SEEN_MIN = 30, /* reads and gaps before an estimate is made */
};

struct omega_bin {
    double alone_us, shared_us; /* sums */
    uint32_t alone, shared;     /* reads */
    uint32_t gap_ended[OMEGA_STEPS + 1], gap_censored[OMEGA_STEPS + 1], gaps;
    float compute_us[OMEGA_SAMPLES];
    uint32_t computes; /* seen so far; the last OMEGA_SAMPLES are kept */
    int64_t omega_us;
    bool known;
};

/* Zeroed at the start. */
struct omega {
    struct omega_bin bins[OMEGA_BINS];
    int64_t window_from_us;
};

/* The choice for jobs of this bin (1..5), or `prior_us` while there was too little to see. */
int64_t omega_of_bin(const struct omega *o, int bin, int64_t prior_us);

/* A read was done, alone or along with siblings. */
void omega_saw_read(struct omega *o, int bin, int64_t took_us, bool alone);

/* Another attempt of a won task ended so long after the first: it finished, or was stopped. */
void omega_saw_gap(struct omega *o, int bin, int64_t gap_us, bool finished);

/* A reader computed for so long once it had all its input. */
void omega_saw_compute(struct omega *o, int bin, int64_t took_us);

/* Chooses anew when the window is over (the first time as soon as there is enough to go by).
 * `copies`: readers of a task. */
void omega_roll(struct omega *o, uint16_t copies, int64_t now_us, int64_t window_us);

/* Expected time of a task whose readers wait `omega_us`; for tests. */
double omega_expected_us(const struct omega_bin *b, uint16_t copies, int64_t omega_us);

#endif
