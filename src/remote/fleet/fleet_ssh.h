/* fleet_ssh.h - agents on hosts that OpenSSH reaches: --on ssh:FILE, for users without a batch
 * system. */
#pragma once

#include "remote/fleet/fleet.h"

/* Opens the fleet. The spec is a file with a destination per line, as for the ssh command: HOST,
 * USER@HOST, ssh://USER@HOST:PORT or a name of ~/.ssh/config. Blank lines and those that begin with
 * # are ignored. A host that is listed twice gets two agents. */
struct fleet *fleet_ssh_open(const struct fleet_options *options, struct err *err);
