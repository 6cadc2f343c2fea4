/* cost_cap.h - what extra attempts may cost: no more of any resource per trailing window (an
 * hour, unless set otherwise) than a share of what the cluster has, spread over the window. In
 * other words, their dominant share.
 *
 * One rule around every mitigation, so that policies can be compared at equal cost. What counts is
 * what statistics call extra: attempts beyond one per unfinished task, from the decision to launch
 * them to their confirmed end. An account of one resource, and below it what the brain refuses and
 * ends by it. */
#ifndef CORE_BRAIN_COST_CAP_H
#define CORE_BRAIN_COST_CAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/reason.h"
#include "core/model/res.h"

struct brain;
struct phase;

enum { COST_CAP_STEPS = 60 }; /* by which the trailing window moves */

/* Of the resource, in the units of struct res, x microseconds. Whole numbers, and exact up to a
 * month of a large cluster. */
typedef double cost_cap_area;

struct cost_cap {
    double share; /* >= 1: there is no cap */
    int64_t step_us;
    int64_t now_us, held;   /* how much is held since now_us */
    int64_t bucket_from_us; /* the newest one's */
    cost_cap_area bucket[COST_CAP_STEPS + 1],
        sum; /* `at` is the newest, the one behind it the oldest */
    uint32_t at;
    cost_cap_area taken; /* out of the store of tokens; more than it has: kills take their time */
    int64_t capacity;    /* of the cluster, since now_us */
};

void cost_cap_init(struct cost_cap *c, double share, int64_t window_us);

/* The same extra attempts were held until now, and the cluster has `capacity` from now on. */
void cost_cap_advance(struct cost_cap *c, int64_t now_us, int64_t capacity);

/* What may be spent in a window. */
cost_cap_area cost_cap_limit(const struct cost_cap *c);

/* How much of what is held may go on, after cost_cap_advance: all while there are tokens, then what
 * comes in evenly, and none once the window's limit is met. */
double cost_cap_may_hold(const struct cost_cap *c);

/* Whether `more` could go on for a step beside all that is held. */
bool cost_cap_allows(const struct cost_cap *c, int64_t more);

/* When to look again if nothing changes; 0: never. `waits`: an attempt would like to hold more. */
int64_t cost_cap_next_us(const struct cost_cap *c, bool waits);

/* ---- of a brain, for all resources ---- */

void cost_cap_begin(struct brain *b);

/* A turn begins: time has passed, the capacity may be another. */
void cost_cap_turn(struct brain *b);

/* So many extra attempts of the phase are held from now on; negative: not any more. */
void cost_cap_hold(struct brain *b, const struct phase *p, int64_t attempts);

/* The first resource of which extra attempts may not hold so much more, or -1. */
int cost_cap_lacks(const struct brain *b, const struct res_sum *more);

/* What was spent of it, and what may be; of cpu in slot-seconds. */
struct reason cost_cap_reason(const struct brain *b, int resource);

/* Whether the cap forbids one more extra attempt of the phase; a verdict says so the first time. */
bool cost_cap_forbids(struct brain *b, const struct phase *p);

/* Ends what the cap does not allow to go on, the newest first. What was asked to end before is not
 * ended twice: only what is wanted beyond the limit goes. */
void cost_cap_enforce(struct brain *b);

/* Asks for a timer for when that may change. */
void cost_cap_ask(struct brain *b);

#endif
