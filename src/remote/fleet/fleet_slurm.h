/* fleet_slurm.h - agents on nodes that Slurm gives us: --on slurm:4, --on slurm:2-10. */
#ifndef REMOTE_FLEET_FLEET_SLURM_H
#define REMOTE_FLEET_FLEET_SLURM_H

#include "remote/fleet/fleet.h"

/* Inside an allocation (SLURM_JOB_ID) its nodes are taken (slurm_alloc.h); else blocks of them are
 * asked for (slurm_batch.h). See struct fleet_way. */
struct fleet *fleet_slurm_open(const struct fleet_options *options, struct err *err);

#endif
