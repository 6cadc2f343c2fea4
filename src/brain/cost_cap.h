/* cost_cap.h - what extra attempts may cost: no more slot-seconds per trailing hour than a share of
 * what the cluster has, spread over the hour.
 *
 * One rule around every mitigation, so that policies can be compared at equal cost. What counts is
 * what statistics call extra: attempts beyond one per unfinished task, from the decision to launch
 * them to their confirmed end. An account, and below it what the brain refuses and ends by it. */
#ifndef BRAIN_COST_CAP_H
#define BRAIN_COST_CAP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/reason.h"

struct brain;
struct phase;

enum { COST_CAP_STEPS = 60 }; /* by which the trailing hour moves */

/* Thousandths of a slot x microseconds. Whole numbers, and exact up to a month of a large cluster.
 */
typedef double cost_cap_area;

struct cost_cap {
    double share; /* >= 1: there is no cap */
    int64_t step_us;
    int64_t now_us, held;   /* thousandths of a slot that are held since now_us */
    int64_t bucket_from_us; /* the newest one's */
    cost_cap_area bucket[COST_CAP_STEPS + 1],
        sum; /* `at` is the newest, the one behind it the oldest */
    uint32_t at;
    cost_cap_area taken; /* out of the store of tokens; more than it has: kills take their time */
    int64_t capacity;    /* thousandths of slots of the cluster, since now_us */
    bool said;           /* a verdict since the last extra launch says why there is none */
};

void cost_cap_init(struct cost_cap *c, double share, int64_t window_us);

/* The same extra attempts were held until now, and the cluster has `capacity` thousandths of
 * slots from now on. */
void cost_cap_advance(struct cost_cap *c, int64_t now_us, int64_t capacity);

/* What may be spent in a window. */
cost_cap_area cost_cap_limit(const struct cost_cap *c);

/* How many of the thousandths of a slot that are held may go on, after cost_cap_advance: all while
 * there are tokens, then what comes in evenly, and none once the window's limit is met. */
double cost_cap_may_hold(const struct cost_cap *c);

/* Whether `more` thousandths of a slot could go on for a step beside all that is held. */
bool cost_cap_allows(const struct cost_cap *c, int64_t more);

/* When to look again if nothing changes; 0: never. */
int64_t cost_cap_next_us(const struct cost_cap *c);

/* ---- of a brain ---- */

/* What was spent, and what may be. */
struct reason cost_cap_reason(const struct brain *b);

/* Whether the cap forbids one more extra attempt of the phase; a verdict says so the first time. */
bool cost_cap_forbids(struct brain *b, const struct phase *p);

/* Ends what the cap does not allow to go on, the newest first. What was asked to end before is not
 * ended twice: only what is wanted beyond the limit goes. */
void cost_cap_enforce(struct brain *b);

/* Asks for a timer for when that may change. */
void cost_cap_ask(struct brain *b);

#endif
