#include "core/estimate/ranks.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/ranks_naive.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000000)
enum { SLOT = 5000000 }; /* us: levels end at 10, 20, 40, ... s */

static struct ranks_job job(double volume_s, double time_s)
{
    return (struct ranks_job){ranks_ns(volume_s), ranks_ns(time_s), INFINITY, 99, 99};
}

/* Whether the ranks of the jobs are these. */
static bool ranks_are(struct ranks_job *jobs, uint32_t n, const uint32_t *want)
{
    bool same = true;
    ranks_find(jobs, n, SLOT, 1);
    for (uint32_t i = 0; i < n; i++)
        same &= jobs[i].rank == want[i] && jobs[i].copies == 1;
    return same;
}
#define RANKS(jobs, ...)                                                                           \
    ranks_are(jobs, sizeof(jobs) / sizeof *(jobs), (const uint32_t[]){__VA_ARGS__})

TEST(ranks_of_one_job_go_by_its_time_and_its_volume)
{
    struct ranks_job at[] = {job(0, 10)}, above[] = {job(0, 10 + 1e-9)}, below[] = {job(0, 0)};
    expect(RANKS(at, 1) && RANKS(above, 2) && RANKS(below, 1));
    struct ranks_job full[] = {job(10, 1)}, over[] = {job(10 + 1e-9, 1)}, far[] = {job(80, 41)};
    expect(RANKS(full, 1) && RANKS(over, 2) && RANKS(far, 4));
}

TEST(ranks_take_the_smallest_volumes_that_fit_together)
{
    /* Of volumes 1, 3, 5, 6 the first three make 9 of 10; all make 15 of 20. */
    struct ranks_job a[] = {job(6, 2), job(1, 2), job(5, 2), job(3, 2)};
    expect(RANKS(a, 2, 1, 1, 1));
    /* 4 + 6 is 10, to the nanosecond. */
    struct ranks_job b[] = {job(4, 2), job(6, 2)}, c[] = {job(4, 2), job(6 + 1e-9, 2)};
    expect(RANKS(b, 1, 1) && RANKS(c, 1, 2));
    /* A long job does not count at levels below its time: volume 1 alone would have gone first. */
    struct ranks_job d[] = {job(1, 25), job(9.5, 2)};
    expect(RANKS(d, 3, 1));
    /* What was taken counts again above: 3 + 8 + 10 are too much for level 2, 8 + 10 are not. */
    struct ranks_job e[] = {job(3, 2), job(8, 15), job(10, 15)};
    expect(RANKS(e, 1, 2, 3));
}

TEST(ranks_of_equal_volumes_go_by_place)
{
    struct ranks_job a[] = {job(4, 2), job(4, 2), job(4, 2), job(4, 2)};
    expect(RANKS(a, 1, 1, 2, 2));
    struct ranks_job zero[] = {job(0, 2), job(0, 20), job(0, 1e6), job(0, 2)};
    expect(RANKS(zero, 1, 2, 18, 1)); /* 5 s x 2^18 is the first above a million seconds */
}

TEST(ranks_are_defined_for_any_number)
{
    expect(ranks_ns(-1) == 0 && ranks_ns(NAN) == 0 && ranks_ns(1e-10) == 0);
    expect(ranks_ns(1.5) == 1500000000 && ranks_ns(1e300) == ranks_ns(INFINITY));
    /* What no level takes comes last, by volume. */
    struct ranks_job a[] = {job(INFINITY, 1), job(1, INFINITY), job(1, 1), job(0.5, 1e200)};
    expect(RANKS(a, RANKS_LEVELS + 3, RANKS_LEVELS + 2, 1, RANKS_LEVELS + 1));
    ranks_find(NULL, 0, SLOT, 1);
    /* The largest slots and the smallest. */
    struct ranks_job b[] = {job(1, 1), job(1, 4e9)};
    ranks_find(b, 2, (INT64_C(1) << 61) / 1000, 1);
    expect(b[0].rank == 1 && b[1].rank == 1);
    ranks_find(b, 2, 1, 1);
    expect(b[0].rank == 20 && b[1].rank == 52);
}

TEST(ranks_with_copies_by_hand)
{
    /* 12 s are too long for level 1 (10 s), but h(2) = 1.25 for alpha 3: two copies of volume 3
     * take 2 x 3 / 1.25 = 4.8 together. */
    struct ranks_job a[] = {job(3, 12), job(5, 1), job(5.3, 1)};
    a[0].alpha = 3;
    ranks_find(a, 3, SLOT, 3);
    expect(a[0].rank == 1 && a[0].copies == 2 && a[1].rank == 1 && a[1].copies == 1);
    expect(a[2].rank == 2);
    /* 13 s need three copies (1.333), and two are not enough. */
    a[0].time_ns = 13 * S;
    ranks_find(a, 3, SLOT, 3);
    expect(a[0].rank == 2 && a[0].copies == 1); /* 3 x 3 / 1.333 = 6.75: no room beside the 5 */
    a[1].volume_ns = 3 * S;
    ranks_find(a, 3, SLOT, 3);
    expect(a[0].rank == 2 && a[1].rank == 1 && a[2].rank == 1); /* the two make 8.3 */
    a[2].volume_ns = 7 * S;
    ranks_find(a, 3, SLOT, 3);
    expect(a[0].rank == 1 && a[0].copies == 3 && a[2].rank == 2); /* 3 + 6.75 */
    ranks_find(a, 3, SLOT, 2);
    expect(a[0].rank == 2 && a[0].copies == 1);
}

/* ---- against the loop as it is written ---- */

/* A time or volume in ns: nothing, a level's limit or one beside it, tiny, huge, or anything. */
static int64_t draw(struct rng *r, int64_t slot_us)
{
    int64_t limit = slot_us * 1000 << (rng_u64(r) % 12);
    switch (rng_u64(r) % 8) {
    case 0:
        return 0;
    case 1:
        return limit + (int64_t)(rng_u64(r) % 3) - 1;
    case 2:
        return (int64_t)(rng_u64(r) % 4);
    case 3:
        return limit / (int64_t)(1 + rng_u64(r) % 4);
    case 4:
        return (int64_t)(rng_u64(r) % (UINT64_C(1) << 48));
    default:
        return (int64_t)((double)limit * rng_unit(r));
    }
}

static void compare(uint64_t set, uint32_t copies_max)
{
    static const double shares[] = {0, 0.5, 0.999, 1 - 1e-16, 1};
    struct rng r = rng_stream(1, RNG_TEST, 12, set, copies_max, 0);
    struct ranks_job a[40], b[40];
    uint32_t n = 1 + (uint32_t)(rng_u64(&r) % 40);
    int64_t slot_us = rng_u64(&r) % 2 ? SLOT : 1 + (int64_t)(rng_u64(&r) % 100000);
    for (uint32_t i = 0; i < n; i++)
        a[i] = (struct ranks_job){draw(&r, slot_us), draw(&r, slot_us), 2 + 2 * rng_unit(&r), 0, 0};
    memcpy(b, a, sizeof b);
    ranks_find(a, n, slot_us, copies_max);
    ranks_naive(b, n, shares[set % 5], slot_us, copies_max);
    for (uint32_t i = 0; i < n; i++)
        expect(a[i].rank == b[i].rank && a[i].copies == b[i].copies);
}

TEST(ranks_are_those_of_the_loop)
{
    for (uint64_t set = 0; set < 5000; set++) {
        compare(set, 1);
        compare(set, 1 + (uint32_t)(set % 4));
    }
}
