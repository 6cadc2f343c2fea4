/* event.h - events, the only way in which anything becomes true for the brain.
 *
 * The contract (docs/inside/protocol.md has it in full):
 *  - each launch is answered by exactly one of started, launch_failed;
 *  - each started attempt ends with exactly one of finished, failed, killed, lost; `ended` may
 *    precede that, when the attempt has freed its resources but its result is not trusted yet;
 *  - finished may arrive after a kill was requested;
 *  - a request that cannot be met any more is answered by refused, never ignored;
 *  - all events of one instant are delivered before the brain decides.
 * Pointers in an event are borrowed until brain_apply returns. */
#pragma once

#include <stdint.h>

#include "core/model/id.h"
#include "core/model/job.h"
#include "core/model/res.h"

/* Numbers are part of the journal format: append only. "Swarm": the brain accepts it, but no body
 * reports it by itself; the swarm does, and so does a replay of a journal that has it. */
enum event_type {
    EV_NODE_UP = 1,   /* a node is seen for the first time, or is back; u.node */
    EV_NODE_DOWN,     /* its attempts are reported lost one by one */
    EV_NODE_SUSPECT,  /* it does not answer: no new attempts */
    EV_NODE_DRAIN,    /* no new attempts; running ones continue */
    EV_NODE_CAPACITY, /* u.node.capacity is the new one; swarm */
    EV_JOB_SUBMITTED, /* u.job */
    EV_JOB_CHANGED,   /* u.change: weight or running_max; swarm */
    EV_JOB_CANCELLED,
    EV_ATTEMPT_STARTED,       /* u.late_us */
    EV_ATTEMPT_LAUNCH_FAILED, /* cause */
    EV_ATTEMPT_PROGRESS,      /* u.progress */
    EV_ATTEMPT_FINISHED,      /* u.use; complete, but not won */
    EV_ATTEMPT_FAILED,        /* u.use, cause */
    EV_ATTEMPT_KILLED,        /* u.use; confirmed dead */
    EV_ATTEMPT_LOST,          /* u.use; its node is gone */
    EV_OUTPUT_READY,          /* u.output; precedes finished in the same batch */
    EV_OUTPUT_LOST,           /* reported at node down or a failed fetch or copy, never earlier */
    EV_FETCH_STARTED,         /* u.fetch; `at` is the reader */
    EV_FETCH_DONE,
    EV_FETCH_FAILED,
    EV_REPLICA_DONE, /* node holds a copy of `at`'s output */
    EV_REPLICA_FAILED,
    EV_LINK_SAMPLE,   /* u.link */
    EV_COMMITTED,     /* `at` is the winner of its task */
    EV_COMMIT_FAILED, /* cause */
    EV_REFUSED,       /* u.refused, cause */
    EV_TIMER,         /* u.timer */
    EV_CORES,         /* u.cores */
    EV_RESOURCE,      /* u.resource, before the first node; without it, the default name and kind */
    EV_ATTEMPT_ENDED, /* it has stopped; how it ended follows once its node proves alive */
    EV_PRESSURE,      /* u.pressure, of a node */
    EV_TYPE_END,
};

/* Why something failed or was refused. Append only. */
enum cause {
    CAUSE_NONE,
    CAUSE_NODE_DOWN,
    CAUSE_WITHDRAWN,       /* the launch was withdrawn in time */
    CAUSE_ALREADY_STARTED, /* ... or not */
    CAUSE_ALREADY_ENDED,
    CAUSE_UNKNOWN_ATTEMPT,
    CAUSE_NO_ROOM,      /* the node cannot hold it; not reported by any body yet */
    CAUSE_NO_SUCH_FILE, /* the command does not exist or cannot be executed */
    CAUSE_SYSTEM,       /* a system call failed; `detail` is errno */
    CAUSE_EXIT,         /* the command exited with a status other than 0; `detail` is the status */
    CAUSE_SIGNAL,       /* the command died of a signal; `detail` is the signal */
    CAUSE_OUTPUT_GONE,
    CAUSE_DISK_FULL,
    CAUSE_TIMEOUT,
    CAUSE_INJECTED, /* injected by the simulator or chaos */
    CAUSE_JOB_OVER,
    CAUSE_NODE_FAULT, /* the node's own work for attempts failed; `detail` is errno */
    CAUSE_END,
};

