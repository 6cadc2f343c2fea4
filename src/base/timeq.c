/* timeq.c - a radix heap.
 *
 * Simulated time only moves forward, so an entry need not be compared with the others. Times are
 * numbers of 11 digits to base 64, and an entry waits by the highest digit in which its time
 * differs from the clock, the time of the last pop: in the row of that digit's position, in the
 * bucket of its value. What is due now has a list of its own. When that runs dry, the earliest
 * entry is in the lowest row that is not empty, there in the first bucket; the clock jumps to it
 * and that bucket is dealt out to the (empty) rows below, which keeps the rule true for all. An
 * entry only ever moves down, so it moves at most 11 times and in practice twice.
 *
 * A bucket of a few entries is not dealt out: they are sorted into a short list, `near`, which
 * holds all entries up to the end of that bucket's span of time until it runs dry, those that are
 * pushed meanwhile included. The last moves of most entries are spared, and so is the search for
 * the earliest in a bucket. If too many are pushed the list goes back to the rows. The clock is
 * within the span by then, so the entries beyond it stand where the rule wants them.
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
#include "base/rare.h"

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

enum { NEAR_MAX = 16 }; /* entries for which a list is faster than rows */

#define EARLIEST_UNKNOWN (-1)
#define BUCKET_NONE UINT32_MAX

struct timeq {
    int64_t clock;
    int64_t earliest; /* least time in the rows, or EARLIEST_UNKNOWN ... */
    uint32_t next;    /* ... and which of its bucket is the first of that time */
    uint64_t count;
    struct bucket due;            /* pushed for the time of the clock, or dealt out ... */
    uint32_t head;                /* ... of which those before here have been popped */
    uint32_t near_head, near_end; /* what is left of ... */
    int64_t near_last;            /* the last time that belongs there; up to the clock: none */
    struct entry near[NEAR_MAX];  /* ... the next entries, before all that are due, or after */
    uint32_t rows;                /* bit r: row r is not empty */
    uint64_t values[ROWS];        /* of each row, bit v: bucket v is not empty */
    struct bucket buckets[ROWS][VALUES];
};

struct timeq *timeq_create(void)
{
    struct timeq *q = mem_zalloc(1, sizeof *q);
    q->earliest = EARLIEST_UNKNOWN;
    q->near_last = -1;
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

RARE static void bucket_grow(struct bucket *b)
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
    if (q->head == due->count)
        q->head = due->count = 0;
    if (due->count == due->cap && q->head > due->count / 2) {
        due->count -= q->head;
        memmove(due->at, due->at + q->head, due->count * sizeof *due->at);
        q->head = 0;
    }
    bucket_add(due, e);
}

/* Adds to the rows. Returns the entry's place in its bucket. */
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

/* Puts the entries that are near into the rows, which have none before near_last; but not those of
 * the clock's time, for which rows have no place. */
static void near_spill(struct timeq *q)
{
    uint32_t first = q->near_head;
    while (first < q->near_end && q->near[first].time == q->clock)
        first++;
    for (uint32_t i = first; i < q->near_end; i++)
        later_add(q, q->near[i]);
    q->near_end = first;
    q->near_last = q->clock;
    q->earliest = EARLIEST_UNKNOWN;
}

/* Adds to those that are near, behind those of the same time. There is room at the end. */
static inline void near_add(struct timeq *q, struct entry e)
{
    struct entry *at = &q->near[q->near_end++], *first = &q->near[q->near_head];
    for (; at > first && at[-1].time > e.time; at--)
        *at = at[-1];
    *at = e;
}

