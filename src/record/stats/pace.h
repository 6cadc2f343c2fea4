/* pace.h - how long attempts would have taken that were stopped: from what they and their like had
 * reported until then. */
#ifndef RECORD_STATS_PACE_H
#define RECORD_STATS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* An attempt straggles that goes at less than half the median rate of its phase. */
#define PACE_STRAGGLES 2.0

/* What was seen of an attempt. */
struct pace_seen {
    double worked_us; /* until it ended or was told to */
    double fair_us;   /* what its work takes at the median rate; 0: not known */
    double done;      /* share of its work by its last report; 0 or less: it has not reported */
    double step;      /* longest way from one report to the next; 0: `done` is exact */
    double first, first_us; /* what its first report said, and how long after its start */
    bool finished;
};

/* How slow the stragglers of a phase are. Zero-initialise, look at the steps of all attempts, add
 * all of them, then seal. */
struct pace_pool {
    uint32_t known;     /* stragglers that have said how far they were; 0: the rest says nothing */
    double mean;        /* logarithm of their slowdown */
    double mean_var;    /* how well that is known */
    double between_var; /* by how much one differs from another */
    double step;        /* share of the work from one report to the next; 0: none reports */
    double weights, sum, squares, vars; /* until it is sealed */
};
void pace_step(struct pace_pool *p, const struct pace_seen *seen);
void pace_add(struct pace_pool *p, const struct pace_seen *seen);
void pace_seal(struct pace_pool *p);

/* How long the whole work of an attempt takes that was stopped: most likely, and between which two
 * it lies nine times in ten. False when nothing is known: it has not reported, and nobody in its
 * phase has, or no straggler is known there. */
struct pace_guess {
    double us, low_us, high_us;
    double bound_us; /* hardly ever less than this */
};
bool pace_guess(const struct pace_pool *p, const struct pace_seen *seen, struct pace_guess *guess);

/* Its time over the fair one: at least, because its next report had not come; and as its last
 * report says, HUGE_VAL without one. 0 where the fair one is not known. */
double pace_least(const struct pace_pool *p, const struct pace_seen *seen);
double pace_most(const struct pace_pool *p, const struct pace_seen *seen);

#endif
