#include "core/match/match_list.h"

#include "base/rng.h"
#include "tests/unit/match_naive.h"
#include "tests/unit/test.h"

static void put(struct match_list *l, struct match_naive_phase *p, uint64_t tie)
{
    match_list_insert(l, &(struct match_entry){p->key, tie, p->demand, p});
}

static void take(struct match_list *l, struct match_naive_phase *p, uint64_t tie)
{
    match_list_remove(l, &(struct match_entry){p->key, tie, p->demand, p});
}

TEST(match_list_takes_the_best_rank_that_fits_and_there_the_largest_score)
{
    const struct res largest = {{8000, 16000, 0, 0}};
    struct match_naive_phase p[] = {
        {1, {{6000, 1000, 0, 0}}, 1}, /* first, and too large for what is free */
        {2, {{1000, 2000, 0, 0}}, 1}, {2, {{1000, 4000, 0, 0}}, 1},
        {2, {{1000, 4000, 0, 0}}, 1}, {3, {{4000, 8000, 0, 0}}, 1},
    };
    struct match_list l = {0};
    match_list_measure(&l, &largest);
    for (uint64_t i = 0; i < 5; i++)
        put(&l, &p[i], i);
    struct res free = {{4000, 8000, 0, 0}};
    expect(match_list_best(&l, &free) == &p[2]); /* before its equal */
    take(&l, &p[2], 2);
    expect(match_list_best(&l, &free) == &p[3]);
    take(&l, &p[3], 3);
    expect(match_list_best(&l, &free) == &p[1]);
    take(&l, &p[1], 1);
    expect(match_list_best(&l, &free) == &p[4]);
    free.v[RES_MEM] = 7999;
    expect(!match_list_best(&l, &free));
    free = (struct res){{6000, 1000, 0, 0}};
    expect(match_list_best(&l, &free) == &p[0]);
    free.v[RES_X] = -1; /* takes nothing, not even what does not need it */
    expect(!match_list_best(&l, &free));
    match_list_fini(&l);
}

TEST(match_list_lists_what_fits_of_the_first_rank_that_has_any)
{
    struct match_naive_phase p[] = {
        {1, {{3000, 0, 0, 0}}, 1}, {2, {{1000, 0, 0, 0}}, 1}, {2, {{3000, 0, 0, 0}}, 1},
        {2, {{2000, 0, 0, 0}}, 1}, {3, {{1000, 0, 0, 0}}, 1},
    };
    struct match_list l = {0};
    struct match_fits fits = {0};
    match_list_by_tie(&l);
    for (uint64_t i = 0; i < 5; i++)
        put(&l, &p[i], i);
    match_list_fitting(&l, &(struct res){{2000, 0, 0, 0}}, &fits);
    expect(fits.what.count == 2 && fits.what.at[0] == &p[1] && fits.what.at[1] == &p[3]);
    match_list_fitting(&l, &(struct res){{999, 0, 0, 0}}, &fits);
    expect(fits.what.count == 0);
    vec_free(&fits.what);
    match_list_fini(&l);
}

/* A demand of one to four resources, in round numbers or in thousandths. */
static struct res draw_demand(struct rng *r, bool round)
{
    struct res d = {{0}};
    int32_t unit = round ? 500 : 1;
    d.v[RES_CPU] = unit * (int32_t)(1 + rng_below(r, (uint64_t)(4000 / unit)));
    d.v[RES_MEM] = unit * (int32_t)rng_below(r, (uint64_t)(8000 / unit));
    if (rng_below(r, 4) == 0)
        d.v[RES_Y] = (int32_t)rng_below(r, 3);
    return d;
}

static struct res draw_free(struct rng *r, bool round)
{
    int32_t unit = round ? 500 : 1;
    return (struct res){{unit * (int32_t)rng_below(r, (uint64_t)(16000 / unit)),
                         unit * (int32_t)rng_below(r, (uint64_t)(32000 / unit)),
                         (int32_t)rng_below(r, 20) - 1, (int32_t)rng_below(r, 5)}};
}

enum { MANY = 700, SERVERS = 300 };

/* Whether all that fits of the rank of `want`, and nothing else, is listed in order. */
static bool lists_rank(struct match_list *l, const struct match_naive_phase *p, uint32_t want,
                       const struct res *free)
{
    struct match_fits fits = {0};
    uint32_t listed = 0;
    bool same = true;
    match_list_fitting(l, free, &fits);
    for (uint32_t i = 0; i < MANY && want != MATCH_NAIVE_NONE; i++)
        if (p[i].waiting > 0 && p[i].key == p[want].key && res_fits(&p[i].demand, free)) {
            same &= listed < fits.what.count && fits.what.at[listed] == &p[i];
            listed++;
        }
    same &= listed == fits.what.count;
    vec_free(&fits.what);
    return same;
}

/* Servers take what they can, phases leave, come back and change places: always as the loop says.
 */
static void compare(uint64_t seed, uint64_t ranks, bool round)
{
    struct res largest = {{16000, 32000, 0, 5}};
    struct match_naive_phase p[MANY];
    struct match_list l = {0}, by_tie = {0};
    match_list_by_tie(&by_tie);
    match_list_measure(&l, &largest);
    struct rng r = rng_branch(seed, (uint32_t)ranks, (uint16_t)round);
    bool same = true;
    for (uint32_t i = 0; i < MANY; i++) {
        p[i] = (struct match_naive_phase){(int64_t)rng_below(&r, ranks), draw_demand(&r, round),
                                          (uint32_t)rng_below(&r, 4)};
        if (p[i].waiting > 0) {
            put(&l, &p[i], i);
            put(&by_tie, &p[i], i);
        }
    }
    for (uint32_t n = 0; n < SERVERS; n++) {
        if (n % 64 == 63) { /* a larger server, or the largest one went */
            largest.v[RES_MEM] = 64000 - largest.v[RES_MEM] / 2;
            largest.v[RES_Y] = 6 - largest.v[RES_Y];
            match_list_measure(&l, &largest);
        }
        struct res free = draw_free(&r, round);
        for (;;) {
            uint32_t want = match_naive_phase(p, MANY, &free, &largest);
            const struct match_naive_phase *got = match_list_best(&l, &free);
            same &= got == (want == MATCH_NAIVE_NONE ? NULL : &p[want]);
            same &= lists_rank(&by_tie, p, want, &free);
            if (!got || want == MATCH_NAIVE_NONE)
                break;
            res_sub(&free, &p[want].demand);
            if (--p[want].waiting == 0) {
                take(&l, &p[want], want);
                take(&by_tie, &p[want], want);
            }
        }
        uint32_t i = (uint32_t)rng_below(&r, MANY);
        if (p[i].waiting > 0) {
            take(&l, &p[i], i);
            take(&by_tie, &p[i], i);
        }
        p[i].key = (int64_t)rng_below(&r, ranks);
        p[i].waiting++;
        put(&l, &p[i], i);
        put(&by_tie, &p[i], i);
    }
    expect(same);
    match_list_fini(&l);
    match_list_fini(&by_tie);
}

TEST(match_list_agrees_with_the_loop)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int round = 0; round < 2; round++) {
            compare(seed, 1, round);
            compare(seed, 16, round);
            compare(seed, 1000000, round);
        }
}
