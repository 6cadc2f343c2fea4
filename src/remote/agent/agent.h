/* agent.h - a runner on another machine: `dolly agent`.
 *
 * Two processes, as supervisor.h has them: one that only watches, and below it one with the runner
 * and the connection to the coordinator. The second lives as long as its conversation. When that
 * ends without a word, because the coordinator was killed or the network is cut, the second ends
 * everything it runs and leaves, and the first starts another, which tries to reach a coordinator
 * for as long as the agent lingers: the same one, or one that has resumed the run, perhaps on
 * another machine, as a file in the folder of the run says where the agent sees it. When that file
 * is gone, so is the run. So nothing of one conversation is ever left in the next. */
#ifndef REMOTE_AGENT_AGENT_H
#define REMOTE_AGENT_AGENT_H

#include <stdint.h>

#include "base/err.h"
#include "remote/wire/secret.h"

enum { AGENT_LINGER_US = 60000000 }; /* the usual time */

#define AGENT_MUNGE_USUAL "default"

struct agent_options {
    const char *connect;      /* HOST:PORT, or [ADDRESS]:PORT; borrowed, like all */
    const char *connect_file; /* says the same by now, where it can be read; NULL: none */
    const char *tunnel;       /* a socket that leads to the coordinator as well; NULL: none */
    const char *name;         /* remote/fleet/fleet.h; NULL: %h */
    const char *scratch;      /* NULL: $SLURM_TMPDIR, else $TMPDIR, else /tmp */
    const char *munge;        /* the socket of munged, or AGENT_MUNGE_USUAL; NULL: no MUNGE */
    struct secret secret;
    void (*note)(const char *text); /* one line for whoever has started it; NULL: nobody */
    int64_t linger_us; /* how long it tries to reach a coordinator */
    int64_t cores;     /* no more than so many, 0: all that it may use */
};

/* Runs until it is not wanted any more. Returns an exit status: 0 if it was told to leave, or by a
 * signal; else 1 or 2 with *err. */
int agent_run(const struct agent_options *options, struct err *err);

#endif
