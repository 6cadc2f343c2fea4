/* cost_cap.h - a limit of the cost of extra attempts: no more of any resource per trailing window
 * (an hour, unless set otherwise) than a share of what the cluster has, spread over the window. In
 * other words, their dominant share.
 *
 * One rule around every mitigation, so that policies can be compared at equal cost. What counts is
 * what statistics call extra: attempts beyond one per unfinished task, from the decision to launch
 * them to their confirmed end. cost_cap_trim.h ends those that may not go on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/spend_window.h"
#include "core/model/reason.h"
#include "core/model/res.h"

struct brain;
struct phase;

struct cost_cap {
    struct spend_window of[RES_COUNT];
    bool explained; /* a verdict since the last extra launch has given the reason */
};

/* Begins the accounts as the policy says. */
void cost_cap_begin(struct brain *b);

/* Brings the accounts up to the present: time has passed, and the capacity may have changed. */
void cost_cap_turn(struct brain *b);

/* Books that many more extra attempts of the phase as held; with a negative number, as ended. Only
 * where there is a cap. */
void cost_cap_hold(struct brain *b, const struct phase *p, int64_t attempts);

/* Returns the first resource of which extra attempts may not hold that much more, or -1. */
int cost_cap_lacks(const struct brain *b, const struct res_sum *more);

/* Returns the part that is spent of the tokens in store, 0 to 1, of the resource of the phase's
 * demand of which it is most; 0: there is no cap. */
double cost_cap_spent(const struct brain *b, const struct phase *p);

/* Returns the reason that names how much was spent of the resource, and how much may be; of cpu in
 * slot-seconds. */
struct reason cost_cap_reason(const struct brain *b, int resource);

/* Returns true if the cap forbids one more extra attempt of the phase; the first time, a verdict
 * gives the reason. */
bool cost_cap_forbids(struct brain *b, const struct phase *p);

/* Asks for a timer for the time at which the cap may forbid or allow more. */
void cost_cap_ask(struct brain *b);
