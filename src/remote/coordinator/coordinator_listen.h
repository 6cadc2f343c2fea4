/* coordinator_listen.h - where agents connect to: --listen [ADDRESS][:PORTS].
 *
 * ADDRESS is an address, the name of an interface of this machine, or a name by which others know
 * it; PORTS one port or a range FROM-TO of which the first that is free is taken. We listen at the
 * address alone if it is ours, and agents are told it. Without an address we listen at all of them,
 * and agents are told our name; without ports the system chooses one. */
#ifndef REMOTE_COORDINATOR_COORDINATOR_LISTEN_H
#define REMOTE_COORDINATOR_COORDINATOR_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct coordinator_listen {
    char host[256];             /* what agents are told; "": our name */
    struct sockaddr_storage at; /* where we listen; ss_family 0: everywhere */
    uint16_t from, to;          /* ports; 0: any */
};

/* Reads what the user said; NULL: nothing. 0, or -1 with *err. */
int coordinator_listen_parse(struct coordinator_listen *l, const char *text, struct err *err);

/* Listens, at `port` if that is allowed and free. `loopback`: for this machine alone. A socket that
 * does not block, with *port where it listens; or -1 with *err. */
int coordinator_listen_open(const struct coordinator_listen *l, bool loopback, int backlog,
                            uint16_t *port, struct err *err);

#endif
