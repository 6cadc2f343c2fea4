/* agent_link.h - the connection to one agent; its owner uses it as a runner like any other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "exec/process/doubt.h"
#include "exec/process/runner_link.h"
#include "remote/coordinator/admission.h"
#include "remote/coordinator/agent_info.h"
#include "remote/coordinator/agent_pulls.h"
#include "remote/wire/frames.h"

struct coordinator;

struct agent_link {
    struct runner_link link; /* first */
    struct runner_options options;
    struct coordinator *coordinator; /* borrowed */
    uint32_t group;
    bool connected, shared, lost;
    int64_t ours_until_us; /* when its node ends, from the fleet; INT64_MAX: not known */
    enum runner_presence presence;
    struct frames frames;
    struct agent_info info; /* of the agent that is or was connected */
    char address[ADMISSION_ADDRESS];
    int64_t heard_us; /* when its last beat arrived */
    int64_t until_us; /* until then none of its attempts is started elsewhere (lease.h) */
    bool longer;      /* ... which was extended, and may not be shortened yet */
    int64_t back_us;  /* when the first beat answered since then was sent, by its clock; 0: none */
    int64_t since_us; /* when it joined */
    int64_t ahead_us; /* this clock minus the agent's, with the shortest delay of a packet */
    uint32_t idle_beats; /* beats since its last other packet */
    int64_t free_bytes;  /* free bytes of its scratch, as it reports */
    bool more;           /* packets may be left from the last read */
    /* ADDRESS:PORT where it serves the outputs it keeps; "": nowhere. */
    char serves[ADMISSION_ADDRESS];
    struct agent_pulls pulls;
    struct doubt_list held; /* ends in doubt, by their number */
    uint32_t ends;          /* number of ends that the agent has reported since it joined */
};

/* Makes the peer the agent of the link, which takes over its connection and info. `port`: where it
 * serves the outputs it keeps, 0: nowhere. */
void agent_link_join(struct agent_link *l, struct admission_peer *peer, bool shared, uint16_t port);

/* Sends PACKET_LEAVE to the agent, which has nothing to do. */
void agent_link_send_off(struct agent_link *l, const char *why);
