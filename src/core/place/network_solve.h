/* network_solve.h - in which racks to put tasks so that no rack's link is busy for long.
 *
 * A task reads the data of its own rack for nothing; all other data leaves its rack through the
 * link up and enters the task's rack through the link down. The cost of a plan is the longest time
 * that any of these links is busy: the maximum over racks i of out_i / up_i and in_i / down_i.
 * Plain numbers in and out, so that it can be checked by hand and by enumeration. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The search is exact up to this number of plans. */
enum { NETWORK_PLANS_MAX = 100 * 1000 };

struct network_problem {
    uint32_t racks;          /* > 0 */
    uint32_t rows;           /* kinds of tasks; > 0 */
    const uint32_t *count;   /* tasks of each kind */
    const double *input;     /* bytes of a task of kind k in rack r: input[k * racks + r] */
    const double *up, *down; /* > 0: bytes per second that each rack's links can carry */
};

struct network_result {
    double worst_s; /* the cost */
    bool exact;     /* there is no better plan */
};

/* Fills plan[k * racks + r] with the number of tasks of kind k for rack r. Exact if all tasks are
 * alike, whatever their number, or if there are at most NETWORK_PLANS_MAX plans; else the best of a
 * greedy plan and of single moves and exchanges that improve it. `start` selects the first of
 * equally good racks, so that not every plan begins with rack 0. */
struct network_result network_solve(const struct network_problem *p, uint32_t start,
                                    uint32_t *plan);

/* Solves the same problem without the exact search, for comparison. */
struct network_result network_solve_greedy(const struct network_problem *p, uint32_t start,
                                           uint32_t *plan);

/* The cost of a plan. */
double network_solve_cost(const struct network_problem *p, const uint32_t *plan);

/* The number of plans, or NETWORK_PLANS_MAX + 1 if there are more. */
uint32_t network_solve_plans(const struct network_problem *p);

/* Planned traffic of each rack, for placing one more task. */
struct network_load {
    uint32_t racks;
    double *out, *in;        /* bytes */
    const double *up, *down; /* bytes per second */
};

/* The rack in which one more task with this input costs least, among those allowed (NULL: all); at
 * equal cost the one that moves the fewest bytes. UINT32_MAX if none is allowed. */
uint32_t network_solve_best_rack(const struct network_load *l, const double *input, uint32_t start,
                                 const bool *allowed);

/* Adds a task to a rack (sign 1), or removes it again (-1). */
void network_solve_load_add(struct network_load *l, const double *input, uint32_t rack,
                            double sign);
