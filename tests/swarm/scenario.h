/* scenario.h - everything that a seed stands for: cluster, jobs, policy, luck, faults, meddling. */
#pragma once

#include "base/text.h"
#include "tests/swarm/job_draw.h"
#include "tests/swarm/meddler.h"
#include "tests/swarm/referee.h"

struct scenario {
    uint64_t seed;
    bool storm;              /* few nodes that fail often, under jobs of many short phases */
    struct cluster *cluster; /* owned */
    struct job_draw jobs;
    struct job_draw_work work; /* of all jobs */
    double span_us;            /* what they take at least, all slots busy */
    double read_us;    /* what reading the largest phase takes at most, if reading takes time */
    struct str policy; /* text for policy_create */
    struct referee_rules rules;
    struct meddler_habits meddling;
    bool reports;
    uint32_t misfits;   /* jobs that must fail because they fit nowhere */
    bool nothing_fails; /* no other job may fail */
};

/* Draws the scenario of a seed. Free with scenario_fini. */
void scenario_init(struct scenario *s, uint64_t seed);
void scenario_fini(struct scenario *s);

/* Appends one line that says what the scenario is like. */
void scenario_describe(const struct scenario *s, struct str *out);
