#include "stats/measured.h"

#include "tests/test.h"

static bool take(struct measured *m, int64_t arrived_us)
{
    struct job_spec spec = {.arrived_us = arrived_us};
    return measured_take(m, &spec);
}

TEST(measured_jobs_are_the_first_after_the_warm_up)
{
    struct measured m = {.warmup_us = 10, .jobs_max = 2};

    expect(!take(&m, 9) && take(&m, 10));
    expect(!take(&m, 0) && !measured_full(&m)); /* a job that arrived early may come late */
    expect(take(&m, 11) && measured_full(&m));
    expect(!take(&m, 12));

    m.jobs_over = 1;
    expect(!measured_settled(&m));
    m.jobs_over = 2;
    expect(measured_settled(&m));
}

TEST(measured_jobs_without_a_limit_are_never_all)
{
    struct measured m = {0};

    for (int i = 0; i < 3; i++)
        expect(!measured_settled(&m) && take(&m, i));
    expect(!measured_full(&m));
}
