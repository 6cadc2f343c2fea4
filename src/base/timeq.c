/* timeq.c - a radix heap.
 *
 * Simulated time only moves forward, so an entry need not be compared with the others. Times are
 * numbers of 11 digits to base 64, and an entry waits by the highest digit in which its time
 * differs from the clock, the time of the last pop: in the row of that digit's position, in the
 * bucket of its value. What is due now has a list of its own. When that runs dry, the earliest
 * entry is in the lowest row that is not empty, there in the first bucket; the clock jumps to it
 * and that bucket is dealt out to the (empty) rows below, which keeps the rule true for all. An
 * entry only ever moves down, so it moves at most 11 times and in practice three.
 *
 * Equal times always share a bucket, pushes append and dealing keeps the order: first in, first out
 * without a sequence number, so an entry is 16 bytes.
 *
 * timeq_peek must not move the clock, because a push between the last pop and the time peeked at is
 * still legal; it finds the minimum and remembers it for the pop that usually follows.
 *
 * A binary heap of (time, sequence) was rejected: each pop costs some fifteen unpredictable
 * branches at the sizes we see. A calendar queue is as fast but has to be tuned to the spread of
 * the times. With base 2 an entry moves twice as often, and with base 16 once more. */
#include "base/timeq.h"

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

enum { DIGIT_BITS = 6, VALUES = 1 << DIGIT_BITS, ROWS = 64 / DIGIT_BITS + 1 };
enum { BUCKET_KEPT_MAX = 4096 }; /* entries whose memory is kept for the next */

#define EARLIEST_UNKNOWN (-1)
#define BUCKET_NONE UINT32_MAX

struct timeq {
    int64_t clock;
    int64_t earliest; /* least time that is not due, or EARLIEST_UNKNOWN ... */
    uint32_t next;    /* ... and which of its bucket is the first of that time */
    uint64_t count;
    struct bucket due;
    uint32_t head;         /* due entries before here have been popped */
    uint32_t rows;         /* bit r: row r is not empty */
    uint64_t values[ROWS]; /* of each row, bit v: bucket v is not empty */
    struct bucket buckets[ROWS][VALUES];
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
    for (int r = 0; r < ROWS; r++)
        for (int v = 0; v < VALUES; v++)
            mem_free(q->buckets[r][v].at);
    mem_free(q->due.at);
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
    struct bucket *due = &q->due;
    if (due->count == due->cap && q->head > due->count / 2) {
        due->count -= q->head;
        memmove(due->at, due->at + q->head, due->count * sizeof *due->at);
        q->head = 0;
    }
    bucket_add(due, e);
}

/* Adds to what is not due yet. Returns the entry's place in its bucket. */
static inline uint32_t later_add(struct timeq *q, struct entry e)
{
    int row = (63 - __builtin_clzll((uint64_t)(e.time ^ q->clock))) / DIGIT_BITS;
    int value = (int)(e.time >> (row * DIGIT_BITS)) & (VALUES - 1);
    struct bucket *b = &q->buckets[row][value];
    bucket_add(b, e);
    q->rows |= 1U << row;
    q->values[row] |= UINT64_C(1) << value;
    return b->count - 1;
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
    uint32_t place = later_add(q, e);
    if (time < q->earliest) {
        q->earliest = time;
        q->next = place;
    }
}

static inline bool nothing_due(const struct timeq *q)
{
    return q->head == q->due.count;
}

/* The bucket with the earliest entries that are not due; there are some. */
static inline struct bucket *lowest(struct timeq *q, int *row, int *value)
{
    *row = __builtin_ctz(q->rows);
    *value = __builtin_ctzll(q->values[*row]);
    return &q->buckets[*row][*value];
}

/* The first of the earliest entries of a bucket; one is passed over (BUCKET_NONE: none is). */
static inline uint32_t bucket_first(const struct bucket *b, uint32_t except)
{
    uint32_t first = except == 0;
    for (uint32_t i = first + 1; i < b->count; i++)
        if (b->at[i].time < b->at[first].time && i != except)
            first = i;
    return first;
}

/* The least time that is not due; there is one. */
static inline int64_t find_earliest(struct timeq *q)
{
    if (q->earliest == EARLIEST_UNKNOWN) {
        int row, value;
        const struct bucket *low = lowest(q, &row, &value);
        q->next = bucket_first(low, BUCKET_NONE);
        q->earliest = low->at[q->next].time;
    }
    return q->earliest;
}

/* Moves the clock to the earliest entry and deals its bucket out to the rows below. */
static void advance(struct timeq *q)
{
    int row, value;
    q->due.count = q->head = 0;
    q->clock = find_earliest(q);
    q->earliest = EARLIEST_UNKNOWN;

    struct bucket *low = lowest(q, &row, &value);
    q->values[row] &= ~(UINT64_C(1) << value);
    if (!q->values[row])
        q->rows &= ~(1U << row);
    if (low->count == 1) { /* as mostly at the end of the way down */
        bucket_add(&q->due, low->at[0]);
        low->count = 0;
        return;
    }
    for (const struct entry *e = low->at, *end = e + low->count; e < end; e++)
        if (e->time == q->clock)
            bucket_add(&q->due, *e);
        else
            later_add(q, *e);
    low->count = 0;
    if (low->cap > BUCKET_KEPT_MAX) { /* large ones fill once in a long time */
        mem_free(low->at);
        *low = (struct bucket){0};
    }
}

bool timeq_pop(struct timeq *q, int64_t *time, uint64_t *payload)
{
    if (nothing_due(q)) {
        if (!q->rows)
            return false;
        advance(q);
    }
    const struct entry *e = &q->due.at[q->head++];
    *time = e->time;
    *payload = e->payload;
    q->count--;
    return true;
}

bool timeq_peek(struct timeq *q, int64_t *time)
{
    if (!nothing_due(q))
        *time = q->clock;
    else if (q->rows)
        *time = find_earliest(q);
    else
        return false;
    return true;
}

/* Nothing is due, and there are entries. */
static const struct entry *first_later(struct timeq *q)
{
    int row, value;
    find_earliest(q);
    return &lowest(q, &row, &value)->at[q->next];
}

bool timeq_next(struct timeq *q, uint64_t *payload)
{
    if (!nothing_due(q))
        *payload = q->due.at[q->head].payload;
    else if (q->rows)
        *payload = first_later(q)->payload;
    else
        return false;
    return true;
}

bool timeq_after(struct timeq *q, uint64_t *payload)
{
    uint32_t due = q->due.count - q->head;
    if (due > 1) {
        *payload = q->due.at[q->head + 1].payload;
        return true;
    }
    if (!q->rows)
        return false;
    if (due == 1) {
        *payload = first_later(q)->payload;
        return true;
    }
    int row, value;
    find_earliest(q);
    const struct bucket *low = lowest(q, &row, &value);
    if (low->count > 1) {
        *payload = low->at[bucket_first(low, q->next)].payload;
        return true;
    }
    uint64_t values = q->values[row] & (q->values[row] - 1);
    uint32_t rows = q->rows & (q->rows - 1);
    if (!values && !rows)
        return false;
    if (!values) {
        row = __builtin_ctz(rows);
        values = q->values[row];
    }
    low = &q->buckets[row][__builtin_ctzll(values)];
    *payload = low->at[bucket_first(low, BUCKET_NONE)].payload;
    return true;
}

uint64_t timeq_count(const struct timeq *q)
{
    return q->count;
}
