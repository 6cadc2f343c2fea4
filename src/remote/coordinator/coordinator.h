/* coordinator.h - the agents of a run as its coordinator sees them: who may come, who is there.
 *
 * An agent is a runner on another machine, or on this one, which connects to us
 * (docs/inside/protocol.md). Here is what all of them have in common: the fleet that starts them
 * (remote/fleet/fleet.h), the key, the place where we listen, and peers that have not said who they
 * are yet. There is a link for every agent that may be there at a time (agent_link.c), which the
 * owner knows as a runner like any other (exec/process/runner_link.h); an agent that is let in gets
 * the link it had before, or one that is free.
 *
 * Files in the folder of the run: `agents` (who is there, for `dolly agents`), `agents.log` (who
 * came, left and was refused), and those of coordinator_files.h. */
#ifndef REMOTE_COORDINATOR_COORDINATOR_H
#define REMOTE_COORDINATOR_COORDINATOR_H

#include "base/err.h"
#include "exec/process/runner_link.h"
#include "inputs/cluster/cluster.h"
#include "remote/fleet/fleet.h"

struct coordinator_options {
    const struct fleet_way *way;
    struct fleet_options fleet; /* what the user has asked for; all else is filled in here */
    const char *dir;            /* of the run, absolute; copied */
    struct cluster *cluster;    /* a node for each agent that may be there; borrowed, and changed to
                                   what an agent says of its node before its link tells that it is
                                   here */
    uint32_t slots;             /* of each node; 0: as many as it has cores */
    const char *listen;         /* --listen (coordinator_listen.h); NULL: anywhere */
    int64_t lease_us;           /* what agents are promised (remote/wire/lease.h); 0: as usual */
    bool pull;                  /* outputs are pulled even from nodes that see the folder */
    bool munge_must;            /* without MUNGE there is no run: ways that share one */
    bool sees;                  /* nodes have to see the folder: others are refused */
    /* With `pull`: what attempts leave for others stays with the agents, which are sent the plan of
     * the job, and what attempts have counted goes to a folder. Borrowed; NULL: not so. */
    const char *plan, *counters;
    void *ctx;
    void (*on_note)(void *ctx, const char *text); /* one line for the user */
    /* All nodes will be gone in so long, and so many attempts run there. NULL: it is a note. */
    void (*on_ending)(void *ctx, int64_t left_us, uint32_t running);
};

struct coordinator;

/* How many agents there may be at a time, if the spec is good; 0 with *err. */
uint32_t coordinator_max(const struct fleet_way *way, const struct fleet_options *fleet,
                         struct err *err);

/* Makes the key, or takes the one that a coordinator which was killed has left, listens, and opens
 * the fleet, which starts nothing before the first turn. NULL with *err. */
struct coordinator *coordinator_open(const struct coordinator_options *options, struct err *err);

/* To be called after the links were closed: closes the fleet, and frees. NULL is fine. */
void coordinator_close(struct coordinator *a);

/* The link of the agent `group`, the third kind of runner; `agents` is a struct coordinator. Once
 * for each. `lock_fd` and `hooks` of the options are not used. */
struct runner_link *agent_link_open(void *agents, uint32_t group,
                                    const struct runner_options *options, struct err *err);

/* For how long attempts of agents may be alive when we, or the coordinator before us, have died:
 * what was promised last. */
int64_t coordinator_lease_us(const struct coordinator *a);

/* How many agents are connected. */
uint32_t coordinator_connected(const struct coordinator *a);

/* For the owner's epoll: when it is readable, call coordinator_event. */
int coordinator_fd(const struct coordinator *a);
void coordinator_event(void *agents);

/* After events and before sleeping. Returns when to call it again at the latest (clock.h). */
int64_t coordinator_turn(void *agents);

#endif
