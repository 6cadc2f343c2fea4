/* lease.h - how long an agent that sends nothing is taken to be alive.
 *
 * An agent sends a beat every second, and the coordinator answers it with a promise: "I start
 * nothing of yours elsewhere before I have told you, or before this much time has passed" (--lease,
 * LEASE_US). A packet that arrives proves less than it seems: it may have waited in a buffer while
 * the link was cut. So a beat carries the time at which it was sent, by the sender's own clock, and
 * is answered with that time; an agent counts from when it sent the last beat that was answered.
 * The coordinator counts from when it received that beat, which is later. So whatever becomes of
 * the packets between them,
 *
 *     the agent ends its attempts       LEASE_MARGIN_US before the promise is over, by its clock
 *     the coordinator takes it for away when the promise is over, by the coordinator's clock
 *
 * and in between there is time to end the attempts. Attempts that may not run twice at the same
 * time are reported lost only then, even if the coordinator knows earlier that the agent is away:
 * its connection has closed, but its attempts may not have ended. No clocks are compared. An agent
 * needs one that advances while its machine sleeps (CLOCK_BOOTTIME).
 *
 * A promise can be made longer at any time (PACKET_LEASE): the coordinator does so before it is
 * stopped (^Z), since it alone would start attempts elsewhere, and cannot then (LEASE_HELD_US). It
 * is made shorter by an answer, and the coordinator may rely on that only once a later beat shows
 * that the agent has received that answer. An answer whose time is over already changes nothing. */
#pragma once

#include <assert.h>

#include "exec/process/runner_link.h"
#include "exec/process/supervisor.h"

enum {
    LEASE_BEAT_US = 1000000,   /* between two beats */
    LEASE_SILENT_US = 3000000, /* without a beat: send no launches any more */
    LEASE_US = 10000000,       /* the usual promise */
    LEASE_US_MIN = 5000000,    /* the shortest promise */
    /* Time before the end of the promise when the agent ends every attempt. */
    LEASE_MARGIN_US = 2000000,
};
#define LEASE_US_MAX (24 * 3600 * INT64_C(1000000)) /* the longest promise */
/* The promise of a coordinator before it is stopped. */
#define LEASE_HELD_US (3600 * INT64_C(1000000))

/* The supervisors that end the attempts of a session that cannot act (supervisor.h) notice it
 * within SUPERVISOR_LOOK_US, half of that after the session should have acted. */
static_assert(SUPERVISOR_LOOK_US + SUPERVISOR_LOOK_US / 2 < LEASE_MARGIN_US,
              "attempts have ended when the promise has");
static_assert((int)LEASE_SILENT_US + (int)LEASE_MARGIN_US <= (int)LEASE_US_MIN &&
                  2 * (int)LEASE_BEAT_US < (int)LEASE_SILENT_US,
              "a beat that is late does no harm");

/* Returns the state of a runner whose last beat arrived at `heard_us` and whose promise ends at
 * `until_us`. */
static inline enum runner_presence lease_presence(int64_t heard_us, int64_t until_us,
                                                  int64_t now_us)
{
    return now_us >= until_us                     ? RUNNER_AWAY
           : now_us - heard_us >= LEASE_SILENT_US ? RUNNER_SILENT
                                                  : RUNNER_HERE;
}

/* Returns when lease_presence changes if no beat arrives; INT64_MAX: it will not change. */
static inline int64_t lease_next_us(int64_t heard_us, int64_t until_us, int64_t now_us)
{
    switch (lease_presence(heard_us, until_us, now_us)) {
    case RUNNER_HERE:
        return heard_us + LEASE_SILENT_US < until_us ? heard_us + LEASE_SILENT_US : until_us;
    case RUNNER_SILENT:
        return until_us;
    default:
        return INT64_MAX;
    }
}
