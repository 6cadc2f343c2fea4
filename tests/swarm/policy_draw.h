/* policy_draw.h - random policies for the swarm, together with what the referee may hold them to.
 */
#pragma once

#include "base/text.h"
#include "tests/swarm/referee.h"

struct policy_draw {
    double span_us; /* in: how long the run takes at least; timers are not much finer than that */
    bool generous;  /* in: a budget that lets clones happen on few nodes */
    bool hasty;     /* out: a task may use up its launches without any failure */
};

/* Appends text for policy_create and fills the rules that follow from the policy. */
void policy_draw(struct policy_draw *p, uint64_t seed, struct str *policy,
                 struct referee_rules *rules);

/* How many parts of the table of policies are never drawn; prints them. */
uint32_t policy_draw_missing(void);
