/* decision.h - requests of the brain. A decision is a request with an id; only events make it true.
 *
 * Every decision has its reason: a code and the numbers on which it was taken. Refusals to act are
 * decisions too (verdict), so that "why was my job not cloned?" has an answer in the journal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "core/model/reason.h"

/* Numbers are part of the journal format: append only. */
enum decision_type {
    DO_LAUNCH = 1, /* kind, node, job_copy */
    DO_WITHDRAW,   /* withdraw a launch that has not started */
    DO_KILL,       /* grace_us */
    DO_COMMIT,
    DO_ASSIGN_READ,        /* u.read; `at` is the reader */
    DO_DISCARD_OUTPUT = 7, /* 6 is reserved */
    DO_REPLICATE,          /* copy the output of `at` to node */
    DO_AVOID_NODE,         /* node, u.until_us */
    DO_SET_TIMER,          /* u.timer */
    DO_VERDICT = 12,       /* an answer about job, phase or task; 11 is reserved */
    DO_JOB_DONE,
    DO_JOB_FAILED,
    DO_TYPE_END,
};

/* Why an attempt exists. Append only. */
enum launch_kind {
    LAUNCH_FIRST,
    LAUNCH_CLONE,     /* proactive extra attempt */
    LAUNCH_BACKUP,    /* speculative extra attempt */
    LAUNCH_RESTART,   /* replaces one that failed, was lost or was killed for it */
    LAUNCH_RECOMPUTE, /* the committed output was lost */
    LAUNCH_KIND_END,
};

struct decision {
    uint64_t id;  /* counts from 1 in every run */
    uint8_t type; /* enum decision_type */
    uint8_t kind; /* enum launch_kind */
    uint16_t
        job_copy; /* the copy of a job that is cloned as a whole, inside which it reads; else 0 */
    struct attempt_ref at;
    struct node_id node;
    union {
        int64_t grace_us; /* between TERM and KILL; 0: KILL at once */
        struct {
            struct attempt_ref source; /* task TASK_ALL: the committed outputs of the phase */
            uint8_t exclusive;
        } read;
        int64_t until_us;
        struct {
            uint32_t id;
            int64_t at_us;
        } timer;
    } u;
    struct reason why;
};

/* The decisions of one decide, in the order in which they are to be performed. Owned by the brain;
 * valid until its next decide. */
struct decision_list {
    const struct decision *at;
    uint32_t count;
};

/* Returns true if the number is that of a type, which reserved ones are not. */
static inline bool decision_is_type(uint8_t type)
{
    const uint32_t reserved = 1U << 0 | 1U << 6 | 1U << 11;
    return type < DO_TYPE_END && !(reserved >> type & 1);
}

/* The stable lower-case name of a type, as the journal prints it; "?" for any other number. */
const char *decision_name(uint8_t type);
/* The same for an enum launch_kind. */
const char *decision_kind_name(uint8_t kind);
