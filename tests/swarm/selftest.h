/* selftest.h - does the referee itself work? Sequences of turns that keep or break its rules. */
#pragma once

#include <stdint.h>

#include "tests/swarm/referee.h"

/* What the policy has promised in a case; selftest.c has the numbers. */
enum selftest_preset {
    PLAIN,
    CLUSTER,
    TIGHT,
    LEAST,
    IDLE,
    OFFERS,
    LOW_TAU,
    SHORT,
    LATE,
    CAREFUL,
    TRIES,
    TRIES_CLONES,
    BOTH,
    CAC,
    DELAY,
    DELAY_OFF,
    AUTO,
    NETWORK,
    JOB_CLONE,
    COST,
    COST_HALF,
    PROTECT,
    WORK,
    QUEUES,
    TICK,
    DISKS,
    DOUBT,
    ROOM,
    SHEPHERD,
    SHEPHERD_FIFO,
};

struct selftest {
    enum rule broken; /* RULE_NONE: the sequence is legal */
    enum selftest_preset preset;
    const char *what, *words; /* words as script.h has them */
};

/* One node of four slots, and a job. */
#define WORLD "@0 up:0:4 "
#define ONE WORLD "job:1:1 "     /* one task */
#define TWO WORLD "job:1:2 "     /* two tasks */
#define CHAIN WORLD "job:1:1-1 " /* a task behind a barrier */
#define RUN(a) "launch:" a ":0 @1 started:" a " "
#define WON(a) "@5 finished:" a " commit:" a " @6 committed:" a " "
#define CLONED2 "verdict:1:cloned:2 "
/* One task with two live attempts, as dolly asks for it. */
#define PAIR CLONED2 "launch:1:0 clone:1.0.0.1:0 @1 started:1 started:1.0.0.1 "

/* Cases that have a file of their own. */
extern const struct selftest selftest_reads[], selftest_backups[], selftest_replicas[],
    selftest_copies[], selftest_rooms[], selftest_shepherds[];
extern const uint32_t selftest_read_count, selftest_backup_count, selftest_replica_count,
    selftest_copy_count, selftest_room_count, selftest_shepherd_count;

/* Runs all cases and prints those that went wrong; returns how many. */
int selftest_run(void);
