/* slowness.c - the curve in bins of an eighth of an octave, worked out when it is asked for.
 *
 * Within a bin attempts that end and attempts that are stopped take turns. Beyond the last bin in
 * which any ended nothing is known: the rest is taken to be as long as the attempt has run, which
 * is a Pareto tail of shape 2. */
#include "core/estimate/slowness.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* 2 to the power of -8/8, -7/8, ... -1/8. */
static const double parts[SLOWNESS_PER_OCTAVE] = {
    0.5,
    0.54525386633262884,
    0.59460355750136051,
    0.64841977732550482,
    0.70710678118654757,
    0.77110541270397037,
    0.8408964152537145,
    0.91700404320467122,
};

static double bin_from(int bin)
{
    return ldexp(parts[bin % SLOWNESS_PER_OCTAVE], bin / SLOWNESS_PER_OCTAVE - 2);
}

/* frexp of a positive number that is not tiny, without a call: looks ask for little else. */
static inline double octave_of(double x, int *octave)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    *octave = (int)(bits >> 52) - 1022;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1022) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int bin_of(double ratio)
{
    if (!(ratio > 1.0 / 8))
        return 0;
    if (ratio >= 128)
        return SLOWNESS_BINS - 1;
    int octave, part = 0;
    double of_octave = octave_of(ratio, &octave);
    for (int i = 1; i < SLOWNESS_PER_OCTAVE; i++)
        part += of_octave >= parts[i];
    return (octave + 2) * SLOWNESS_PER_OCTAVE + part;
}

static int scale_of(double healthy_s)
{
    if (!(healthy_s > 1e-6))
        return 0;
    int octave;
    octave_of(healthy_s, &octave); /* healthy_s is below 2^octave, by half at most */
    int scale = (octave + 15) / 2;
    return scale < 0 ? 0 : scale < SLOWNESS_SCALES ? scale : SLOWNESS_SCALES - 1;
}

static void fade(struct slowness_curve *c)
{
    for (int i = 0; i < SLOWNESS_BINS; i++) {
        c->ended[i] /= 2;
        c->censored[i] /= 2;
    }
    c->count /= 2;
    c->known /= 2;
}

static void add(struct slowness_curve *c, int bin, bool finished)
{
    (finished ? c->ended : c->censored)[bin]++;
    c->count++;
    c->known += finished;
    c->fresh = false;
    if (c->known >= SLOWNESS_KNOWN_MAX)
        fade(c);
}

void slowness_add(struct slowness *s, double healthy_s, double ratio, bool finished)
{
    int bin = bin_of(ratio);
    add(&s->at[scale_of(healthy_s)], bin, finished);
    add(&s->at[SLOWNESS_SCALES], bin, finished);
}

/* Fills `survive` as far as attempts have ended. Returns the bin behind the last in which one did.
 */
static int product_limit(struct slowness_curve *c)
{
    double at_risk = c->count, survive = 1;
    int last = 0;
    for (int i = 0; i < SLOWNESS_BINS; i++) {
        c->survive[i] = (float)survive;
        double leaving = c->ended[i] + c->censored[i], after = at_risk - leaving;
        if (at_risk > 1 && c->ended[i] > 0) {
            survive *= pow((after > 0.5 ? after : 0.5) / at_risk, c->ended[i] / leaving);
            last = i + 1;
        }
        at_risk = after;
    }
    c->survive[last] = (float)survive;
    return last;
}

__attribute__((noinline)) static void work_out(struct slowness_curve *c)
{
    int last = product_limit(c);
    double from = bin_from(last), survive = c->survive[last], beyond = survive * from;
    for (int i = last + 1; i <= SLOWNESS_BINS; i++) {
        double shrunk = from / bin_from(i);
        c->survive[i] = (float)(survive * shrunk * shrunk);
        c->beyond[i] = (float)(survive * shrunk * from);
    }
    c->beyond[last] = (float)beyond;
    for (int i = last - 1; i >= 0; i--) {
        beyond += (c->survive[i] + c->survive[i + 1]) / 2 * (bin_from(i + 1) - bin_from(i));
        c->beyond[i] = (float)beyond;
    }
    c->fresh = true;
}

static const struct slowness_curve *curve_of(struct slowness *s, double healthy_s)
{
    struct slowness_curve *c = &s->at[scale_of(healthy_s)];
    if (c->known < SLOWNESS_KNOWN_MIN)
        c = &s->at[SLOWNESS_SCALES];
    if (!c->fresh)
        work_out(c);
    return c;
}

double slowness_known(const struct slowness *s, double healthy_s)
{
    double of_scale = s->at[scale_of(healthy_s)].known, of_all = s->at[SLOWNESS_SCALES].known;
    return of_scale < SLOWNESS_KNOWN_MIN ? of_all : of_scale;
}

double slowness_chance(struct slowness *s, double healthy_s, double x)
{
    const struct slowness_curve *c = curve_of(s, healthy_s);
    double weight = c->known < SLOWNESS_KNOWN_MIN ? c->known / SLOWNESS_KNOWN_MIN : 1;
    return weight * c->survive[bin_of(x)] + (1 - weight) * SLOWNESS_PRIOR;
}

double slowness_rest(struct slowness *s, double healthy_s, double x)
{
    const struct slowness_curve *c = curve_of(s, healthy_s);
    int bin = bin_of(x);
    if (c->known < SLOWNESS_KNOWN_MIN || bin == SLOWNESS_BINS - 1)
        return x > 1 ? x : 1;
    return c->beyond[bin] / c->survive[bin];
}
