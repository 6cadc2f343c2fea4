#include "base/timeq.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "tests/unit/test.h"

TEST(timeq_empty_has_nothing)
{
    struct timeq *q = timeq_create();
    int64_t time;
    uint64_t payload;
    expect(!timeq_pop(q, &time, &payload));
    expect(!timeq_peek(q, &time));
    expect(!timeq_next(q, &payload) && !timeq_after(q, &payload));
    expect(timeq_count(q) == 0);
    timeq_destroy(q);
    timeq_destroy(NULL);
}

TEST(timeq_pops_by_time)
{
    struct timeq *q = timeq_create();
    const int64_t times[] = {INT64_MAX, 5, 0, 1000000, 4, INT64_MAX - 1};
    const uint64_t order[] = {2, 4, 1, 3, 5, 0};
    for (uint64_t i = 0; i < 6; i++)
        timeq_push(q, times[i], i);
    expect(timeq_count(q) == 6);
    for (int i = 0; i < 6; i++) {
        int64_t time = -1, peeked = -2;
        uint64_t payload = 99;
        expect(timeq_peek(q, &peeked));
        expect(timeq_pop(q, &time, &payload));
        expect(payload == order[i] && time == times[order[i]] && time == peeked);
    }
    expect(timeq_count(q) == 0);
    timeq_destroy(q);
}

/* Peeking must not move the clock: what comes between the last pop and the peeked time is legal. */
TEST(timeq_accepts_earlier_times_after_a_peek)
{
    struct timeq *q = timeq_create();
    int64_t time;
    uint64_t payload;
    timeq_push(q, 10, 0);
    expect(timeq_pop(q, &time, &payload) && time == 10);
    timeq_push(q, 1000, 1);
    expect(timeq_peek(q, &time) && time == 1000);
    timeq_push(q, 999, 2);
    expect(timeq_peek(q, &time) && time == 999);
    timeq_push(q, 10, 3);
    expect(timeq_peek(q, &time) && time == 10);
    const uint64_t order[] = {3, 2, 1};
    for (int i = 0; i < 3; i++)
        expect(timeq_pop(q, &time, &payload) && payload == order[i]);
    timeq_destroy(q);
}

/* One that is due later is not popped, wherever it waits; earlier ones may still come. */
TEST(timeq_pops_at_a_time_or_not_at_all)
{
    struct timeq *q = timeq_create();
    uint64_t payload = 99;
    expect(!timeq_pop_at(q, 5, &payload));
    for (uint64_t i = 0; i < 100; i++)
        timeq_push(q, 1000 + (int64_t)(i / 2), i);
    expect(!timeq_pop_at(q, 999, &payload) && payload == 99);
    timeq_push(q, 999, 100);
    expect(timeq_pop_at(q, 999, &payload) && payload == 100);
    for (uint64_t i = 0; i < 100; i++) {
        int64_t time = 1000 + (int64_t)(i / 2);
        expect(!timeq_pop_at(q, time - 1, &payload));
        expect(timeq_pop_at(q, time, &payload) && payload == i);
    }
    expect(!timeq_pop_at(q, 1049, &payload) && timeq_count(q) == 0);
    timeq_destroy(q);
}

/* Whatever was pushed since the last pop: what is told to come next does come next, and then what
 * is told to come after it. */
TEST(timeq_next_and_after_are_what_is_popped)
{
    struct timeq *q = timeq_create();
    struct rng r = rng_stream(7, RNG_TEST, 0, 0, 0, 0);
    int64_t now = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        for (uint64_t n = rng_below(&r, 4); n > 0; n--)
            timeq_push(q, now + (int64_t)rng_below(&r, UINT64_C(1) << rng_below(&r, 20)),
                       4 * i + n);
        uint64_t next = 0, after = 0, payload = 0;
        bool any = timeq_next(q, &next), more = timeq_after(q, &after);
        expect(any == (timeq_count(q) > 0) && more == (timeq_count(q) > 1));
        if (rng_below(&r, 2) && any) { /* one that comes before all that are not due now */
            timeq_push(q, now, 4 * i);
            expect(timeq_next(q, &next) && timeq_after(q, &after));
            more = true;
        }
        expect(timeq_pop(q, &now, &payload) == any && (!any || payload == next));
        if (more && rng_below(&r, 2))
            expect(timeq_pop(q, &now, &payload) && payload == after);
    }
    timeq_destroy(q);
}

