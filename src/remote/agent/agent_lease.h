/* agent_lease.h - until when an agent may run its attempts: the agent's side of
 * remote/wire/lease.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise except `shared_us`. */
struct agent_lease {
    /* Read by the supervisors, which act if this process cannot; borrowed. */
    volatile int64_t *shared_us;
    int64_t answered_us; /* by clock_boot_us: when the last answered beat was sent */
    int64_t until_us;    /* when everything that runs has to end */
};

/* Takes the answer to the beat (or hello) sent at `sent_us`, with this promise. Ignores an answer
 * whose time is over already: another promise may still hold. Returns false if no coordinator can
 * have sent these values. */
bool agent_lease_answered(struct agent_lease *l, int64_t sent_us, int64_t lease_us);
