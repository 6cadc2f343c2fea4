/* omega.h - how long a reader should wait for an output of its own (NSDI'13, section 4.4).
 *
 * Per size of job, from observations in the last window: the speed of a read alone (B) and along
 * with a sibling (alpha B), the amount per read (r) and the number of upstream tasks, how long
 * after the first the other attempts of a task finish (gaps), and how long readers compute. A
 * reader that waits omega in vain reads alone at first and then shares; one that finds an output
 * reads alone. With t_e = r / B and t_c = r / (alpha B):
 *
 *               first reader                     others
 *     in vain   omega + (1 - omega / t_e) t_c    omega more      [omega >= t_e: t_e and 2 t_e]
 *     found     t_e                              t_e + min(t_e, omega)
 *
 * With P(omega) the probability that no output appears in time, and n upstream tasks read at once,
 * a reader waits in vain for one of them with 1 - (1 - P)^n; then it computes; the task takes the
 * least of its readers. Omega minimises the mean of that over sampled compute times.
 *
 *     paper        here
 *     r, B, alpha  means over reads, weighted by bytes
 *     p_c          omega_missing(), and the power n where a task reads several
 *     clones       any number c: readers 1 .. c-1 are alike
 *
 * Changed: compute times are taken per byte of input. All attempts of a task share its size; were
 * it part of the sample, one more reader would look like a chance of a smaller task. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    OMEGA_BINS = 5,    /* of jobs */
    OMEGA_STEPS = 100, /* candidates: 0, 0.1 s, ... */
    OMEGA_STEP_US = 100000,
    OMEGA_SAMPLES = 256, /* compute times kept */
    OMEGA_SEEN_MIN = 30, /* reads and gaps before an estimate is made */
};

/* Reads of one kind, in sums. */
struct omega_reads {
    double us, bytes;
    uint32_t count;
};

/* The time that a reader computed per byte of its input, until it ended or was stopped. */
struct omega_compute {
    float us;
    bool ended;
};

/* A choice and the estimates behind it. */
struct omega_choice {
    int64_t omega_us;
    double alone_us, shared_us; /* the mean read */
    double missing;             /* P(no other output within omega) */
    double copies;
};

struct omega_bin {
    struct omega_reads alone, shared;
    uint32_t gap_ended[OMEGA_STEPS + 1], gap_censored[OMEGA_STEPS + 1], gaps;
    struct omega_compute computes[OMEGA_SAMPLES];
    uint32_t compute_count; /* number so far; the last OMEGA_SAMPLES are kept */
    double compute_bytes;   /* of all of them */
    double sources;         /* upstream tasks of all of them */
    double copies;          /* of all phases */
    uint32_t phases;
    struct omega_choice choice;
    bool known;
};

/* Zeroed at the start. */
struct omega {
    struct omega_bin bins[OMEGA_BINS];
    int64_t window_from_us;
};

/* The choice for jobs of this bin (1..5), or `prior_us` while there are too few samples. */
int64_t omega_of_bin(const struct omega *o, int bin, int64_t prior_us);

/* Adds a completed read, alone or along with siblings. */
void omega_saw_read(struct omega *o, int bin, int64_t bytes, int64_t took_us, bool alone);

/* Adds the end of another attempt of a won task, `gap_us` after the first: it finished, or was
 * stopped. */
void omega_saw_gap(struct omega *o, int bin, int64_t gap_us, bool finished);

/* Adds the end of a reader of `sources` upstream tasks that computed for `took_us` after its last
 * read, for a task of `bytes` (0: unknown). */
void omega_saw_compute(struct omega *o, int bin, int64_t took_us, int64_t bytes, uint32_t sources,
                       bool finished);

/* Adds a cloned phase that is done. */
void omega_saw_phase(struct omega *o, int bin, uint16_t copies);

/* Chooses anew when the window is over (the first time as soon as there are enough samples).
 * Returns the bins that got a choice: bit 0 is bin 1. */
uint32_t omega_roll(struct omega *o, int64_t now_us, int64_t window_us);

/* The expected time of a task whose readers wait `omega_us`; for tests. */
double omega_expected_us(const struct omega_bin *b, int64_t omega_us);
