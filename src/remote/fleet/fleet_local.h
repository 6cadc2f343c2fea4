/* fleet_local.h - agents on this machine: --on local:N, for tests and for people who want to see
 * how it works. Each has scratch of its own. */
#ifndef REMOTE_FLEET_FLEET_LOCAL_H
#define REMOTE_FLEET_FLEET_LOCAL_H

#include "remote/fleet/fleet.h"

/* The spec is a number of agents, or two, least and most. */
struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err);

#endif
