/* timeq.h - the simulator's queue of future events: a radix heap on integer times.
 *
 * Times never go back below the last popped one (that is what makes a radix heap possible).
 * Entries of equal time come out in the order in which they were put in. */
#ifndef BASE_TIMEQ_H
#define BASE_TIMEQ_H

#include <stdbool.h>
#include <stdint.h>

struct timeq;

/* An empty queue whose clock stands at 0. Destroy with timeq_destroy; NULL is fine there. */
struct timeq *timeq_create(void);
void timeq_destroy(struct timeq *q);

/* Adds an entry. `time` must not be below the time of the last pop. */
void timeq_push(struct timeq *q, int64_t time, uint64_t payload);

/* Takes the earliest entry; false when empty. */
bool timeq_pop(struct timeq *q, int64_t *time, uint64_t *payload);

/* The earliest time without taking anything; false when empty. */
bool timeq_peek(struct timeq *q, int64_t *time);

/* For fetching memory ahead: the payload of the entry that comes out next unless an
 * earlier one is pushed; false when empty. */
bool timeq_next(struct timeq *q, uint64_t *payload);

/* The same of the next but one; false when there is none. */
bool timeq_after(struct timeq *q, uint64_t *payload);

/* How many entries wait. */
uint64_t timeq_count(const struct timeq *q);

#endif
