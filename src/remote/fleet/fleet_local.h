/* fleet_local.h - agents on this machine: --on local:N, for tests and for trying agents out. Each
 * has a scratch folder of its own. */
#pragma once

#include "remote/fleet/fleet.h"

/* Opens the fleet. The spec is a number of agents, or MIN-MAX. */
struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err);
