/* slurm_batch.h - agents on nodes that we ask Slurm for, by batch jobs. */
#ifndef FLEET_SLURM_BATCH_H
#define FLEET_SLURM_BATCH_H

#include "fleet/fleet.h"

/* NULL with *err. */
struct fleet *slurm_batch_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err);

#endif
