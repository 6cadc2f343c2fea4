/* coordinator_state.h - the state of the coordinator's side of agents, shared by the files of this
 * folder only. */
#pragma once

#include <limits.h>
#include <stdio.h>

#include "base/os/path.h"
#include "remote/coordinator/admission.h"
#include "remote/coordinator/admission_refusals.h"
#include "remote/coordinator/agent_link.h"
#include "remote/coordinator/coordinator.h"
#include "remote/coordinator/coordinator_listen.h"
#include "remote/wire/identity_checker.h"

enum { COORDINATOR_TOKEN = 32 };

struct coordinator {
    struct coordinator_options options;
    struct fleet *fleet;
    struct secret secret;
    char dir[PATH_MAX]; /* folder of the run */
    /* Key to the outputs that agents keep; sent to agents once they have joined. */
    struct secret store;
    char key[FLEET_KEY_TEXT], program_path[PATH_MAX], host[256];
    struct path key_file, at_file;
    char *sealed;
    struct path sealed_file;           /* the key, sealed by MUNGE; NULL: no MUNGE */
    char program[17];                  /* checksum */
    char token[COORDINATOR_TOKEN + 1]; /* content of the probe */
    struct tls_side *side;
    struct identity *identity; /* agents have to prove their user; NULL: they need not */
    struct identity_checker checker;
    uint32_t
        shown; /* whose credential the checker has; ADMISSION_PEERS: nobody's that is still there */
    struct coordinator_listen listen; /* value of --listen */
    int epoll_fd, listen_fd;
    uint16_t port;             /* where it listens; before that: the wanted port, 0: any */
    FILE *log;                 /* NULL: it cannot be written */
    struct agent_link **links; /* by group; NULL: not open, or closed */
    struct fleet_agent *here;  /* for the fleet: the connected agents, at most link_count */
    uint32_t link_count, connected;
    struct admission_peer **peers; /* ADMISSION_PEERS of them, NULL: free */
    struct admission_refusals refused;
    /* When it began to listen; 0: an agent has joined, or the user knows why none has. */
    int64_t opened_us;
    int64_t left_us;       /* how long a promise of the coordinator before may hold; 0: none */
    int64_t deaf_until_us; /* accept no connection before this time; 0: accept */
    char why[400];         /* the last problem with an agent */
    bool untold;           /* it was not printed for the user yet */
    uint32_t mute_told;    /* number of hosts that cannot connect for which a note was printed */
    bool clock_told;       /* a note was printed about a clock that differs */
    bool blind_told;   /* a note was printed about a node that does not see the inputs of tasks */
    bool doubts;       /* a process that ends an agent may end its attempts first (doubt.h) */
    int64_t full_us;   /* since when no agent has had room; 0: one has */
    int64_t listed_us; /* when to write the list of agents again */
    bool changed;      /* ... because it has changed */
};
