/* exec_launch.h - starts attempts: their environment and their inputs. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "core/model/decision.h"

struct exec;

struct exec_launch {
    VEC(char) env; /* scratch */
};

/* Sends the launch to its runner, or queues it. */
void exec_launch(struct exec *x, const struct decision *d);

/* Sends the queued launches that may be sent. Returns when the next one is due; INT64_MAX: none
 * waits for a time. */
int64_t exec_launch_due(struct exec *x, int64_t now_us);

/* Answers that the source was read, for a command that is not sent its reads. */
void exec_launch_assign_read(struct exec *x, const struct decision *d, uint32_t handle);
