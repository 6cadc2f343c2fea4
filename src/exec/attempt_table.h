/* attempt_table.h - every attempt the coordinator has launched, and its state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "core/model/id.h"

enum attempt_row_state {
    ROW_WAITING,   /* its launch was decided, and waits: it was not sent to a runner */
    ROW_LAUNCHING, /* sent to its runner */
    ROW_RUNNING,
    ROW_FINISHED, /* ended well; its output is in its private folder */
    ROW_COMMITTED,
    ROW_GONE, /* ended, and nothing is kept of it except perhaps its stderr */
};

#define ATTEMPT_TABLE_NONE UINT32_MAX

struct attempt_row {
    struct attempt_ref at;
    struct node_id node;
    uint8_t state;    /* enum attempt_row_state */
    uint8_t ended_by; /* enum cause: why the body ended it without a decision of the brain */
    bool clone;       /* a clone, which runs at lower priority */
    bool extra;       /* a clone or backup */
    bool told;        /* it has reported its output itself, */
    bool no_space;    /* or that there is no space for it */
    bool silent;      /* it has ended, and printed nothing on either output */
    bool left;        /* ended, but the reason is not known yet (exec/process/doubt.h) */
    bool owed;        /* its runner has left, and it may be alive (exec_presence.c) */
    bool failed;      /* reported as failed, in its launch, its run or its commit */
    /* exec_recall.c: its commit was decided; it was announced; its folder is kept. */
    bool asked, intended, kept;
    uint32_t task_prev;  /* previous attempt whose task has the same key */
    uint32_t job_prev;   /* previous attempt of the job */
    uint32_t dir;        /* its private folder, of attempt_dirs; ATTEMPT_TABLE_NONE: none yet */
    uint32_t copies;     /* exec_copy.c: the newest copy of its output; ATTEMPT_TABLE_NONE: none */
    int64_t replaced_us; /* when its output, or a copy of it, was put where it is */
    int64_t read_us;     /* when it was last sent a read */
    int64_t bytes;       /* of its output */
    uint64_t checksum;
    int64_t launched_us; /* of a recalled attempt: when it started */
};

/* An attempt and a time that matters to it. */
struct attempt_time {
    uint32_t handle;
    int64_t at_us;
};

/* Zero-initialise. The index of a row is its handle for the runner; rows are kept. */
struct attempt_table {
    VEC(struct attempt_row) at;
    struct lookup by_task; /* key of a task -> its newest attempt */
    uint32_t live;         /* number of rows that are launching or running */
};

void attempt_table_fini(struct attempt_table *r);

/* Adds an attempt in state launching; *job_newest is the head of its job's list. Returns its
 * handle. */
uint32_t attempt_table_add(struct attempt_table *r, struct attempt_ref at, struct node_id node,
                           uint32_t *job_newest);

/* Returns the handle of the attempt, or ATTEMPT_TABLE_NONE. */
uint32_t attempt_table_find(const struct attempt_table *r, struct attempt_ref at);

/* Returns the handle of the task's committed attempt, or ATTEMPT_TABLE_NONE. */
uint32_t attempt_table_winner(const struct attempt_table *r, struct attempt_ref task);

/* Returns true if the task has a committed attempt. */
static inline bool attempt_table_committed(const struct attempt_table *r, struct attempt_ref task)
{
    return attempt_table_winner(r, task) != ATTEMPT_TABLE_NONE;
}

/* Returns the number of failed attempts of the task. */
uint32_t attempt_table_failures(const struct attempt_table *r, struct attempt_ref task);

/* Returns true if the attempt's task has no other attempt. */
bool attempt_table_is_alone(const struct attempt_table *r, uint32_t handle);

static inline bool attempt_row_lives(const struct attempt_row *e)
{
    return e->state <= ROW_RUNNING;
}
