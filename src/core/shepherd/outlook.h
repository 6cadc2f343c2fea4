/* outlook.h - when a running attempt will end, by its reports or by its age. */
#pragma once

#include <stdbool.h>

#include "core/estimate/slowness.h"

/* An attempt that takes more than this many healthy times straggles. */
#define OUTLOOK_STRAGGLES 1.5

/* The facts about a running attempt, in seconds. */
struct outlook_facts {
    double healthy_s; /* time of a healthy attempt, above 0 */
    double age_s;
    double report_s; /* age at its last report; 0: it has never reported */
    double share;    /* of its work that was done then */
    double lately_s; /* for all its work, by its last two reports; 0: there were none */
    bool still;      /* the last two reported the same */
    double first_s;  /* age by which others of its phase had reported; 0: unknown */
    double start_s;  /* time that these take at most until they begin to work; 0: unknown */
};

struct outlook_end {
    double left_s;
    bool late; /* a fresh attempt should end sooner, and it is not on time */
};

#define OUTLOOK_ON_TIME 1.2 /* healthy times in all */

static inline struct outlook_end outlook_end_of(double left_s, double age_s, double healthy_s)
{
    return (struct outlook_end){left_s, left_s > healthy_s &&
                                            age_s + left_s > OUTLOOK_ON_TIME * healthy_s};
}

/* Returns the time in all at the pace until the last report; 0 if there was none. */
static inline double outlook_pace_s(double report_s, double share)
{
    return report_s > 0 && share > 0 ? report_s / share : 0;
}

#define OUTLOOK_PACE_SLACK 1.1 /* a pace is kept up to this factor */

/* Returns the age up to which 2. below applies, as long as there is no new report; 0: it does
 * not. */
static inline double outlook_steady_s(double pace_s, double lately_s)
{
    double until_s = OUTLOOK_PACE_SLACK * pace_s;
    return lately_s > 0 && lately_s < until_s ? until_s : 0;
}

/* Returns the age from which 1. below applies, as long as there is no new report; 0: it does
 * not. */
static inline double outlook_stuck_s(double report_s, double pace_s, bool still)
{
    return still && report_s > 0 ? report_s : OUTLOOK_PACE_SLACK * pace_s;
}

/* Returns what 1. says. */
double outlook_stuck_left_s(double age_s, double healthy_s, struct slowness *curve);

/* Returns what 2. says, of such facts. */
static inline double outlook_steady_left_s(double age_s, double report_s, double share,
                                           double lately_s)
{
    double left = lately_s * (1 - share) - (age_s - report_s);
    return left > 0 ? left : 0;
}

/* Returns when the attempt will end, by the first of these that applies:
 *
 *   1. it does not move, or is older than 1.1 times its pace: the rest by the curve, as of one that
 *      has reached OUTLOOK_STRAGGLES at least
 *   2. its last two reports show less than 1.1 times its pace: by these two
 *   3. it has reported once: by its pace from its start on, if it is known how long others take to
 *      start; if not, and it is younger than 0.4 healthy times, as a healthy one
 *   4. it has slowed down: by its pace; and if that is beyond 1.2 healthy times, the rest by the
 *      curve on top
 *   5. it has never reported: as a healthy one, and once it is older than that, the rest by the
 *      curve; if others had reported by its age, at least as many times longer than a healthy one
 *      as it is late with that
 *
 * It is late if it has more than a healthy time left and will take more than 1.2 in all. */
struct outlook_end outlook_of(const struct outlook_facts *f, struct slowness *curve);
