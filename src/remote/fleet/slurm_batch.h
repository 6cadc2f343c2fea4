/* slurm_batch.h - agents on nodes that batch jobs of Slurm get. */
#pragma once

#include "remote/fleet/fleet.h"

/* Opens the fleet. Returns NULL with *err on failure. */
struct fleet *slurm_batch_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err);
