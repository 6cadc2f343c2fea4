/* demand.h - the demands of live phases, numbered.
 *
 * Phases that need the same resources share one number. It is freed with the last of them and used
 * again, so that a run in which every phase has a demand of its own keeps no more of them than live
 * at a time. */
#pragma once

#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "core/model/res.h"

struct demand {
    struct res need;
    uint32_t holders; /* 0: the number is free */
    uint32_t next;    /* the next number with the same hash */
};

/* Zero-initialise; free with demand_fini. */
struct demand_table {
    VEC(struct demand) at; /* by number */
    VEC(uint32_t) unused;  /* numbers */
    struct lookup by_hash; /* the first number of each hash */
};

void demand_fini(struct demand_table *t);

/* Returns the number of this demand and adds a hold to it. */
uint32_t demand_hold(struct demand_table *t, const struct res *need);

/* Removes a hold. With the last hold the number is freed, and may become that of another demand. */
void demand_drop(struct demand_table *t, uint32_t number);
