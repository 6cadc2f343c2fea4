/* agent_lease.h - until when an agent may run what it runs: the agent's side of
 * remote/wire/lease.h. */
#ifndef REMOTE_AGENT_AGENT_LEASE_H
#define REMOTE_AGENT_AGENT_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise but for `shared_us`. */
struct agent_lease {
    /* What others look at who act if we cannot (supervisor.h, agent_deadline.h); borrowed. */
    volatile int64_t *shared_us;
    int64_t answered_us; /* when the last beat was sent that was answered */
    int64_t until_us;    /* when everything that runs has to end */
};

/* The clock of leases goes on while the machine sleeps. */
int64_t agent_lease_now(void);

/* The beat (or hello) that was sent then was answered, with this promise. An answer whose time is
 * over already changes nothing: another promise may still hold. False: no coordinator promises
 * that. */
bool agent_lease_answered(struct agent_lease *l, int64_t sent_us, int64_t lease_us);

#endif
