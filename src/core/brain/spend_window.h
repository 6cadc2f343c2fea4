/* spend_window.h - an account of the spending of one resource in a trailing window, and how much
 * more may be held.
 *
 * Spending is holding: an amount of the resource times the microseconds for which it was held. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SPEND_STEPS = 60 }; /* the window moves by whole steps, which are this part of it */

/* In the units of struct res x microseconds. Whole numbers, and exact up to a month of a large
 * cluster. */
typedef double spend_area;

struct spend_window {
    double share; /* of the cluster that may be spent; >= 1: all */
    int64_t step_us;
    int64_t now_us, held;   /* the amount that is held since now_us */
    int64_t bucket_from_us; /* when the newest bucket began */
    spend_area bucket[SPEND_STEPS + 1];
    spend_area sum; /* of the buckets; `at` is the newest, the one behind it the oldest */
    uint32_t at;
    spend_area taken; /* out of the store of tokens; more than it has: kills take their time */
    int64_t capacity; /* of the cluster, since now_us */
};

/* Begins an account in which nothing is held, at time 0. */
void spend_window_init(struct spend_window *c, double share, int64_t window_us);

/* Books the use until now; from now on the cluster has this capacity. */
void spend_window_advance(struct spend_window *c, int64_t now_us, int64_t capacity);

/* Returns how much may be spent in a window. */
spend_area spend_window_limit(const struct spend_window *c);

/* Returns how much may still be held, after spend_window_advance: all while there are tokens, then
 * the steady income, and nothing once the window's limit is met. */
double spend_window_may_hold(const struct spend_window *c);

/* Returns the part of the store of tokens that is spent, 0 to 1, after spend_window_advance. */
double spend_window_spent(const struct spend_window *c);

/* Returns true if `more` could be held for a step in addition to the present amount. */
bool spend_window_allows(const struct spend_window *c, int64_t more);

/* Returns when the answers above change by themselves; 0: never. `waits`: an attempt would like to
 * hold more. */
int64_t spend_window_next_us(const struct spend_window *c, bool waits);
