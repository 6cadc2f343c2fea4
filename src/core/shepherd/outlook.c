#include "core/shepherd/outlook.h"

#include <math.h>

#define TELLING_AGE 0.4 /* healthy times from which on a single report shows a pace */

/* The rest of an attempt that has reached x healthy times, by the curve. */
static double rest_s(const struct outlook_facts *f, struct slowness *curve, double x)
{
    return slowness_rest(curve, f->healthy_s, x) * f->healthy_s;
}

/* A single report that comes before the start should be over shows nothing. */
static double left_from_start(const struct outlook_facts *f)
{
    double worked_s = f->report_s - f->start_s;
    return (worked_s > 0 ? f->start_s + worked_s / f->share : f->healthy_s) - f->age_s;
}

static double left_by_age(const struct outlook_facts *f, struct slowness *curve)
{
    double x = f->age_s / f->healthy_s;
    double left = x < 1 ? f->healthy_s - f->age_s : rest_s(f, curve, x);
    double silent = f->first_s > 0 && f->age_s > f->first_s ? f->age_s / f->first_s : 0;
    return fmax(left, silent * f->healthy_s - f->age_s);
}

static double left_by_reports(const struct outlook_facts *f, struct slowness *curve, double pace)
{
    if (f->age_s < outlook_steady_s(pace, f->lately_s))
        return outlook_steady_left_s(f->age_s, f->report_s, f->share, f->lately_s);
    if (f->lately_s <= 0 && f->start_s > 0)
        return left_from_start(f);
    if (f->lately_s <= 0 && f->age_s < TELLING_AGE * f->healthy_s)
        return f->healthy_s - f->age_s;
    double slower = 0;
    if (pace > OUTLOOK_ON_TIME * f->healthy_s)
        slower = rest_s(f, curve, pace / f->healthy_s);
    return pace + slower - f->age_s;
}

double outlook_stuck_left_s(double age_s, double healthy_s, struct slowness *curve)
{
    double x = age_s / healthy_s;
    return slowness_rest(curve, healthy_s, x > OUTLOOK_STRAGGLES ? x : OUTLOOK_STRAGGLES) *
           healthy_s;
}

struct outlook_end outlook_of(const struct outlook_facts *f, struct slowness *curve)
{
    double pace = outlook_pace_s(f->report_s, f->share), left;
    double stuck_s = outlook_stuck_s(f->report_s, pace, f->still);
    if (stuck_s > 0 && f->age_s >= stuck_s)
        left = outlook_stuck_left_s(f->age_s, f->healthy_s, curve);
    else if (pace > 0)
        left = left_by_reports(f, curve, pace);
    else
        left = left_by_age(f, curve);
    return outlook_end_of(left > 0 ? left : 0, f->age_s, f->healthy_s);
}
