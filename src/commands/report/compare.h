/* compare.h - the same jobs in several runs, and their mean times by size.
 *
 * Jobs are the same when number, name and number of tasks are: all runs read the same workload. */
#pragma once

#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"
#include "commands/report/read_run.h"

enum { COMPARE_RUNS = 6, COMPARE_BINS = 5 };

/* A job in all runs. */
struct compared {
    const struct gather_job *job[COMPARE_RUNS];
    int64_t gain_us; /* how much sooner or later it ends in the run that is best */
};

struct comparison {
    struct read_run runs[COMPARE_RUNS]; /* the others are compared with the first */
    uint32_t count;
    VEC(struct compared) jobs; /* done in all runs */
};

/* Finds the jobs that are done in all runs. */
void compare_match(struct comparison *c);

/* Jobs of any size. */
enum { COMPARE_ALL = -1 };

/* Returns the number of jobs of this size. */
uint32_t compare_jobs(const struct comparison *c, int bin);

/* Returns the mean time of jobs of this size in a run; NAN without one. */
double compare_mean_s(const struct comparison *c, uint32_t run, int bin);

/* Returns the change from the first run to another, as a share of the first: -0.4. */
double compare_change(const struct comparison *c, uint32_t run, int bin);

/* Returns the run, other than the first, in which jobs ended soonest. */
uint32_t compare_best(const struct comparison *c);

/* Returns the name of a size, in numbers of tasks: "11-50". */
const char *compare_bin_name(int bin);

/* Adds the result in a few words, and the two means in brackets, if there are jobs. */
void compare_headline(const struct comparison *c, struct str *text, struct str *range);

/* Adds at most five sentences, each followed by a newline. */
void compare_sentences(const struct comparison *c, struct str *out);

/* A job is faster or slower only if it is so by more than this share. */
#define COMPARE_SAME 0.01
