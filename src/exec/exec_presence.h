/* exec_presence.h - runners that join, fall silent and leave, and the loss of their attempts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "exec/attempt_table.h"
#include "exec/exec_runner.h"

struct exec_presence {
    bool told;                     /* the brain was informed of the nodes */
    VEC(struct attempt_time) owed; /* lost, but the brain must not be informed yet */
};

/* Emits all nodes for the first time. */
void exec_presence_first(struct exec *x);

/* Informs the brain of runners that join and leave from now on. */
void exec_presence_begin(struct exec *x);

/* Notes that the runner `ctx` (struct exec_runner) is here, about to leave, silent or away; see
 * exec/process/runner_link.h. */
void exec_presence_on(void *ctx, enum runner_presence presence, int64_t over_us, const char *why);

/* Notes that the runner `ctx` is away for good. */
void exec_presence_on_lost(void *ctx, const char *why);

/* Loses a live attempt that is out of reach, and may be alive until over_us (time of the run);
 * informs the brain only then, if necessary. */
void exec_presence_lose(struct exec *x, uint32_t handle, int64_t over_us);

/* Records and emits the cores that the runner has left for clones. */
void exec_presence_cores(struct exec_runner *r, int32_t spare, int32_t each);

/* Emits the pressure on the runner's machine. */
void exec_presence_pressure(struct exec_runner *r, int32_t disk, int32_t memory);

/* Returns true if a runner may still join. */
bool exec_presence_hopes(const struct exec *x);

/* Loses attempts that can no longer be alive. Returns when the next one is due; INT64_MAX: never.
 */
int64_t exec_presence_due(struct exec *x, int64_t now_us);
