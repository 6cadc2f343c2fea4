#include "commands/report/series.h"

#include "base/mem.h"
#include "tests/unit/test.h"

TEST(series_means_and_maxima)
{
    struct series *s = mem_zalloc(1, sizeof *s);

    series_init(s, 2);
    expect(series_spans(s) == 1 && series_mean(s, 0, 0) == 0);
    series_set(s, 0, 4);
    series_reach(s, 500);
    series_set(s, 0, 2);
    series_set(s, 1, 7);
    series_reach(s, 1500);
    expect(s->span_us == 1000 && series_spans(s) == 2);
    expect(series_mean(s, 0, 0) == 3 && s->points[0][0].most == 4);
    expect(series_mean(s, 1, 0) == 3.5 && series_mean(s, 0, 1) == 2);
    expect(s->points[0][1].most == 2 && s->points[1][1].most == 7);
    expect(series_mean_of(s, 0, 0, 2) == 4000.0 / 1500); /* the last span is not over */
    expect(series_peak(s, 0) == 4 && series_peak(s, 1) == 7);
    series_reach(s, 2000);
    expect(series_spans(s) == 2); /* the third has not begun */
    series_reach(s, 2001);
    expect(series_spans(s) == 3);
    mem_free(s);
}

/* The area stays, whatever the length of spans. */
TEST(series_of_a_long_run_have_longer_spans)
{
    struct series *s = mem_zalloc(1, sizeof *s);
    double area = 0;

    series_init(s, 1);
    for (int64_t t = 0; t < 50000000; t += 12345) {
        series_set(s, 0, (double)(t % 7));
        series_reach(s, t + 12345);
        area += (double)(t % 7) * 12345;
    }
    expect(series_spans(s) <= SERIES_POINTS && series_spans(s) > SERIES_POINTS / 2);
    double sum = 0;
    for (uint32_t i = 0; i < SERIES_POINTS; i++)
        sum += s->points[0][i].area;
    expect(sum > area * (1 - 1e-9) && sum < area * (1 + 1e-9));
    mem_free(s);
}

/* When two spans become one, the larger maximum stays, whichever of them has it, up to the last. */
TEST(series_keep_maxima_when_spans_grow)
{
    enum { LAST = SERIES_POINTS - 1 };
    struct series *s = mem_zalloc(1, sizeof *s);

    series_init(s, 2);
    for (int64_t i = 0; i <= LAST; i++) {
        series_set(s, 0, i == 0 ? 9 : i == 3 ? 5 : i == LAST - 1 ? 7 : 1);
        series_set(s, 1, i == LAST ? 8 : 0);
        series_reach(s, (i + 1) * 1000 - (i == LAST));
    }
    expect(s->span_us == 1000 && series_spans(s) == SERIES_POINTS);
    series_reach(s, SERIES_POINTS * 1000);
    expect(s->span_us == 2000 && series_spans(s) == SERIES_POINTS / 2);
    expect(series_most(s, 0, 0) == 9 && series_most(s, 0, 1) == 5 && series_most(s, 0, 2) == 1);
    expect(series_most(s, 0, LAST / 2) == 7 && series_most(s, 1, LAST / 2) == 8);
    expect(series_peak(s, 0) == 9 && series_peak(s, 1) == 8);
    expect(s->points[0][0].area == 10000 && s->points[0][LAST / 2].area == 8000);
    for (uint32_t i = SERIES_POINTS / 2; i <= LAST; i++)
        expect(s->points[0][i].area == 0 && s->points[1][i].most == 0);
    mem_free(s);
}

/* CPU time is known at the end of an attempt, and belongs to the time before. */
TEST(series_spread_over_the_past)
{
    struct series *s = mem_zalloc(1, sizeof *s);

    series_init(s, 2);
    series_set(s, 1, 5);
    series_reach(s, 4000);
    series_spread(s, 0, 500, 2500, 3000);
    expect(series_mean(s, 0, 0) == 0.75 && series_mean(s, 0, 1) == 1.5);
    expect(series_mean(s, 0, 2) == 0.75 && series_mean(s, 0, 3) == 0);
    expect(series_most(s, 0, 1) == 1.5 && series_peak(s, 0) == 1.5);
    series_spread(s, 0, -1, 2500, 3000); /* it never started; what is to come is nobody's */
    series_spread(s, 0, 3000, 5000, 3000);
    expect(series_mean(s, 0, 2) == 0.75 && series_mean(s, 0, 3) == 0);
    series_clear(s, 1);
    series_reach(s, 5000);
    expect(series_peak(s, 1) == 0 && series_mean(s, 1, 4) == 0);
    mem_free(s);
}
