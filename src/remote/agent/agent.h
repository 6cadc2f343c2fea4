/* agent.h - a runner on another machine: `dolly agent`.
 *
 * An agent is three processes (supervisor.h): one that only watches, its child, which only watches,
 * too, and below that the session, with the runner and the connection to the coordinator. Attempts
 * end with their lease, or at once, unless all three are killed or stopped. A session lives as long
 * as its connection. When the connection ends without PACKET_LEAVE, because the coordinator was
 * killed or the network is cut, the session ends everything it runs and exits, and the first
 * process starts another, which tries to reach a coordinator until the linger time is over: the
 * same one, or one that has resumed the run, perhaps on another machine. A file in the folder of
 * the run holds the current address, where the agent can read it; when that file is gone, the run
 * is over. So nothing of one session is ever left in the next. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "remote/wire/secret.h"

enum { AGENT_LINGER_US = 60000000 }; /* the default */

#define AGENT_MUNGE_USUAL "default"

struct agent_options {
    const char *connect;      /* HOST:PORT, or [ADDRESS]:PORT; borrowed, like all texts here */
    const char *connect_file; /* holds the current address, where it can be read; NULL: none */
    const char *tunnel;       /* a socket that leads to the coordinator as well; NULL: none */
    const char *name;         /* remote/fleet/fleet.h; NULL: %h */
    const char *scratch;      /* NULL: $SLURM_TMPDIR, else $TMPDIR, else /tmp */
    const char *munge;        /* the socket of munged, or AGENT_MUNGE_USUAL; NULL: no MUNGE */
    struct secret secret;
    void (*note)(const char *text); /* prints one line for the user; NULL: no output */
    int64_t linger_us;              /* how long it tries to reach a coordinator */
    int64_t cores; /* maximum number of cores; 0: every core in the affinity mask */
};

/* Runs until the agent is no longer needed. Returns an exit status: 0 if the coordinator or a
 * signal made it leave; else 1 or 2 with *err. */
int agent_run(const struct agent_options *options, struct err *err);
