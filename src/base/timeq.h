/* timeq.h - the simulator's queue of future events: a radix heap on integer times.
 *
 * Times never go back below the last popped one (that is what makes a radix heap possible). Entries
 * of equal time leave in the order in which they were pushed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct timeq;

/* Creates an empty queue whose clock is at 0. Destroy with timeq_destroy; NULL is fine there. */
struct timeq *timeq_create(void);
void timeq_destroy(struct timeq *q);

/* Adds an entry. `time` must not be below the time of the last pop. */
void timeq_push(struct timeq *q, int64_t time, uint64_t payload);

/* Removes the earliest entry and returns true; returns false if the queue is empty. */
bool timeq_pop(struct timeq *q, int64_t *time, uint64_t *payload);

/* Does the same if the earliest entry is of this time; returns false if there is none, or it is
 * later. */
bool timeq_pop_at(struct timeq *q, int64_t time, uint64_t *payload);

/* Sets *time to the earliest time without removing the entry; returns false if the queue is
 * empty. */
bool timeq_peek(struct timeq *q, int64_t *time);

/* Sets *payload to that of the entry that is popped next unless an earlier one is pushed, for
 * prefetching. Returns false if the queue is empty. */
bool timeq_next(struct timeq *q, uint64_t *payload);

/* Does the same for the next entry but one; returns false if there is none. */
bool timeq_after(struct timeq *q, uint64_t *payload);

/* The number of entries. */
uint64_t timeq_count(const struct timeq *q);
