/* exec_full.h - a disk that is full, or was: which attempts to believe, and when to stop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct exec;
struct attempt_row;

struct exec_full {
    int64_t seen_us;   /* when the disk of the run was last seen full; -1: never */
    int64_t look_us;   /* when to check the disk again */
    int64_t extra_us;  /* when an extra attempt has ended last, anywhere; -1: never */
    uint32_t withheld; /* answers not given to the brain because the disk was full */
};

/* Records the free space on the disk of the runner `ctx` (struct exec_runner). */
void exec_full_on_free_bytes(void *ctx, int64_t bytes);

/* Checks the disk if it is time to. Returns when to check again; INT64_MAX: nothing runs. */
int64_t exec_full_due(struct exec *x, int64_t now_us);

/* Returns true if the disk, or that of its runner, was full at any time since the launch of the
 * attempt. */
bool exec_full_during(struct exec *x, const struct attempt_row *e);

/* Records that an attempt has ended, in any way. */
void exec_full_note_end(struct exec *x, const struct attempt_row *e);

/* Returns true if a full disk that would be the last failure of the attempt's task is not reported
 * to the brain; then the run stops when the running attempts have ended. */
bool exec_full_withholds(struct exec *x, const struct attempt_row *e);

/* Gives the runner of the attempt, which ran out of space for it, no work for some time; warns the
 * user now and then. */
void exec_full_rest(struct exec *x, const struct attempt_row *e, int error);

/* Returns -1 with *err if the run has to stop because answers are withheld, else 0. */
int exec_full_stop(const struct exec *x, struct err *err);
