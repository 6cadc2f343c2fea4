/* exec_control.h - events of attempts and nodes without a decision of the brain. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "exec/attempt_table.h"
#include "exec/timers.h"

struct exec;

struct exec_control {
    int64_t limit_us;               /* limit of running time; 0: none */
    VEC(struct attempt_time) timed; /* started, in order */
    uint32_t timed_from;            /* the first that may be running */
    struct timers doomed;           /* when chaos kills an attempt, by its handle */
};

/* Prepares the ticks, and draws when chaos takes nodes away. */
void exec_control_init(struct exec *x);
void exec_control_fini(struct exec *x);

/* Calls the periodic hook if it is due. Returns when to call it again. */
int64_t exec_control_tick(struct exec *x, int64_t now_us);

/* Ends attempts whose time is over. Returns when the next one's is; INT64_MAX: none has a limit. */
int64_t exec_control_limits(struct exec *x, int64_t now_us);

/* Kills the attempts that chaos has drawn. Returns the time of the next; INT64_MAX: none. */
int64_t exec_control_doom(struct exec *x, int64_t now_us);

/* Takes nodes away, or returns them, as chaos has drawn. Returns the time of the next change. */
int64_t exec_control_nodes(struct exec *x, int64_t now_us);

/* Returns true if something will happen without the brain. */
bool exec_control_hopes(const struct exec *x);
