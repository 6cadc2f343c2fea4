/* timeq.c - a radix heap.
 *
 * Simulated time only moves forward, so an entry need not be compared with the others: it waits in
 * the bucket of the highest bit in which its time differs from the clock, the time of the last pop.
 * Bucket 0 holds what is due now, bucket b times that share all bits from b upwards with the clock.
 * When bucket 0 runs dry, the earliest entry is in the lowest bucket that is not empty; the clock
 * jumps to it and that bucket is dealt out to the (empty) buckets below, which keeps the rule true
 * for all. An entry only ever moves down, so it moves at most 63 times and in practice a few.
 *
 * Equal times always share a bucket, pushes append and dealing keeps the order: first in, first out
 * without a sequence number, so an entry is 16 bytes.
 *
 * timeq_peek must not move the clock, because a push between the last pop and the time peeked at is
 * still legal; it finds the minimum and remembers it for the pop that usually follows.
 *
 * A binary heap of (time, sequence) was rejected: each pop costs some fifteen unpredictable
 * branches at the sizes we see. A calendar queue is as fast but has to be tuned to the spread of
 * the times. */
#include "base/timeq.h"

#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct entry {
    int64_t time;
    uint64_t payload;
};

struct bucket {
    struct entry *at;
    uint32_t count, cap;
};

enum { BUCKETS = 64 }; /* times are not negative, so at most 63 bits differ */

#define EARLIEST_UNKNOWN (-1)

struct timeq {
    int64_t clock;
    int64_t earliest;  /* least time outside bucket 0, or EARLIEST_UNKNOWN ... */
    uint64_t next;     /* ... and the payload of its first entry */
    uint64_t occupied; /* bit b: bucket b > 0 is not empty */
    uint64_t count;
    uint32_t head; /* bucket 0 before here has been popped */
    struct bucket buckets[BUCKETS];
};

struct timeq *timeq_create(void)
{
    struct timeq *q = mem_zalloc(1, sizeof *q);
    q->earliest = EARLIEST_UNKNOWN;
    return q;
}

void timeq_destroy(struct timeq *q)
{
    if (!q)
        return;
    for (int b = 0; b < BUCKETS; b++)
        mem_free(q->buckets[b].at);
    mem_free(q);
}

/* Never inlined: the common push must stay small. */
__attribute__((noinline)) static void bucket_grow(struct bucket *b)
{
    check(b->cap < UINT32_MAX / 2);
    b->cap = b->cap ? 2 * b->cap : 16;
    b->at = mem_resize(b->at, b->cap, sizeof *b->at);
}

static inline void bucket_add(struct bucket *b, struct entry e)
{
    if (b->count == b->cap)
        bucket_grow(b);
    b->at[b->count++] = e;
}

/* Adds to what is due now. Popped entries make room first, so that a queue which never runs dry at
 * one instant does not grow without end. */
static inline void due_add(struct timeq *q, struct entry e)
{
    struct bucket *due = &q->buckets[0];
    if (due->count == due->cap && q->head > due->count / 2) {
        due->count -= q->head;
        memmove(due->at, due->at + q->head, due->count * sizeof *due->at);
        q->head = 0;
    }
    bucket_add(due, e);
}

void timeq_push(struct timeq *q, int64_t time, uint64_t payload)
{
    check(time >= q->clock);
    struct entry e = {time, payload};
    q->count++;
    if (time == q->clock) {
        due_add(q, e);
        return;
    }
    int b = 64 - __builtin_clzll((uint64_t)(time ^ q->clock));
    bucket_add(&q->buckets[b], e);
    q->occupied |= UINT64_C(1) << b;
    if (time < q->earliest) {
        q->earliest = time;
        q->next = payload;
    }
}

static inline bool nothing_due(const struct timeq *q)
{
    return q->head == q->buckets[0].count;
}

/* The least time outside bucket 0, which is not empty there. */
static int64_t find_earliest(struct timeq *q)
{
    if (q->earliest == EARLIEST_UNKNOWN) {
        const struct bucket *low = &q->buckets[__builtin_ctzll(q->occupied)];
        const struct entry *first = low->at;
        for (const struct entry *e = first + 1, *end = low->at + low->count; e < end; e++)
            first = e->time < first->time ? e : first;
        q->earliest = first->time;
        q->next = first->payload;
    }
    return q->earliest;
}

/* Moves the clock to the earliest entry and deals its bucket out to those below. */
static void advance(struct timeq *q)
{
    q->buckets[0].count = q->head = 0;
    int64_t clock = q->clock = find_earliest(q);
    q->earliest = EARLIEST_UNKNOWN;

    uint64_t occupied = q->occupied & (q->occupied - 1);
    struct bucket *low = &q->buckets[__builtin_ctzll(q->occupied)];
    for (const struct entry *e = low->at, *end = e + low->count; e < end; e++) {
        /* Bucket 0 without a branch, which nobody could predict: twice the difference, plus one. */
        int b = 63 - __builtin_clzll((uint64_t)(e->time ^ clock) << 1 | 1);
        bucket_add(&q->buckets[b], *e);
        occupied |= UINT64_C(1) << b;
    }
    low->count = 0;
    q->occupied = occupied & ~UINT64_C(1);
}

bool timeq_pop(struct timeq *q, int64_t *time, uint64_t *payload)
{
    if (nothing_due(q)) {
        if (!q->occupied)
            return false;
        advance(q);
    }
    const struct entry *e = &q->buckets[0].at[q->head++];
    *time = e->time;
    *payload = e->payload;
    q->count--;
    return true;
}

bool timeq_peek(struct timeq *q, int64_t *time)
{
    if (!nothing_due(q))
        *time = q->clock;
    else if (q->occupied)
        *time = find_earliest(q);
    else
        return false;
    return true;
}

bool timeq_next(struct timeq *q, uint64_t *payload)
{
    if (!nothing_due(q)) {
        *payload = q->buckets[0].at[q->head].payload;
        return true;
    }
    if (!q->occupied)
        return false;
    find_earliest(q);
    *payload = q->next;
    return true;
}

uint64_t timeq_count(const struct timeq *q)
{
    return q->count;
}
