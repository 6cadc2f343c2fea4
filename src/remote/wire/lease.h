/* lease.h - for how long somebody who is not heard is believed to live.
 *
 * An agent sends a beat every second, and the coordinator answers it with a promise: "I start
 * nothing of yours elsewhere before I have told you, or before so much time has passed" (--lease,
 * LEASE_US). What is heard says less than it seems: a packet may have lain in a buffer while the
 * link was cut. So a beat carries the time at which it was sent, by the sender's own clock, and is
 * answered with that time; and an agent counts from when it sent the last beat whose answer it has.
 * The coordinator counts from when it heard that beat, which is later. So whatever becomes of the
 * packets between them,
 *
 *     the agent ends its attempts  LEASE_MARGIN_US before the promise is over, as it counts
 *     we take it for away          when the promise is over, as we count
 *
 * and in between there is time to end the attempts. Attempts that may not run twice at the same
 * time are told lost only then, even where we know earlier that the agent is away: its link has
 * closed, but its attempts may not have ended. No clocks are compared. An agent needs one that goes
 * on while its machine sleeps (CLOCK_BOOTTIME).
 *
 * A promise can be made longer at any time (PACKET_LEASE): the coordinator does so before it is
 * stopped (^Z), since it alone would start things elsewhere, and cannot then (LEASE_HELD_US). It is
 * made shorter by an answer, and only once a later beat shows that the agent has that answer may we
 * count on it. An answer whose time is over already changes nothing. */
#ifndef REMOTE_WIRE_LEASE_H
#define REMOTE_WIRE_LEASE_H

#include <assert.h>

#include "exec/process/runner_link.h"
#include "exec/process/supervisor.h"

enum {
    LEASE_BEAT_US = 1000000,   /* between two beats */
    LEASE_SILENT_US = 3000000, /* no launches any more */
    LEASE_US = 10000000,       /* what is usually promised, */
    LEASE_US_MIN = 5000000,    /* what can be, at least */
    LEASE_MARGIN_US = 2000000, /* before the end of the promise the agent ends every attempt */
};
#define LEASE_US_MAX (24 * 3600 * INT64_C(1000000)) /* ... and at most */
#define LEASE_HELD_US (3600 * INT64_C(1000000))     /* before the coordinator is stopped */

/* Who ends the attempts of a session that cannot (supervisor.h, agent_deadline.h) notices it within
 * SUPERVISOR_LOOK_US, half of that after the session should have. */
static_assert(SUPERVISOR_LOOK_US + SUPERVISOR_LOOK_US / 2 < LEASE_MARGIN_US,
              "attempts have ended when the promise has");
static_assert((int)LEASE_SILENT_US + (int)LEASE_MARGIN_US <= (int)LEASE_US_MIN &&
                  2 * (int)LEASE_BEAT_US < (int)LEASE_SILENT_US,
              "a beat that is late does no harm");

/* What to think of a runner that was last heard at that time, and was promised as much. */
static inline enum runner_presence lease_presence(int64_t heard_us, int64_t until_us,
                                                  int64_t now_us)
{
    return now_us >= until_us                     ? RUNNER_AWAY
           : now_us - heard_us >= LEASE_SILENT_US ? RUNNER_SILENT
                                                  : RUNNER_HERE;
}

/* When that has to be thought over again, if nothing is heard; INT64_MAX: not any more. */
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

#endif
