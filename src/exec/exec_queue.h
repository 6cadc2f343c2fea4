/* exec_queue.h - launches that wait: for the user's pace, or for resources of the system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/id.h"
#include "exec/exec_runner.h"

struct exec_queue {
    uint32_t *at; /* handles of waiting launches, in order */
    uint32_t count, cap;
    int64_t launch_us; /* when the next launch may be sent */
    bool warned;       /* the "no room" warning was printed */
};

/* Queues a launch. */
void exec_queue_add(struct exec *x, uint32_t handle);

/* Queues a launch that failed with this error until there is room, if that may help. Returns true
 * if it will be tried again. */
bool exec_queue_starve(struct exec *x, uint32_t handle, int error);

/* Tries a launch that found no room on the runner again. */
void exec_queue_retry(struct exec *x, struct exec_runner *r);

/* Notes that there may be room: an attempt of the runner has started, or ended. */
static inline void exec_queue_freed(struct exec *x, struct exec_runner *r)
{
    r->starved_vain = 0;
    if (r->starved)
        exec_queue_retry(x, r);
}

/* Returns true if a new launch on this node has to wait. */
bool exec_queue_holds(struct exec *x, struct node_id node);

/* Withdraws a queued launch; returns false if it is not queued. */
bool exec_queue_remove(struct exec *x, uint32_t handle, uint8_t cause);

/* Withdraws all of them. */
void exec_queue_end_all(struct exec *x);

/* Returns the runner that a launch waits for. */
struct exec_runner *exec_queue_runner(struct exec *x, uint32_t handle);

/* Returns true if the first launch of this runner may be sent now. */
bool exec_queue_may_send(const struct exec *x, struct exec_runner *r, int64_t now_us);

/* Takes the i-th launch off the queue and returns its handle. */
uint32_t exec_queue_take(struct exec *x, uint32_t i);

/* Ends a launch that was taken off the queue, as failed with this cause. */
void exec_queue_end(struct exec *x, uint32_t handle, uint8_t cause);
