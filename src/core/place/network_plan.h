/* network_plan.h - how many tasks of a phase should read in which rack: made once per phase. */
#ifndef CORE_PLACE_NETWORK_PLAN_H
#define CORE_PLACE_NETWORK_PLAN_H

#include "core/brain/seam.h"
#include "core/place/network_solve.h"

enum bandwidth { BANDWIDTH_START, BANDWIDTH_EQUAL, BANDWIDTH_HYBRID };

struct network_params {
    int bandwidth; /* enum bandwidth */
    int64_t long_us;
};

/* What is kept about a phase: one block. */
struct network_plan {
    uint32_t racks;
    bool alike;     /* its tasks are */
    uint32_t *left; /* alike: tasks still to be placed, by rack */
    uint32_t *rack; /* else: of each task */
    double *shared; /* input that every task has, by rack */
    double *up, *down;
    struct network_load load;
};

/* Plans the phase for `racks` racks and says so; NULL, and says why, if there is nothing to choose
 * between. One block, freed with mem_free. */
struct network_plan *network_plan_create(const struct part_ctx *s,
                                         const struct network_params *params, const struct phase *p,
                                         uint32_t racks);

/* Adds what this task reads beyond `shared`, by rack. */
void network_plan_own_row(const struct world *w, const struct phase *p, uint32_t task,
                          uint32_t racks, double *row);

#endif
