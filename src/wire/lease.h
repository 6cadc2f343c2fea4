/* lease.h - for how long somebody who is not heard is believed to live.
 *
 * A coordinator and an agent send each other a beat every second. What is heard says less than it
 * seems: a packet may have lain in a buffer while the link was cut. So a beat carries the time at
 * which it was sent, by the sender's own clock, and is answered with that time; and an agent counts
 * from when it sent the last beat whose answer it has. The coordinator counts from when it heard
 * the last beat, which is later. So whatever becomes of the packets between them,
 *
 *     the agent ends its attempts  at most LEASE_END_US  after it sent the last beat we heard
 *     we take it for away          LEASE_AWAY_US         after we heard that
 *
 * and in between there are two seconds to end the attempts. Attempts that may not run twice at the
 * same time are told lost only then, even where we know earlier that the agent is away: its link
 * has closed, but its attempts may not have ended. No clocks are compared. An agent needs one that
 * goes on while its machine sleeps (CLOCK_BOOTTIME). */
#ifndef WIRE_LEASE_H
#define WIRE_LEASE_H

#include "runner/runner_link.h"

enum {
    LEASE_BEAT_US = 1000000,   /* between two beats */
    LEASE_SILENT_US = 3000000, /* no launches any more */
    LEASE_END_US = 8000000,    /* of the agent: it ends every attempt */
    LEASE_AWAY_US = 10000000,  /* of the coordinator: the agent has left, and so has all it ran */
};

/* What to think of a runner that was last heard at that time. */
static inline enum runner_presence lease_presence(int64_t heard_us, int64_t now_us)
{
    int64_t silence_us = now_us - heard_us;
    return silence_us >= LEASE_AWAY_US     ? RUNNER_AWAY
           : silence_us >= LEASE_SILENT_US ? RUNNER_SILENT
                                           : RUNNER_HERE;
}

/* When that has to be thought over again, if nothing is heard; INT64_MAX: not any more. */
static inline int64_t lease_next_us(int64_t heard_us, int64_t now_us)
{
    switch (lease_presence(heard_us, now_us)) {
    case RUNNER_HERE:
        return heard_us + LEASE_SILENT_US;
    case RUNNER_SILENT:
        return heard_us + LEASE_AWAY_US;
    default:
        return INT64_MAX;
    }
}

/* From when on nothing that it ran can be alive. */
static inline int64_t lease_over_us(int64_t heard_us)
{
    return heard_us + LEASE_AWAY_US;
}

#endif
