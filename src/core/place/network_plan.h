/* network_plan.h - how many tasks of a phase should read in which rack: made once per phase. */
#pragma once

#include "core/brain/seam.h"
#include "core/place/network_solve.h"

enum bandwidth { BANDWIDTH_START, BANDWIDTH_EQUAL, BANDWIDTH_HYBRID };

struct network_params {
    int bandwidth; /* enum bandwidth */
    int64_t long_us;
};

/* The plan of a phase, in one block. */
struct network_plan {
    uint32_t racks;
    bool alike;     /* all its tasks have the same input */
    uint32_t *left; /* alike: tasks not placed yet, by rack */
    uint32_t *rack; /* else: of each task */
    double *shared; /* input that all tasks share, by rack */
    double *up, *down;
    struct network_load load;
};

/* Plans the phase for `racks` racks and records the plan as a decision; returns NULL, and records
 * why, if there is no choice. Free with mem_free. */
struct network_plan *network_plan_create(const struct part_ctx *s,
                                         const struct network_params *params, const struct phase *p,
                                         uint32_t racks);

/* Adds the input of this task beyond `shared` to `row`, by rack. */
void network_plan_own_row(const struct world *w, const struct phase *p, uint32_t task,
                          uint32_t racks, double *row);
