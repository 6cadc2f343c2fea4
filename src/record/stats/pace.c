/* The problem: an attempt that lost its race was stopped when it had done a tenth of its work. How
 * long would all of it have taken? Its own pace is a bad guess after one or two reports, and with
 * none there is nothing to go by at all; but stragglers of one phase are mostly slow for one
 * reason, and some of them have reported more.
 *
 * The method: each attempt that is known to straggle and has reported says how many times slower
 * than the median it works, and how well it knows. It says so twice. Over its whole life it is s =
 * time / (done + a step) / median: half a step for what it has done since its last report, and
 * more because reports are passed on late. That is too much where it needed long to begin, which
 * slow attempts on a busy machine do, and too little where it made a leap before whatever slows it
 * struck. The same since its first report, which was late as well, knows of neither, but of a
 * shorter way: one that has not reported since says only that it did less than a step. The two are
 * joined by how well each is known, and where they are far apart the result is known less well. All
 * this happens with logarithms, because slowdowns are factors.
 *
 * The phase has a mean of them and a variance between stragglers, beyond what steps explain; what
 * steps leave open is much the same for all of them and does not average out. An attempt's slowdown
 * is its own word weighted with that of the others, by how much each is worth (an empirical Bayes
 * estimate): who has reported a lot is believed, who has hardly said anything, or nothing, is taken
 * to be like the others. What it has left to do goes at that pace, from when it was stopped on.
 * Stragglers that ran to their end count with what they took.
 *
 * Rejected: the pace of the attempt alone. On a busy machine it was right in one of four runs: from
 * two reports it made anything between a fifth and three times the truth. And that silence makes an
 * attempt slower than the others: mostly it had only not begun. */
#include "record/stats/pace.h"

#include <math.h>

/* An attempt does not keep its pace: so much its rest differs from what it has done. */
#define UNSTEADY_VAR 0.05
/* What stragglers differ by where only one is known. */
#define BETWEEN_VAR 0.16
/* What it took to begin makes the pace of a whole life say so little about the rest. */
#define LATE_VAR 0.2
/* Nine of ten lie within so many standard deviations. */
#define NINE_OF_TEN 1.645
/* All but one in a hundred are above so many standard deviations below the mean. */
#define BOUND 2.326

/* The share of its work that it has done at most: its next report had not come. */
static double most_done(const struct pace_pool *p, const struct pace_seen *seen)
{
    double step = p->step > 0 && p->step < seen->step ? p->step : seen->step;
    double done = seen->done + step;
    if (seen->finished)
        return 1;
    if (seen->done <= 0) /* silence says something once others have done half of their work */
        done = p->step > 0 && 2 * seen->worked_us > seen->fair_us ? p->step : 1;
    return done < 1 ? done : 1;
}

double pace_least(const struct pace_pool *p, const struct pace_seen *seen)
{
    return seen->fair_us > 0 ? seen->worked_us / most_done(p, seen) / seen->fair_us : 0;
}

double pace_most(const struct pace_pool *p, const struct pace_seen *seen)
{
    if (seen->finished || seen->fair_us <= 0)
        return pace_least(p, seen);
    return seen->done > 0 ? seen->worked_us / seen->done / seen->fair_us : HUGE_VAL;
}

/* The share that it had done when it was stopped, most likely. */
static double likely_done(const struct pace_pool *p, const struct pace_seen *seen)
{
    double most = most_done(p, seen), told = seen->done > 0 ? fmin(seen->done, most) : 0;
    return seen->finished ? 1 : (told + most) / 2;
}

/* Two guesses of one number, each with its variance, become one: the better known counts for more,
 * and where they are far apart neither is believed. */
static void join(double *guess, double *var, double other, double other_var)
{
    double own = other_var / (*var + other_var), apart = other - *guess;
    *guess += (1 - own) * apart;
    *var = own * *var + own * (1 - own) * apart * apart;
}

