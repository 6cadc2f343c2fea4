/* fleet_slurm.h - agents on nodes allocated by Slurm: --on slurm:4, --on slurm:2-10. */
#pragma once

#include "remote/fleet/fleet.h"

/* Opens the fleet (struct fleet_way). Inside an allocation (SLURM_JOB_ID) uses its nodes
 * (slurm_alloc.h); else asks for blocks of them (slurm_batch.h). */
struct fleet *fleet_slurm_open(const struct fleet_options *options, struct err *err);
