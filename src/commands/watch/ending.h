/* ending.h - estimates when a run will end, from the times of its tasks so far.
 *
 * The work that is left, at the median time of a task of its phase, is divided among the tasks that
 * run now; and the run lasts at least as long as its longest task. The range takes the quarter
 * and the nine-tenths quantile instead of the median. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { ENDING_LOW, ENDING_ABOUT, ENDING_HIGH, ENDING_BOUNDS };

/* Zero-initialise. */
struct ending {
    double left_us[ENDING_BOUNDS], longest_us[ENDING_BOUNDS];
    uint64_t running, waiting, blocked; /* number of tasks; blocked: that wait for other phases */
    const char *unknown; /* a phase with tasks left of which none has ended; NULL: none */
    /* The task that most likely takes longest: its phase, and its number if it runs. */
    const char *longest;
    bool longest_runs;
    uint64_t longest_number;
};

/* Times of the tasks of a phase. */
struct ending_times {
    double us[ENDING_BOUNDS]; /* quantiles; valid if `known` */
    bool known;
};

/* Adds tasks of a phase that wait, `blocked` of them for other phases. Borrows the name. */
void ending_waits(struct ending *e, const struct ending_times *times, const char *phase,
                  uint64_t tasks, uint64_t blocked);

/* The time that a task still needs, by bound; below 0: unknown. */
struct ending_left {
    double us[ENDING_BOUNDS];
};

/* Returns the time that a running attempt still needs, from its age and the share of its work that
 * is done (below 0: unknown). */
struct ending_left ending_attempt(const struct ending_times *times, double age_us, double done);

/* Returns the time that the first of two attempts of a task needs. */
struct ending_left ending_first(struct ending_left a, struct ending_left b);

/* Adds a running task with the user's number of it. Borrows the name. */
void ending_runs(struct ending *e, struct ending_left left, const char *phase, uint64_t number);

/* Returns the time that is left by this bound, in us; below 0 if it cannot be estimated. */
double ending_left_us(const struct ending *e, int bound);

/* Adds in a few words why it ends then, or why that cannot be told: "map/3 runs for 20 s more". */
void ending_why(const struct ending *e, struct str *out);
