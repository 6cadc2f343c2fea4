/* exec_wait.h - one wait for everything that can happen. */
#ifndef EXEC_EXEC_WAIT_H
#define EXEC_EXEC_WAIT_H

#include <stdint.h>

#include "core/engine/body.h"
#include "exec/exec_emit.h"

struct exec_wait {
    uint32_t idle_turns;
    int64_t polled_us;        /* when epoll was last asked */
    struct exec_events batch; /* handed out */
    int64_t batch_us;         /* time of that batch */
};

/* Does what `wait` of core/engine/body.h asks for. */
int exec_wait(void *body, struct batch *batch, struct err *err);

#endif
