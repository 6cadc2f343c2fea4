/* agent_session.h - one conversation of an agent, from looking for a coordinator to its end. Runs
 * in a process of its own, below a supervisor. */
#ifndef REMOTE_AGENT_AGENT_SESSION_H
#define REMOTE_AGENT_AGENT_SESSION_H

#include <stdbool.h>

#include "remote/agent/agent.h"
#include "remote/agent/agent_node.h"

enum { AGENT_SESSION_AGAIN = 75 }; /* exit status: joined, and lost the coordinator */

struct agent_session_options {
    const struct agent_options *agent;
    const struct agent_node *node;
    const char *name;
    const char *dir; /* the agent's own folder, absolute, with attempts/ */
    int lock_fd;     /* of that folder */
    bool joined;     /* an earlier session has */
    bool sees_file;  /* the file that says where to connect was there at first */
    /* When its lease is over, for the supervisor (supervisor_hold); 0: it has none. */
    volatile int64_t *until_us;
};

/* Returns an exit status: 0, AGENT_SESSION_AGAIN, or 1 or 2 with *err. All that it ran is dead. */
int agent_session(const struct agent_session_options *options, struct err *err);

#endif
