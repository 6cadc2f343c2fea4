/* bid.h - what a copy is worth: seconds by which it shortens its phase, per slot-second that it
 * takes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The least value at which a copy is made; of a rescue, as if its task alone were late. */
#define BID_RESCUE_MIN 0.1
#define BID_HEDGE_MIN 0.002

/* The same of a rescue that may crowd others' reads, unless it is one of few: at even odds its task
 * has three times as long to go as the copy takes. */
#define BID_CROWDING_MIN 0.5

/* The least value of any copy when the cap's store is empty. */
#define BID_LEAST_MOST 0.3

/* A straggler that is noticed and rescued delays its phase by about this many healthy times. */
#define BID_DELAY 1.3

/* Returns the slot-seconds that a copy of a task that has `left_s` to go takes: `fresh_s` if it
 * wins, which it does with the chance `luck`; one that loses runs until the task ends. */
double bid_takes(double left_s, double fresh_s, double luck);

/* Returns the value of a copy of a late task that has `left_s` to go in a phase whose other tasks
 * end in `deadline_s`, and none of which is late. At most 0: it is worth nothing. */
double bid_rescue(double left_s, double fresh_s, double deadline_s, double luck);

/* Returns what a copy must be worth, with its share of what its phase gains (share.h), once the
 * part `spent` of what the cap has in store is gone: hardly anything until half of it is,
 * BID_LEAST_MOST at last. So what arrives steadily is left to copies that save more with it, of
 * small jobs mostly.
 */
double bid_least(double spent);

/* Returns true if a copy of a task should free more slot-seconds than it takes: the task's
 * `attempts`, which have `left_s` to go, end with the copy if it wins. */
bool bid_frees(double left_s, double fresh_s, uint32_t attempts, double luck);

/* The chance that an attempt of a phase straggles, as far as it is known: a beta distribution. */
struct bid_chance {
    double mean;
    double worth; /* attempts that it is known from, above 0 */
};

/* Returns the chance that all of these attempts straggle: the mean of p^attempts, which is above
 * the power of the mean. Attempts of one task share a p that is not known. */
double bid_all_straggle(struct bid_chance p, uint32_t attempts);

/* A task that is on time. */
struct bid_hedged {
    double left_s, healthy_s;
    struct bid_chance straggles; /* of an attempt of the phase */
    double gone;     /* share of the task's time that is over: it can only straggle in the rest */
    uint32_t copies; /* attempts that it has and that are on time */
    uint32_t tasks;  /* unfinished ones of its phase, itself included */
};

/* Returns the chance that all attempts of the task straggle. */
double bid_straggles(const struct bid_hedged *h);

/* Returns the value of one more copy of the task. If each of n tasks straggles with probability q,
 * their phase is on time with probability (1 - q)^n; with one more copy of each, with probability
 * (1 - q')^n. The task's part of the difference, times the delay, over the time that the copy
 * runs. */
double bid_hedge(const struct bid_hedged *h, double luck);

/* Returns true if a copy that takes `fresh_s` and does not start before the next looks, `look_s`
 * apart, would miss the deadline: now is the time for it. */
bool bid_is_due(double fresh_s, double deadline_s, double look_s);
