/* omega.c - the model is in omega.h; this is its arithmetic.
 *
 * A hundred candidates are tried on the same two hundred groups of compute times: cheap (once an
 * hour), without assumptions about the shape of the curve, which has flat parts and steps, and the
 * same on every machine. Rejected: solving for the minimum, which needs a smooth P(omega) that
 * thirty gaps do not give.
 *
 * Most readers are stopped because a sibling was faster, and most upstream attempts because omega
 * was over. Their times are not known, only lower bounds: they are censored, and both distributions
 * are product-limit estimates. Dropping them, or taking the time at which they were stopped, would
 * hide the very stragglers that the other readers are there for. */
#include "core/shuffle/omega.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

enum { DRAWS = 200 }; /* groups of compute times per candidate */

/* ---- what was seen ---- */

int64_t omega_of_bin(const struct omega *o, int bin, int64_t prior_us)
{
    const struct omega_bin *b = &o->bins[bin - 1];
    return b->known ? b->choice.omega_us : prior_us;
}

void omega_saw_read(struct omega *o, int bin, int64_t bytes, int64_t took_us, bool alone)
{
    struct omega_bin *b = &o->bins[bin - 1];
    struct omega_reads *reads = alone ? &b->alone : &b->shared;
    reads->us += (double)took_us;
    reads->bytes += bytes > 0 ? (double)bytes : 1;
    reads->count++;
}

void omega_saw_gap(struct omega *o, int bin, int64_t gap_us, bool finished)
{
    struct omega_bin *b = &o->bins[bin - 1];
    int64_t step = gap_us / OMEGA_STEP_US;
    if (step > OMEGA_STEPS)
        step = OMEGA_STEPS;
    if (finished)
        b->gap_ended[step]++;
    else
        b->gap_censored[step]++;
    b->gaps++;
}

void omega_saw_compute(struct omega *o, int bin, int64_t took_us, int64_t bytes, uint32_t sources,
                       bool finished)
{
    struct omega_bin *b = &o->bins[bin - 1];
    double of = bytes > 0 ? (double)bytes : 1;
    b->computes[b->compute_count++ % OMEGA_SAMPLES] =
        (struct omega_compute){(float)((double)took_us / of), finished};
    b->compute_bytes += of;
    b->sources += sources;
}

void omega_saw_phase(struct omega *o, int bin, uint16_t copies)
{
    struct omega_bin *b = &o->bins[bin - 1];
    b->copies += copies;
    b->phases++;
}

/* ---- what it says ---- */

/* The mean read alone. */
static double read_alone_us(const struct omega_bin *b)
{
    double mean_bytes =
        (b->alone.bytes + b->shared.bytes) / ((double)b->alone.count + b->shared.count);
    return b->alone.us / b->alone.bytes * mean_bytes;
}

/* The same read along with a sibling; twice as long while that was never seen. */
static double read_shared_us(const struct omega_bin *b)
{
    double alone = read_alone_us(b), speed = b->alone.us / b->alone.bytes;
    if (b->shared.count == 0 || speed <= 0)
        return 2 * alone;
    return alone * fmax(1, b->shared.us / b->shared.bytes / speed);
}

/* P(no other output within omega). */
static double omega_missing(const struct omega_bin *b, int64_t omega_us)
{
    double at_risk = b->gaps, missing = 1;
    for (int i = 0; i < OMEGA_STEPS && (int64_t)i * OMEGA_STEP_US < omega_us && at_risk > 0; i++) {
        missing *= 1 - (double)b->gap_ended[i] / at_risk;
        at_risk -= (double)b->gap_ended[i] + (double)b->gap_censored[i];
    }
    return missing;
}

/* One that ended goes before one that was stopped at the same time and had longer to go. */
static bool is_shorter(const void *a, const void *b, const void *ctx)
{
    const struct omega_compute *x = a, *y = b;
    (void)ctx;
    return x->us != y->us ? x->us < y->us : x->ended && !y->ended;
}

/* Compute times of the mean task, as many as were kept, alike in probability: at[i] is the quantile
 * (i + 1/2) / count. What is longer than the longest seen counts as that. Returns their number. */
