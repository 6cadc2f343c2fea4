#include "commands/report/tracks.h"

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(tracks_give_the_lowest_that_is_free)
{
    struct tracks l = {0};

    expect(tracks_count(&l, 3) == 0);
    expect(tracks_take(&l, 3) == 0 && tracks_take(&l, 3) == 1 && tracks_take(&l, 3) == 2);
    expect(tracks_take(&l, 0) == 0);
    tracks_give(&l, 3, 1);
    tracks_give(&l, 3, 0);
    expect(tracks_take(&l, 3) == 0 && tracks_take(&l, 3) == 1 && tracks_take(&l, 3) == 3);
    expect(tracks_count(&l, 3) == 4 && tracks_count(&l, 0) == 1 && tracks_count(&l, 1) == 0);
    tracks_fini(&l);
}

TEST(tracks_of_many_attempts_never_overlap)
{
    enum { MANY = 500 };
    struct tracks l = {0};
    struct rng r = rng_stream(3, RNG_TEST, 0, 0, 0, 0);
    static bool busy[MANY];
    uint32_t lane[MANY], live = 0;

    for (int i = 0; i < 20000; i++) {
        if (live < MANY && rng_below(&r, 2)) {
            uint32_t got = tracks_take(&l, 0), want = 0;
            while (busy[want])
                want++;
            expect(got == want);
            busy[got] = true;
            lane[live++] = got;
        } else if (live > 0) {
            uint32_t k = (uint32_t)rng_below(&r, live);
            tracks_give(&l, 0, lane[k]);
            busy[lane[k]] = false;
            lane[k] = lane[--live];
        }
    }
    tracks_fini(&l);
}
