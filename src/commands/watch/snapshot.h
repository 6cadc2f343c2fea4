/* snapshot.h - a followed run at one moment, as plain data: what `dolly top` draws and `dolly
 * watch` serves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "commands/watch/ending.h"
#include "commands/watch/followed_run.h"

/* Phases of one name are one, whatever their jobs. */
struct snapshot_phase {
    char *name; /* owned */
    uint64_t tasks, done, failed, running, waiting, rescued;
    uint64_t blocked; /* of those that wait: for other phases */
    struct time_buckets times;
    struct ending_times took;
};

/* An attempt that was launched and has not ended. */
struct snapshot_attempt {
    struct attempt_ref at;
    uint64_t number; /* the user's number of its task */
    uint32_t phase;  /* index in `phases` */
    struct node_id node;
    uint8_t kind;    /* enum launch_kind */
    bool slow;       /* a straggler, by the rule of `dolly explain` */
    bool needed;     /* its task is neither done nor given up */
    uint32_t copies; /* other attempts of its task that run */
    int64_t age_us;  /* since its launch */
    double done;     /* share of its work by its last report; below 0: unknown */
    double left_us;  /* most likely; below 0: unknown */
};

struct snapshot_node {
    uint8_t state; /* the type of the last event of its state; 0: none */
    uint32_t slots, busy, slow;
    int64_t held;    /* by its attempts, in thousandths of slots */
    int64_t seen_us; /* when an event came from it last; -1: never */
};

struct snapshot {
    enum followed_state state;
    int64_t now_us;
    uint64_t turn;
    struct story_run sums;     /* as `dolly explain` has them of the journal up to this turn */
    uint64_t running, waiting; /* tasks */
    uint64_t jobs_waiting;     /* jobs of which no attempt has been launched yet */
    uint64_t attempts_running[LAUNCH_KIND_END];
    double closed_slots; /* of nodes that take no attempts, and held by none */
    int64_t oldest_wait_us;        /* of a task that could run, at most; 0: none waits */
    double ends_us[ENDING_BOUNDS]; /* when it is expected to end; below 0: unknown */
    char *ends_unknown;            /* a phase of which no task has ended; NULL: none; owned */
    char *ends_why; /* why it ends then, or why that is not known; NULL: it is over; owned */
    VEC(struct snapshot_phase) phases;
    VEC(struct snapshot_attempt) attempts; /* slow ones first, then the oldest */
    VEC(struct snapshot_node) nodes;       /* by id */
    struct failures failures; /* of jobs that are not forgotten; the others are in the run */
};

/* Takes a snapshot of a run that is open. Borrows texts of it until its next turn. Free with
 * snapshot_fini. */
void snapshot_init(struct snapshot *s, const struct followed_run *f);
void snapshot_fini(struct snapshot *s);

/* Returns failure i of the run and the snapshot, those of forgotten jobs first; NULL: none. */
const struct failure *snapshot_failure(const struct snapshot *s, const struct followed_run *f,
                                       uint32_t i);

/* Returns the expected end of the run as time that is left by this bound; below 0: unknown. */
double snapshot_left_us(const struct snapshot *s, int bound);
