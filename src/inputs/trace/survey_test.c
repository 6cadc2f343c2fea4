#include "inputs/trace/survey.h"

#include <math.h>

#include "base/mem.h"
#include "tests/unit/test.h"

/* Puts the values below `n`, in this order or from the end. */
static void put_many(struct survey_sample *s, uint32_t n, bool backwards)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = backwards ? n - 1 - i : i;
        survey_put(s, k * UINT64_C(0x9e3779b97f4a7c15), k);
    }
}

/* Too many values are thinned out, by their tickets: evenly, and in whatever order they come. */
TEST(survey_thins_samples_out_evenly)
{
    enum { N = 1000000 };
    struct survey_sample one = {0}, two = {0}, few = {0};

    put_many(&one, N, false);
    put_many(&two, N, true);
    expect(one.count == two.count && one.limit == two.limit);
    expect(one.count > N / 5 && one.count < N / 3); /* halved twice */
    double *a = survey_values(&one), *b = survey_values(&two);
    bool same = true;
    for (uint32_t i = 0; i < one.count; i++)
        same &= a[i] == b[i];
    expect(same);
    expect(fabs(survey_quantile(&one, 0.5) - N / 2) < N / 100);
    expect(fabs(survey_share(&one, N / 4) - 0.25) < 0.01);
    put_many(&few, 1000, false);
    expect(few.count == 1000 && few.limit == 0 && survey_quantile(&few, 0.5) == 499);
    expect(survey_share(&few, 249) == 0.25 && survey_share(&few, -1) == 0);
    mem_free(a);
    mem_free(b);
    mem_free(one.at);
    mem_free(two.at);
    mem_free(few.at);
}

TEST(survey_knows_groups_by_their_slowest)
{
    struct survey *s = survey_create();

    survey_group(s, (double[]){1, 1, 9}, 3, 1); /* too small for a group */
    expect(s->groups == 0);
    survey_group(s, (double[]){1, 1, 1, 2}, 4, 2); /* twice the median is not slow, */
    expect(s->groups == 1 && s->groups_slow == 0 && s->group_tasks == 4);
    survey_group(s, (double[]){0, 1, 3, 4.5, 5}, 5, 3);
    expect(s->groups == 2 && s->groups_slow == 0);
    survey_group(s, (double[]){1, 1, 1, 3, 9}, 5, 4); /* but more is */
    expect(s->groups == 3 && s->groups_slow == 1);
    expect(s->group_tasks == 14 && s->group_tasks_slow == 2);
    expect(s->ratios.count == 3 && survey_quantile(&s->ratios, 1) == 9);
    expect(s->spread.count == 4 + 4 + 5); /* no time of nothing */
    survey_group(s, (double[]){0, 0, 0, 0}, 4, 5);
    expect(s->groups == 4 && s->ratios.count == 3);
    survey_destroy(s);
}

TEST(survey_knows_groups_by_the_bytes_that_they_read)
{
    struct survey *s = survey_create();

    survey_bytes(s, (int64_t[]){1, 1, 9}, 3);
    expect(s->byte_groups == 0 && s->byte_groups_slow == 0);
    survey_bytes(s, (int64_t[]){6, 2, 4, 3}, 4); /* in any order; the median is 3.5 */
    expect(s->byte_groups == 1 && s->byte_groups_slow == 0);
    survey_bytes(s, (int64_t[]){8, 2, 4, 3}, 4);
    expect(s->byte_groups == 2 && s->byte_groups_slow == 1);
    survey_destroy(s);
}

TEST(survey_of_nothing_has_no_numbers)
{
    struct survey_sample none = {0}, zero = {0};

    expect(isnan(survey_quantile(&none, 0.5)) && isnan(survey_share(&none, 1)));
    expect(isnan(survey_hill(&none, 0.5)));
    survey_put(&zero, 1, 0);
    expect(isnan(survey_hill(&zero, 1)));
    mem_free(zero.at);
}

TEST(survey_counts_machines_and_hosts_once)
{
    struct survey *s = survey_create();

    survey_node(s, (struct row_text){"a", 1});
    survey_node(s, (struct row_text){"b", 1});
    survey_node(s, (struct row_text){"a", 1});
    survey_node(s, (struct row_text){"", 0});
    expect(s->nodes.count == 2);
    survey_host(s, 7);
    survey_host(s, 8);
    survey_host(s, 7);
    expect(s->host_hashes.count == 2 && s->host_hashes.at[1] == 8);
    survey_destroy(s);
}

/* Of 8 values above 0 the largest quarter is 8 and 4, over 2: 1 / mean(ln 4, ln 2). */
TEST(survey_hill_is_of_values_above_nothing)
{
    struct survey_sample s = {0};
    for (uint32_t i = 0; i < 12; i++)
        survey_put(&s, i, i < 4 ? -1.0 * (i % 2) : i < 10 ? 2 : i < 11 ? 4 : 8);
    expect(fabs(survey_hill(&s, 0.25) - 2 / (log(4) + log(2))) < 1e-12);
    expect(isnan(survey_hill(&s, 0.12))); /* not even one of them */
    mem_free(s.at);
}
