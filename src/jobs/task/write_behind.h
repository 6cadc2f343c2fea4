/* write_behind.h - writes bytes to a file in a thread, while the next ones are being made.
 *
 * The last task of a job that sorts runs alone, and spends half of its time in writing and in the
 * checksum of its output. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct write_behind;

/* Creates a writer to `fd`, which remains the caller's. */
struct write_behind *write_behind_create(int fd);

/* Appends a copy of the bytes. Returns 0, or -1 with *err if earlier bytes could not be written, or
 * no thread can be started. */
int write_behind_add(struct write_behind *b, const char *at, size_t count, struct err *err);

/* Number of bytes written, their XXH3 (64 bits), and the number of their lines. */
struct write_behind_sum {
    uint64_t bytes, checksum, lines;
};
/* Waits until everything is written, and frees it. Returns 0, or -1 with *err if something could
 * not be written. */
int write_behind_finish(struct write_behind *b, struct write_behind_sum *sum, struct err *err);