static uint32_t compute_quantiles(const struct omega_bin *b, double *at)
{
    uint32_t count = b->compute_count < OMEGA_SAMPLES ? b->compute_count : OMEGA_SAMPLES;
    struct omega_compute sorted[OMEGA_SAMPLES];
    double bytes = b->compute_bytes / b->compute_count, longer = 1;
    memcpy(sorted, b->computes, count * sizeof *sorted);
    sort_stable(sorted, count, sizeof *sorted, is_shorter, NULL);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sorted[i].ended)
            longer *= 1 - 1.0 / (count - i);
        if (i + 1 == count)
            longer = 0;
        while (filled < count && (filled + 0.5) / count <= 1 - longer)
            at[filled++] = (double)sorted[i].us * bytes;
    }
    return count;
}

/* The part of the model that depends on omega alone. */
struct reads_us {
    double first, other;
};

static struct reads_us expected_reads(const struct omega_bin *b, double omega_us)
{
    double alone = read_alone_us(b), shared = read_shared_us(b);
    double sources = fmax(1, b->sources / b->compute_count);
    double vain = 1 - pow(1 - omega_missing(b, (int64_t)omega_us), sources);
    bool in_turn = omega_us >= alone; /* one after the other, without meeting */
    double shares = in_turn ? alone : omega_us + (1 - omega_us / alone) * shared;
    return (struct reads_us){vain * shares + (1 - vain) * alone,
                             vain * (in_turn ? 2 * alone : shares + omega_us) +
                                 (1 - vain) * (alone + fmin(alone, omega_us))};
}

/* The mean over the draws of the time of a task. Which samples meet is fixed, so candidates are
 * compared on the same draws. */
static double expected_task(struct reads_us reads, uint32_t copies, const double *compute_us,
                            uint32_t count)
{
    double sum = 0;
    for (uint32_t d = 0; d < DRAWS; d++) {
        double least = INFINITY;
        for (uint32_t k = 0; k < copies; k++) {
            uint64_t pick = ((uint64_t)d * copies + k) * 2654435761U >> 7;
            least = fmin(least, (k ? reads.other : reads.first) + compute_us[pick % count]);
        }
        sum += least;
    }
    return sum / DRAWS;
}

static uint32_t whole_copies(const struct omega_bin *b)
{
    return b->phases ? (uint32_t)(b->copies / b->phases + 0.5) : 2;
}

double omega_expected_us(const struct omega_bin *b, int64_t omega_us)
{
    double compute_us[OMEGA_SAMPLES];
    uint32_t count = compute_quantiles(b, compute_us);
    return expected_task(expected_reads(b, (double)omega_us), whole_copies(b), compute_us, count);
}

/* ---- choosing ---- */

static void omega_choose(struct omega_bin *b)
{
    double compute_us[OMEGA_SAMPLES], best = INFINITY;
    uint32_t count = compute_quantiles(b, compute_us), copies = whole_copies(b);
    int64_t omega_us = 0;
    for (int i = 0; i <= OMEGA_STEPS; i++) {
        struct reads_us reads = expected_reads(b, (double)i * OMEGA_STEP_US);
        double expected = expected_task(reads, copies, compute_us, count);
        if (expected < best * (1 - 1e-9)) {
            best = expected;
            omega_us = (int64_t)i * OMEGA_STEP_US;
        }
    }
    b->choice = (struct omega_choice){omega_us, read_alone_us(b), read_shared_us(b),
                                      omega_missing(b, omega_us), copies};
    b->known = true;
}

uint32_t omega_roll(struct omega *o, int64_t now_us, int64_t window_us)
{
    bool over = now_us - o->window_from_us >= window_us;
    uint32_t chosen = 0;
    for (int i = 0; i < OMEGA_BINS; i++) {
        struct omega_bin *b = &o->bins[i];
        bool enough = b->alone.count >= OMEGA_SEEN_MIN && b->gaps >= OMEGA_SEEN_MIN &&
                      b->compute_count >= OMEGA_SEEN_MIN;
        if (!enough || (!over && b->known))
            continue;
        omega_choose(b);
        chosen |= UINT32_C(1) << i;
        if (over) /* the next window starts from nothing, but this choice stands until then */
            *b = (struct omega_bin){.choice = b->choice, .known = true};
    }
    if (over)
        o->window_from_us = now_us;
    return chosen;
}
