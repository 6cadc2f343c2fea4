/* coordinator_state.h - the inside of the coordinator's side of agents, shared by coordinator*.c
 * and agent_link.c only. */
#ifndef REMOTE_COORDINATOR_COORDINATOR_STATE_H
#define REMOTE_COORDINATOR_COORDINATOR_STATE_H

#include <limits.h>
#include <stdio.h>

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
    char dir[PATH_MAX];  /* of the run */
    struct secret store; /* to what stays with agents: they get it behind the door */
    char key[FLEET_KEY_TEXT], key_file[PATH_MAX], at_file[PATH_MAX], program_path[PATH_MAX],
        host[256];
    char *sealed, sealed_file[PATH_MAX]; /* the key, by MUNGE; NULL: there is none */
    char program[17];                    /* checksum */
    char token[COORDINATOR_TOKEN + 1];   /* what the probe holds */
    struct tls_side *side;
    struct identity *identity; /* agents have to show that they are ours; NULL: they need not */
    struct identity_checker checker;
    uint32_t
        shown; /* whose credential the checker has; ADMISSION_PEERS: nobody's that is still there */
    struct coordinator_listen listen; /* where the user wants us to */
    int epoll_fd, listen_fd;
    uint16_t port;             /* where we listen; before that: where we should, 0: anywhere */
    FILE *log;                 /* NULL: it cannot be written */
    struct agent_link **links; /* by group; NULL: not open, or closed */
    struct fleet_agent *here;  /* for the fleet: those that are connected, link_count at most */
    uint32_t link_count, connected;
    struct admission_peer **peers; /* ADMISSION_PEERS of them, NULL: free */
    struct admission_refusals refused;
    int64_t opened_us;     /* the door; 0: an agent has come, or the user knows why none has */
    int64_t left_us;       /* how long a promise of the coordinator before us may hold; 0: none */
    int64_t deaf_until_us; /* nobody is accepted until then; 0: all are */
    char why[400];         /* the last trouble with an agent */
    bool untold;           /* the user has not heard of it */
    uint32_t mute_told;    /* how many hosts that cannot reach us it has heard of */
    bool clock_told;       /* ... but of a clock that differs, */
    bool blind_told;       /* and of a node that does not see what tasks read */
    bool doubts;           /* whoever ends an agent may end its attempts first (doubt.h) */
    int64_t full_us;       /* since when no agent has had room; 0: one has */
    int64_t listed_us;     /* when the list of agents is written again */
    bool changed;          /* ... because something has */
};

#endif