/* What the attempt itself says of its slowdown: the logarithm, and its variance. False: nothing. */
static bool own_word(const struct pace_pool *p, const struct pace_seen *seen, double *log_s,
                     double *var)
{
    if (seen->worked_us <= 0 || seen->fair_us <= 0 || (!seen->finished && seen->done <= 0))
        return false;
    double done = most_done(p, seen), step = done - seen->done;
    *log_s = log(seen->worked_us / done / seen->fair_us);
    *var = 0;
    if (seen->finished)
        return true;
    if (step > 0) /* else it is exact */
        *var = step * step / 12 / (done * done) + LATE_VAR;
    double since_us = seen->worked_us - seen->first_us, way = seen->done - seen->first;
    bool again = way > 0; /* else it has made less than a step since its first report */
    way += again ? step / 2 : step;
    double since = since_us > 0 && way > 0 ? log(since_us / way / seen->fair_us) : *log_s;
    if (step > 0 && seen->first > 0 && (again ? since_us > 0 : since > *log_s))
        join(log_s, var, since, step * step / 6 / (way * way));
    *var += UNSTEADY_VAR * (1 - done);
    return true;
}

/* The fastest go so far between two reports because reports are passed on from time to time only,
 * and some make a leap at first: the shortest steps are those that attempts really make. */
void pace_step(struct pace_pool *p, const struct pace_seen *seen)
{
    if (seen->step > 0 && seen->done > seen->step && (p->step == 0 || seen->step < p->step))
        p->step = seen->step;
}

void pace_add(struct pace_pool *p, const struct pace_seen *seen)
{
    double log_s, var;
    if (pace_least(p, seen) <= PACE_STRAGGLES || !own_word(p, seen, &log_s, &var) ||
        log_s < log(PACE_STRAGGLES))
        return;
    double weight = 1 / (var + BETWEEN_VAR);
    p->known++;
    p->weights += weight;
    p->sum += weight * log_s;
    p->squares += weight * log_s * log_s;
    p->vars += weight * var;
}

void pace_seal(struct pace_pool *p)
{
    if (p->known == 0)
        return;
    double n = p->known, var = p->vars / p->weights;
    p->mean = p->sum / p->weights;
    /* What they differ by beyond what their steps explain; a few say little about that. */
    double between = p->squares / p->weights - p->mean * p->mean - var;
    p->between_var = (BETWEEN_VAR + (n - 1) * (between > 0 ? between : 0)) / n;
    p->mean_var = p->between_var / n + var;
}

bool pace_guess(const struct pace_pool *p, const struct pace_seen *seen, struct pace_guess *guess)
{
    double log_s = 0, var = 0;
    bool spoke = own_word(p, seen, &log_s, &var);
    bool straggles = pace_least(p, seen) > PACE_STRAGGLES;
    if (seen->fair_us <= 0 || (!spoke && (!straggles || p->known == 0 || p->step <= 0)))
        return false;
    if (!spoke) {
        log_s = p->mean;
        var = p->between_var + p->mean_var;
    } else if (straggles && p->known > 0) {
        double own = p->between_var / (p->between_var + var);
        log_s = p->mean + own * (log_s - p->mean);
        var = own * var + (1 - own) * (1 - own) * p->mean_var;
    }
    double dev = sqrt(var), s = exp(log_s), rest = 1 - likely_done(p, seen);
    double least = seen->worked_us / seen->fair_us;
    double floor = straggles ? fmax(least, PACE_STRAGGLES) : least, out = exp(NINE_OF_TEN * dev);
    guess->us = seen->fair_us * fmax(least + rest * s, floor);
    guess->low_us = seen->fair_us * fmax(least + rest * s / out, floor);
    guess->high_us = seen->fair_us * fmax(least + rest * s * out, floor);
    guess->bound_us = seen->fair_us * fmax(least + rest * s / exp(BOUND * dev), floor);
    return true;
}
