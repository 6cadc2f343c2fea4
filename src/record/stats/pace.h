/* pace.h - estimates how long stopped attempts would have taken, from the reports of them and of
 * similar ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An attempt straggles if its rate is less than half the median rate of its phase. */
#define PACE_STRAGGLES 2.0

/* Observations of an attempt. */
struct pace_seen {
    double worked_us; /* until it ended or was stopped */
    double fair_us;   /* duration of its work at the median rate; 0: not known */
    double done;      /* share of its work by its last report; 0 or less: it has not reported */
    double step;      /* largest step from one report to the next; 0: `done` is exact */
    double first, first_us; /* share at its first report, and how long after its start */
    bool finished;
};

/* The slowness of the stragglers of a phase. Zero-initialise, call pace_step for all attempts,
 * pace_add for all of them, then pace_seal. */
struct pace_pool {
    uint32_t known; /* number of stragglers that have reported; 0: the other fields are not valid */
    double mean;    /* logarithm of their slowdown */
    double mean_var;    /* its variance */
    double between_var; /* variance between stragglers */
    double step;        /* share of the work from one report to the next; 0: none reports */
    double weights, sum, squares, vars; /* until it is sealed */
};
void pace_step(struct pace_pool *p, const struct pace_seen *seen);
void pace_add(struct pace_pool *p, const struct pace_seen *seen);
void pace_seal(struct pace_pool *p);

/* The duration of the whole work of a stopped attempt: most likely, and the range in which it is
 * nine times in ten. */
struct pace_guess {
    double us, low_us, high_us;
    double bound_us; /* hardly ever less than this */
};

/* Estimates it. Returns false if nothing is known: neither it nor another attempt of its phase has
 * reported, or no straggler is known there. */
bool pace_guess(const struct pace_pool *p, const struct pace_seen *seen, struct pace_guess *guess);

/* Returns the lower bound of its duration over the fair one, because its next report had not
 * arrived. 0 if the fair one is not known. */
double pace_least(const struct pace_pool *p, const struct pace_seen *seen);

/* Returns the same by its last report, HUGE_VAL without one. 0 if the fair one is not known. */
double pace_most(const struct pace_pool *p, const struct pace_seen *seen);
