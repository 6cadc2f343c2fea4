/* write_behind.h - bytes that a thread of its own writes to a file, while the next are being made.
 *
 * The last task of a job that sorts has nobody beside it, and half of its time is spent in writing
 * and in the checksum of what was written. */
#ifndef JOBS_TASK_WRITE_BEHIND_H
#define JOBS_TASK_WRITE_BEHIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct write_behind;

/* Writes to `fd`, which stays the caller's. */
struct write_behind *write_behind_create(int fd);

/* Takes a copy. -1: what came before could not be written, or there is no thread to be had. */
int write_behind_add(struct write_behind *b, const char *at, size_t count, struct err *err);

/* How much was written, and its XXH3 (64 bits). */
struct write_behind_sum {
    uint64_t bytes, checksum;
};
/* Waits until all is written, and frees it. -1: not all is. */
int write_behind_finish(struct write_behind *b, struct write_behind_sum *sum, struct err *err);

#endif
