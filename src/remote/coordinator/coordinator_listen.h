/* coordinator_listen.h - where agents connect: --listen [ADDRESS][:PORTS].
 *
 * ADDRESS is an address, the name of an interface of this machine, or a name by which others know
 * it; PORTS is one port or a range FROM-TO, whose first free port is taken. The coordinator listens
 * on the address alone if it belongs to this machine, and gives it to agents. Without an address it
 * listens on all of them, and agents get the name of this host; without ports the system chooses
 * one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct coordinator_listen {
    char host[256];             /* the host for agents; "": the name of this host */
    struct sockaddr_storage at; /* address to listen on; ss_family 0: all */
    uint16_t from, to;          /* ports; 0: any */
};

/* Parses the value of --listen; NULL: not given. Returns 0, or -1 with *err. */
int coordinator_listen_parse(struct coordinator_listen *l, const char *text, struct err *err);

/* Listens, on `*port` if that is allowed and free. `loopback`: for this machine alone. Returns a
 * non-blocking socket, with its port in *port; or -1 with *err. */
int coordinator_listen_open(const struct coordinator_listen *l, bool loopback, int backlog,
                            uint16_t *port, struct err *err);
