/* exec_wait.h - waits for all kinds of events at once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/body.h"
#include "core/model/event.h"

struct exec;

struct exec_events {
    struct event *at;
    uint32_t count, cap;
};

/* Events of the clock. */
enum exec_due {
    EXEC_DUE_JOB,    /* a job is submitted */
    EXEC_DUE_TIMER,  /* a timer of the brain */
    EXEC_DUE_TICK,   /* the caller's hook is called */
    EXEC_DUE_LIMIT,  /* an attempt has run too long */
    EXEC_DUE_DOOM,   /* chaos kills an attempt */
    EXEC_DUE_NODE,   /* chaos takes a node, or gives it back */
    EXEC_DUE_OWED,   /* an attempt that was lost cannot be alive any more */
    EXEC_DUE_LOOK,   /* the disk is checked */
    EXEC_DUE_LAUNCH, /* a queued launch may be sent */
    EXEC_DUE_COMMIT, /* outputs that wait are committed */
    EXEC_DUE_TURNS,  /* how long turns took is written */
    EXEC_DUES,
};

struct exec_wait {
    int64_t due_us[EXEC_DUES]; /* when each is due, in time of the run; INT64_MAX: it is not */
    uint32_t idle_turns;
    int64_t polled_us;        /* when epoll was last asked */
    struct exec_events batch; /* handed out */
    int64_t batch_us;         /* time of that batch */
};

/* Does what `wait` of core/engine/body.h asks for. */
int exec_wait(void *body, struct batch *batch, struct err *err);

/* Makes a SIGTSTP wait for exec_hold from now on (`wait`), or stop the process at once. */
void exec_wait_hold(struct exec *x, bool wait);
