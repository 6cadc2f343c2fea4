/* agent_session.h - one connection of an agent, from looking for a coordinator to its end. Runs in
 * a process of its own, below two supervisors. */
#pragma once

#include <stdbool.h>

#include "remote/agent/agent.h"
#include "remote/agent/agent_node.h"

enum { AGENT_SESSION_AGAIN = 75 }; /* exit status: the session joined, and lost the coordinator */

struct agent_session_options {
    const struct agent_options *agent;
    const struct agent_node *node;
    const char *name;
    const char *dir; /* the agent's own folder, absolute, with attempts/ */
    int lock_fd;     /* lock of that folder */
    bool joined;     /* an earlier session has joined */
    bool sees_file;  /* connect_file existed when the agent started */
    /* When its lease is over, for the supervisors (supervisor_hold); 0: it has none. */
    volatile int64_t *until_us;
};

/* Runs the session. Returns an exit status: 0, AGENT_SESSION_AGAIN, or 1 or 2 with *err. Everything
 * that it ran is dead by then. */
int agent_session(const struct agent_session_options *options, struct err *err);
