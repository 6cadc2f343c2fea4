/* exec_control.h - what happens to attempts and nodes without a decision of the brain. */
#ifndef EXEC_EXEC_CONTROL_H
#define EXEC_EXEC_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "exec/attempt_table.h"

struct exec;

struct exec_control {
    int64_t tick_us;                        /* when the next call of the hook is due */
    int64_t limit_us;                       /* of running time; 0: none */
    VEC(struct attempt_time) timed, doomed; /* started, in order; to be killed by chaos */
    uint32_t timed_from;                    /* the first that may be running */
};

/* Draws when chaos takes nodes away. */
void exec_control_init(struct exec *x);
void exec_control_fini(struct exec *x);

/* Does what is due at this time of the run. Returns when the next thing is; INT64_MAX: nothing. */
int64_t exec_control_due(struct exec *x, int64_t now_us);

/* Returns true if something will happen without the brain. */
bool exec_control_hopes(const struct exec *x);

#endif