/* Adds to those that are near, or finds that they are too many. */
static bool near_push(struct timeq *q, struct entry e)
{
    if (q->near_end == NEAR_MAX) {
        q->near_end -= q->near_head;
        memmove(q->near, q->near + q->near_head, q->near_end * sizeof *q->near);
        q->near_head = 0;
    }
    if (q->near_end < NEAR_MAX) {
        near_add(q, e);
        return true;
    }
    near_spill(q);
    return false;
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
    if (time <= q->near_last && near_push(q, e))
        return;
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

static inline bool nothing_near(const struct timeq *q)
{
    return q->near_head == q->near_end;
}

/* The bucket with the earliest entries of the rows; there are some. */
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

/* The least time in the rows; there is one. */
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

/* Makes a few entries of a bucket, which are the earliest, those that are near. */
static void make_near(struct timeq *q, struct bucket *low, int row)
{
    uint64_t span = (UINT64_C(1) << (row * DIGIT_BITS)) - 1;
    q->near_head = q->near_end = 0;
    q->near_last = (int64_t)((uint64_t)low->at[0].time | span);
    for (uint32_t i = 0; i < low->count; i++)
        near_add(q, low->at[i]);
    low->count = 0;
}

/* Moves the clock to the earliest entry of the rows and deals its bucket out to the rows below. */
static void deal(struct timeq *q, struct bucket *low)
{
    q->near_last = -1;
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

/* Makes the earliest entries of the rows those that are near, or due now if they are many. There
 * are no others. */
RARE static void refill(struct timeq *q)
{
    int row, value;
    struct bucket *low = lowest(q, &row, &value);
    bool few = low->count <= NEAR_MAX;
    q->due.count = q->head = 0;
    if (!few)
        q->clock = find_earliest(q);
    q->earliest = EARLIEST_UNKNOWN;
    q->values[row] &= ~(UINT64_C(1) << value);
    if (!q->values[row])
        q->rows &= ~(1U << row);
    if (few)
        make_near(q, low, row);
    else
        deal(q, low);
}

/* Whether the next entry is near: it was pushed before its time came, and all that are due of the
 * same time after that. */
static inline bool near_is_next(const struct timeq *q)
{
    return !nothing_near(q) && (nothing_due(q) || q->near[q->near_head].time == q->clock);
}

bool timeq_pop(struct timeq *q, int64_t *time, uint64_t *payload)
{
    if (nothing_due(q) && nothing_near(q)) {
        if (!q->rows)
            return false;
        refill(q);
    }
    const struct entry *e = near_is_next(q) ? &q->near[q->near_head++] : &q->due.at[q->head++];
    *time = q->clock = e->time;
    *payload = e->payload;
    q->count--;
    return true;
}

bool timeq_pop_at(struct timeq *q, int64_t time, uint64_t *payload)
{
    int64_t next;
    if (nothing_due(q) && !nothing_near(q) && q->near[q->near_head].time != time)
        return false; /* as mostly */
    return timeq_peek(q, &next) && next == time && timeq_pop(q, &next, payload);
}

bool timeq_peek(struct timeq *q, int64_t *time)
{
    if (!nothing_due(q))
        *time = q->clock;
    else if (!nothing_near(q))
        *time = q->near[q->near_head].time;
    else if (q->rows)
        *time = find_earliest(q);
    else
        return false;
    return true;
}

/* The entry of the rows with this number, 0 or 1, in the order in which they will be popped; NULL:
 * there is none. */
static const struct entry *rows_entry(struct timeq *q, uint32_t number)
{
    if (!q->rows)
        return NULL;
    int row, value;
    find_earliest(q);
    const struct bucket *low = lowest(q, &row, &value);
    if (number == 0)
        return &low->at[q->next];
    if (low->count > 1)
        return &low->at[bucket_first(low, q->next)];
    uint64_t values = q->values[row] & (q->values[row] - 1);
    uint32_t rows = q->rows & (q->rows - 1);
    if (!values && !rows)
        return NULL;
    if (!values) {
        row = __builtin_ctz(rows);
        values = q->values[row];
    }
    low = &q->buckets[row][__builtin_ctzll(values)];
    return &low->at[bucket_first(low, BUCKET_NONE)];
}

/* The same of all entries. */
static const struct entry *entry_at(struct timeq *q, uint32_t number)
{
    uint32_t due = q->due.count - q->head, i = q->near_head;
    for (; i < q->near_end && q->near[i].time == q->clock; i++)
        if (number-- == 0)
            return &q->near[i];
    if (number < due)
        return &q->due.at[q->head + number];
    number -= due;
    return number < q->near_end - i ? &q->near[i + number]
                                    : rows_entry(q, number - (q->near_end - i));
}

bool timeq_next(struct timeq *q, uint64_t *payload)
{
    const struct entry *e = entry_at(q, 0);
    if (e)
        *payload = e->payload;
    return e;
}

bool timeq_after(struct timeq *q, uint64_t *payload)
{
    const struct entry *e = entry_at(q, 1);
    if (e)
        *payload = e->payload;
    return e;
}

uint64_t timeq_count(const struct timeq *q)
{
    return q->count;
}
