#include "commands/report/phase_sums.h"

#include <string.h>

#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

TEST(phase_values_have_quantiles)
{
    struct phase_values v = {0};
    for (int i = 1; i <= 8; i++)
        phase_sums_value(&v, 10 * i);
    expect(phase_sums_quantile(&v, 0) == 10 && phase_sums_quantile(&v, 1) == 80);
    expect(phase_sums_quantile(&v, 0.25) == 20 && phase_sums_quantile(&v, 0.5) == 40);
    expect(phase_sums_quantile(&v, 0.75) == 60);
    vec_free(&v.at);
}

/* Of many values a sample is kept; least and most are those of all. */
TEST(phase_values_are_sampled)
{
    struct phase_values v = {0};
    enum { ALL = 10 * PHASE_SUMS_VALUES };
    for (int i = 0; i < ALL; i++)
        phase_sums_value(&v, i);
    phase_sums_value(&v, -7);
    expect(v.count == ALL + 1 && v.at.count <= PHASE_SUMS_VALUES && v.every == 16);
    expect(phase_sums_quantile(&v, 0) == -7 && phase_sums_quantile(&v, 1) == ALL - 1);
    double median = phase_sums_quantile(&v, 0.5);
    expect(median > 0.499 * ALL && median < 0.501 * ALL);
    vec_free(&v.at);
}

/* Two of four tasks are done, one failed for good; phase reduce has not begun. */
TEST(phase_sums_count_tasks)
{
    struct told t;
    struct phase_sums s = {0};
    told_init(&t);
    for (uint32_t i = 0; i < 2; i++) {
        struct story_attempt *a = told_attempt(&t, i, LAUNCH_FIRST, 0);
        a->started_us = 0;
        a->ended_us = a->ran_us = 1000000 * (i + 1);
        a->cpu_us = i ? 300000 : -1;
        a->ending = EV_ATTEMPT_FINISHED;
        a->won = true;
        t.tasks[0][i].launched_us = 0;
        t.tasks[0][i].committed_us = a->ended_us;
        t.tasks[0][i].winner = a->ordinal;
    }
    t.tasks[0][2].given_up_us = 5000000;
    t.x.job = &t.job;
    phase_sums_job(&s, &t.x);
    phase_sums_job(&s, &t.x); /* another job with phases of these names */
    expect(s.v.count == 2 && strcmp(s.v.at[0].name, "map") == 0);
    expect(s.v.at[0].tasks == 8 && s.v.at[0].done == 4 && s.v.at[0].failed == 2);
    expect(s.v.at[0].rescued == 0 && s.v.at[1].done == 0);
    struct phase_values *time = &s.v.at[0].values[PHASE_TIME];
    expect(time->count == 4 && time->least == 1000000 && time->most == 2000000);
    expect(s.v.at[0].values[PHASE_CPU].count == 2);
    expect(strcmp(phase_sums_texts[PHASE_BYTES].words, "bytes read") == 0);
    expect(strcmp(phase_sums_texts[PHASE_CPU].name, "cpu_s") == 0);
    phase_sums_fini(&s);
    told_fini(&t);
}
