/* agent_link.h - the conversation with one agent; the owner knows it as a runner like any other. */
#ifndef REMOTE_COORDINATOR_AGENT_LINK_H
#define REMOTE_COORDINATOR_AGENT_LINK_H

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
    int64_t ours_until_us; /* told by the fleet; INT64_MAX: it has not said */
    enum runner_presence presence;
    struct frames frames;
    struct agent_info info; /* of the agent that is or was here */
    char address[ADMISSION_ADDRESS];
    int64_t heard_us;    /* its last beat */
    int64_t until_us;    /* until when nothing of its is started elsewhere (lease.h) */
    bool longer;         /* ... which was made longer, and was not known to end earlier */
    int64_t back_us;     /* of the first beat answered since, by its clock; 0: none */
    int64_t since_us;    /* it joined */
    int64_t ahead_us;    /* our clock before its own, with the shortest way of a packet */
    uint32_t idle_beats; /* since it said anything else */
    int64_t room;        /* in its scratch, as it says */
    bool more;           /* packets may be left from the last look */
    char serves[ADMISSION_ADDRESS]; /* ADDRESS:PORT where it hands out what stays with it; "" */
    struct agent_pulls pulls;
    struct doubt_list held; /* ends in doubt, by their number */
    uint32_t ends;          /* that the agent has reported since it joined */
};

/* Makes the peer the agent of the link, which takes its connection and info. `port`: where it hands
 * out outputs that stay with it, 0: nowhere. */
void agent_link_join(struct agent_link *l, struct admission_peer *peer, bool shared, uint16_t port);

/* Tells the agent, which has nothing to do, to leave. */
void agent_link_send_off(struct agent_link *l, const char *why);

#endif
