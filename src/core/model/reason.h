/* reason.h - the reason of a decision: a code and up to six numbers whose meaning the code
 * fixes. */
#pragma once

#include <stdint.h>

enum { REASON_NUMBERS_MAX = 6 };

/* Numbers are part of the journal format: append only. The names of the numbers are in reason.c. */
enum reason_code {
    WHY_NONE,
    WHY_RUNNABLE,      /* its turn had come */
    WHY_AFTER_FAILURE, /* failures */
    WHY_OUTPUT_LOST,
    WHY_FIRST_FINISHED, /* commit: the first of its task to succeed */
    WHY_LOST_RACE,      /* another attempt of the task won */
    WHY_NONDETERMINISTIC,
    WHY_JOB_OVER,
    WHY_ALL_COMMITTED,     /* tasks */
    WHY_TOO_MANY_FAILURES, /* failures, limit */
    WHY_CANCELLED,
    WHY_READ_COMMITTED,    /* waited_s, users: all committed outputs of the phase above */
    WHY_CLONED,            /* copies, tasks, p, charge, used, limit */
    WHY_CLONE,             /* of, copies */
    WHY_NO_NEED,           /* copies, tasks, p: one attempt is safe enough */
    WHY_OVER_BUDGET,       /* copies, tasks, p, charge, used, limit */
    WHY_OVER_TAU,          /* copies, tasks, p, charge, used, limit */
    WHY_SIDE_EFFECTS,      /* the phase has clone: never */
    WHY_UPSTREAM_COPIES,   /* copies, tasks, p, upstream: no more than the phase above */
    WHY_PARTIAL,           /* copies, wanted, tasks, charge, used, limit */
    WHY_PREEMPTED,         /* by job, its tasks, own tasks */
    WHY_WAIT_PREEMPT,      /* copies, tasks, p, charge, used, limit */
    WHY_YIELD,             /* a clone gives its resources to a first attempt */
    WHY_BUDGET_SHRANK,     /* used, limit */
    WHY_CLOCK,             /* a periodic timer */
    WHY_UNSATISFIABLE,     /* no node can ever hold the task */
    WHY_HOPELESS_INPUT,    /* an input is not available any more */
    WHY_JOB_NOT_ADMITTED,  /* copies, tasks, p, charge, used, limit: only in old journals */
    WHY_TOO_MANY_LAUNCHES, /* launches, limit */
    WHY_SLOWEST_LEFT,      /* left_s, rate, threshold, elapsed_s, by_elapsed: LATE */
    WHY_BEHIND_MEAN,       /* score, mean, elapsed_s: Hadoop */
    WHY_PHASE_ENDS,        /* done, tasks, elapsed_s: MapReduce */
    WHY_PAST_QUANTILE,     /* elapsed_s, quantile_s: Dryad */
    WHY_SPECULATION_CAP,   /* held, limit */
    WHY_BAD_NODE,          /* p, limit, last, long_term */
    WHY_COMMIT_FAILED,     /* the output could not be made visible */
    WHY_OWN_OUTPUT,        /* waited_s, users: no sibling reads this output */
    WHY_SHARED_OUTPUT,     /* waited_s, users: siblings read it too */
    WHY_PRUNED,            /* left_s, copies: slower than the copies that are kept */
    WHY_RESTART_FASTER,    /* left_s, new_s, chance, waiting: Mantri kills and starts anew */
    WHY_DUPLICATE_SAVES,   /* left_s, new_s, chance, waiting: Mantri duplicates */
    WHY_ALL_OVER,          /* tasks, failed: each task is committed or may be missing */
    WHY_UNSAFE_NODES,      /* p, target, clones: the chosen nodes straggle too often together */
    WHY_OMEGA,             /* bin, omega_s, alone_s, shared_s, missing, copies: delay has chosen */
    WHY_REPLICA_ENDED,     /* replica: commit: the first whole copy of the job to end */
    WHY_REPLICA_LOST,      /* replica: the one that ended first */
    WHY_RACKS_PLANNED,     /* racks, bytes, worst_s, exact, measured: the racks to read in */
    WHY_NO_TRAFFIC,        /* racks, bytes: no traffic to choose racks for */
    WHY_CAP,               /* spent, limit, resource: unit-seconds of extra attempts in an hour */
    WHY_DISK_FULL,         /* an extra attempt is ended, because a disk is full */
    WHY_INPUT_CHANGED,     /* an input of it was made again and differs */
    WHY_REDO_COSTS,   /* redo_s, copy_s, r, bytes, tokens: a replica is cheaper than the risk */
    WHY_PROTECTED,    /* replicated, cheap, no_tokens, no_node: of the phase's tasks */
    WHY_PRECOMPUTE,   /* losses, node, used_s, budget_s: its node has begun to lose outputs */
    WHY_NO_IDLE_CORE, /* clones, each, spare: attempts that compute, and no free core for them */
    WHY_STANDING,     /* rank, volume, time_s: its turn, by the work left of its job */
    WHY_OFFERED,      /* copies, tasks: copies of each, once nothing else can start */
    WHY_NODE_FAULT,   /* the node's own work for attempts failed: it gets no attempts for a while */
    WHY_PRESSURE,     /* node, disk, memory: processes there are stalled by one of these anyway */
    WHY_WATCHED,      /* copies, tasks, p, new_s: shepherd copies its tasks as far as that pays */
    WHY_RESCUE,       /* left_s, after_s, new_s, won, races: shepherd copies a late task */
    WHY_HEDGE,        /* p, new_s, copies, tasks: shepherd copies a task that may straggle yet */
    WHY_CODE_END,
};

struct reason {
    uint16_t code; /* enum reason_code */
    uint8_t count; /* of valid numbers */
    double num[REASON_NUMBERS_MAX];
};

/* A reason with its numbers: REASON(WHY_CLONE, 1, 3), or without: REASON_PLAIN(WHY_YIELD). */
#define REASON(code, ...)                                                                          \
    ((struct reason){(code), sizeof((double[]){__VA_ARGS__}) / sizeof(double), {__VA_ARGS__}})
#define REASON_PLAIN(code) ((struct reason){(code), 0, {0}})

/* The stable lower-case name of a code; "?" if out of range. */
const char *reason_name(uint16_t code);
/* The name of the i-th number of a code; "?" if out of range. */
const char *reason_number_name(uint16_t code, uint8_t i);
