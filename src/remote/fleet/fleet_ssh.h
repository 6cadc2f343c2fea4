/* fleet_ssh.h - agents on hosts that OpenSSH reaches: --on ssh:FILE, for people without a batch
 * system. */
#ifndef REMOTE_FLEET_FLEET_SSH_H
#define REMOTE_FLEET_FLEET_SSH_H

#include "remote/fleet/fleet.h"

/* The spec is a file with a destination per line, as the ssh command takes it: HOST, USER@HOST,
 * ssh://USER@HOST:PORT or a name of ~/.ssh/config. Blank lines and those that begin with # do not
 * count. A host that stands there twice gets two agents. */
struct fleet *fleet_ssh_open(const struct fleet_options *options, struct err *err);

#endif
