/* slurm_alloc.h - agents on the nodes of the allocation that dolly runs in. */
#pragma once

#include "remote/fleet/fleet.h"

/* Opens a fleet on the nodes of the allocation, up to `max`. Returns NULL with *err if it has fewer
 * than `min`. */
struct fleet *slurm_alloc_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err);