TEST(timeq_is_first_in_first_out_at_one_instant)
{
    struct timeq *q = timeq_create();
    int64_t time;
    uint64_t payload, in = 0, out = 0, wrong = 0;
    for (int i = 0; i < 40; i++)
        timeq_push(q, 7, in++);
    /* Two in for one out, then one for one for long, all at the same time. */
    for (int i = 0; i < 5000; i++) {
        wrong += !timeq_pop(q, &time, &payload) || time != 7 || payload != out++;
        timeq_push(q, 7, in++);
        if (i < 100)
            timeq_push(q, 7, in++);
    }
    while (timeq_pop(q, &time, &payload))
        wrong += payload != out++;
    expect(wrong == 0 && in == out);
    timeq_destroy(q);
}

struct pending {
    int64_t time;
    uint64_t payload; /* rises with each push, so it is the order of arrival */
};

static int compare(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->payload < y->payload ? -1 : x->payload > y->payload;
}

/* Rounds of pushes and pops against a list that is sorted by (time, arrival) before each round of
 * pops. `spread` sets how many equal times there are. Returns the number of disagreements. */
static unsigned disagreements(uint64_t seed, uint64_t spread)
{
    enum { ROUNDS = 300, PUSHES_MAX = 40 };
    struct rng r = rng_stream(seed, RNG_TEST, spread, 0, 0, 0);
    struct timeq *q = timeq_create();
    struct pending *list = mem_zalloc(ROUNDS * PUSHES_MAX, sizeof *list);
    size_t from = 0, to = 0;
    int64_t now = 0;
    unsigned wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t pushes = rng_below(&r, PUSHES_MAX), pops = rng_below(&r, PUSHES_MAX);
        for (uint64_t i = 0; i < pushes; i++) {
            int64_t time = now + (int64_t)rng_below(&r, spread);
            timeq_push(q, time, to);
            list[to] = (struct pending){time, to};
            to++;
        }
        qsort(list + from, to - from, sizeof *list, compare);
        for (uint64_t i = 0; i < pops; i++) {
            int64_t time = 0, peeked = 0;
            uint64_t payload = 0;
            if (rng_below(&r, 3) == 0)
                wrong += from < to ? !timeq_peek(q, &peeked) || peeked != list[from].time
                                   : timeq_peek(q, &peeked);
            bool popped = timeq_pop(q, &time, &payload);
            if (from == to) {
                wrong += popped;
                break;
            }
            wrong += !popped || time != list[from].time || payload != list[from].payload;
            now = list[from++].time;
        }
        wrong += timeq_count(q) != to - from;
    }
    mem_free(list);
    timeq_destroy(q);
    return wrong;
}

TEST(timeq_agrees_with_a_stable_sort)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        expect(disagreements(seed, 1) == 0);
        expect(disagreements(seed, 5) == 0);
        expect(disagreements(seed, 1000) == 0);
        expect(disagreements(seed, UINT64_C(1) << 40) == 0);
    }
}

/* Ten entries of one instant, of which one is popped; then more come behind them than a short list
 * holds (time * 100 + number is their payload). */
TEST(timeq_keeps_the_order_of_an_instant_that_has_begun)
{
    for (uint32_t begun = 1; begun <= 16; begun++) {
        struct timeq *q = timeq_create();
        uint64_t payload, last = 0;
        uint32_t popped = 0;
        int64_t time;

        for (uint32_t i = 0; i < begun; i++)
            timeq_push(q, 100, 10000 + i);
        expect(timeq_pop(q, &time, &payload) && time == 100 && payload == 10000);
        for (uint32_t i = 0; i < 40; i++)
            timeq_push(q, 101 + i % 20, (101 + i % 20) * 100 + i);
        timeq_push(q, 100, 10000 + begun);
        for (; timeq_pop(q, &time, &payload); last = payload, popped++)
            expect(payload > last && (uint64_t)time == payload / 100);
        expect(popped == begun + 40);
        timeq_destroy(q);
    }
}
