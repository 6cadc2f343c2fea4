/* coordinator.h - the coordinator's side of the agents of a run: which may join, which are
 * connected.
 *
 * An agent is a runner on another machine, or on this one, that connects to the coordinator
 * (docs/inside/protocol.md). This struct holds what all of them share: the fleet that starts them
 * (remote/fleet/fleet.h), the key, the listening socket, and peers that have not authenticated yet.
 * There is a link for every agent that may be connected at a time (agent_link.c), which the owner
 * uses as a runner like any other (exec/process/runner_link.h); an agent that joins gets the link
 * it had before, or a free one.
 *
 * Files in the folder of the run: `agents` (the list of agents, for `dolly agents`), `agents.log`
 * (agents that joined, left or were refused), and those of coordinator_files.h. */
#pragma once

#include "base/err.h"
#include "exec/process/runner_link.h"
#include "inputs/cluster/cluster.h"
#include "remote/fleet/fleet.h"

struct coordinator_options {
    const struct fleet_way *way;
    struct fleet_options fleet; /* the user's options; the other fields are filled in here */
    const char *dir;            /* folder of the run, absolute; copied */
    /* A node for each agent that may be connected; borrowed. An agent's node is updated before its
     * link reports that it is here. */
    struct cluster *cluster;
    uint32_t slots;     /* per node; 0: one for each core */
    const char *listen; /* --listen (coordinator_listen.h); NULL: anywhere */
    int64_t lease_us;   /* the promise to agents (remote/wire/lease.h); 0: the default */
    bool pull;          /* outputs are pulled even from nodes that see the folder */
    bool munge_must;    /* refuse to run without MUNGE, for ways that share it */
    bool sees;          /* refuse nodes that do not see the folder */
    /* With `pull`: outputs for other attempts are kept by the agents, which are sent the plan of
     * the job, and the counters of attempts are written to a folder. Borrowed; NULL: neither. */
    const char *plan, *counters;
    void *ctx;
    void (*on_note)(void *ctx, const char *text); /* one line for the user */
    /* Called when all nodes end in left_us, with the number of attempts that run there. NULL:
     * prints a note instead. */
    void (*on_ending)(void *ctx, int64_t left_us, uint32_t running);
};

struct coordinator;

/* Returns the maximum number of agents at a time; 0 with *err if the spec is wrong. */
uint32_t coordinator_max(const struct fleet_way *way, const struct fleet_options *fleet,
                         struct err *err);

/* Makes the key, or takes the one that a killed coordinator has left, listens, and opens the fleet,
 * which starts nothing before the first turn. Returns NULL with *err on failure. */
struct coordinator *coordinator_open(const struct coordinator_options *options, struct err *err);

/* Closes the fleet, and frees. Call after the links were closed. NULL is fine. */
void coordinator_close(struct coordinator *a);

/* Opens the link of the agent `group`, the third kind of runner; `agents` is a struct coordinator.
 * Call once for each. Ignores `lock_fd` and `hooks` of the options. */
struct runner_link *agent_link_open(void *agents, uint32_t group,
                                    const struct runner_options *options, struct err *err);

/* Returns how long attempts of agents may be alive after this coordinator, or the one before it,
 * has died: the longest promise made. */
int64_t coordinator_lease_us(const struct coordinator *a);

/* Number of connected agents. */
uint32_t coordinator_connected(const struct coordinator *a);

/* Handles events of connections. Call when the coordinator's epoll_fd is readable. */
void coordinator_event(void *agents);

/* Handles everything that is due. Call after events and before sleeping. Returns when to call it
 * again at the latest (clock.h). */
int64_t coordinator_turn(void *agents);
