/* fleet_ways.h - the table of all ways of starting agents, and how each is opened. */
#pragma once

#include "remote/fleet/fleet.h"

/* Returns the way of "WAY:SPEC", and sets *spec to the part after the colon. Returns NULL with *err
 * on failure. */
const struct fleet_way *fleet_ways_find(const char *on, const char **spec, struct err *err);

/* Opens agents on this machine, for tests and for trying agents out. Each has a scratch folder of
 * its own. The spec is a number of agents, or MIN-MAX. */
struct fleet *fleet_local_open(const struct fleet_options *options, struct err *err);

/* Opens agents on hosts that OpenSSH reaches, for users without a batch system. The spec is a file
 * with a destination per line, as for the ssh command: HOST, USER@HOST, ssh://USER@HOST:PORT or a
 * name of ~/.ssh/config. Blank lines and those that begin with # are ignored. A host that is listed
 * twice gets two agents. */
struct fleet *fleet_ssh_open(const struct fleet_options *options, struct err *err);

/* Opens agents on nodes allocated by Slurm: 4, or 2-10. Inside an allocation (SLURM_JOB_ID) uses
 * its nodes; else asks for blocks of them. */
struct fleet *fleet_slurm_open(const struct fleet_options *options, struct err *err);

/* Opens the former, up to `max` nodes. Returns NULL with *err if there are fewer than `min`. */
struct fleet *slurm_alloc_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err);

/* Opens the latter: batch jobs of Slurm. Returns NULL with *err on failure. */
struct fleet *slurm_batch_open(const struct fleet_options *options, uint32_t min, uint32_t max,
                               struct err *err);