/* The resources that an attempt used, at its end. */
struct usage {
    int64_t wall_us; /* from started to the end */
    int64_t cpu_us;  /* -1: unknown */
    int64_t read_bytes, written_bytes;
    int64_t peak_rss_kib; /* -1: unknown */
};

struct output_partition {
    int64_t bytes;
    uint64_t checksum;
};

struct event {
    uint8_t type;  /* enum event_type */
    uint8_t cause; /* enum cause */
    int32_t detail;
    struct attempt_ref at; /* attempt (or task, or job) concerned */
    struct node_id node;
    union {
        struct {
            struct res capacity;
            uint32_t rack;
            const char *name;
        } node;
        const struct job_spec *job;
        struct {
            uint32_t weight, running_max;
        } change;
        struct {
            int64_t done, total; /* total < 0: unknown */
            int64_t cpu_us;      /* -1: unknown */
            uint8_t stage;       /* 0 the only one, or copy, sort, reduce as 0, 1, 2 */
        } progress;
        int64_t late_us; /* time between its start and this turn: the news may be late */
        struct usage use;
        struct {
            int64_t bytes;
            uint64_t checksum; /* of all partitions: equal iff every partition is equal */
            const struct output_partition *partitions; /* NULL: evenly divided */
            uint32_t partition_count;
        } output;
        struct {
            struct attempt_ref source; /* task TASK_ALL: the committed outputs of the whole phase */
            int64_t bytes;
            int64_t took_us;
        } fetch;
        struct {
            struct node_id to;
            int64_t bytes, took_us;
        } link;
        struct {
            uint64_t decision;     /* id of the decision that cannot be met */
            uint8_t decision_type; /* enum decision_type */
        } refused;
        uint32_t timer;
        /* In thousandths of a core: `spare` is left to clones by first attempts and all other
         * processes on the machine, `each` is used by one attempt; 0: almost nothing, or
         * unknown. */
        struct {
            int32_t spare, each;
        } cores;
        /* In thousandths of the time: how long processes on the node were stalled by the disk, as
         * far as attempts use it, and by lack of memory. */
        struct {
            int32_t disk, memory;
        } pressure;
        struct {
            const char *name;
            uint8_t which, kind; /* RES_CPU ...; enum res_kind */
        } resource;
    } u;
};

/* An attempt that will most likely be the next to end, and its node. Nothing depends on it: modules
 * that keep data about the attempt can prefetch them. */
struct hint {
    struct attempt_ref at;
    struct node_id node;
};

/* The stable lower-case name of a type, as the journal prints it; "?" for numbers out of range. */
const char *event_name(uint8_t type);
/* The same for an enum cause. */
const char *event_cause_name(uint8_t cause);

/* The time at which the attempt of a start event really started: no later than the turn at now_us
 * that reports it, and not before it was launched. */
static inline int64_t event_started_us(const struct event *e, int64_t now_us, int64_t launched_us)
{
    int64_t ran_us = now_us > launched_us ? now_us - launched_us : 0;
    int64_t late_us = e->u.late_us < 0 ? 0 : e->u.late_us;
    return now_us - (late_us < ran_us ? late_us : ran_us);
}

/* Returns true for the four endings of a started attempt. */
static inline bool event_is_ending(uint8_t type)
{
    return type >= EV_ATTEMPT_FINISHED && type <= EV_ATTEMPT_LOST;
}

/* Returns true for every end of a launched attempt: the four, and a launch that failed. */
static inline bool event_is_end(uint8_t type)
{
    return event_is_ending(type) || type == EV_ATTEMPT_LAUNCH_FAILED;
}

/* Returns true for the events of a node itself: up, down, suspect, drain, capacity. */
static inline bool event_is_node(uint8_t type)
{
    return type >= EV_NODE_UP && type <= EV_NODE_CAPACITY;
}
