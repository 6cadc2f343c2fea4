/* sim_content.h - private to src/sim: the contents of outputs. */
#pragma once

#include "sim/sim_state.h"

/* Writes the event that precedes `finished`, for a phase that another one reads. */
void sim_content_ready(struct sim *s, const struct sim_attempt *x);

/* Frees the partitions that were reported with these events. */
void sim_content_forget(struct sim *s, const struct event *events, uint32_t count);

/* Returns how many bytes of an output of the phase are for this reader, of those that read a
 * partition of each. */
int64_t sim_content_partition(const struct sim_phase *phase, uint32_t readers, uint32_t task);

/* Returns the bytes of `count` outputs, of each of which a reader gets one of `shares` equal
 * partitions.
 */
int64_t sim_content_bytes(const struct sim_phase *upstream, uint32_t count, uint32_t shares,
                          uint32_t task);
