#include "jobs/run/job_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

static bool time_refused(const char *text)
{
    struct job_lengths t = {0};
    struct err err;
    bool refused = job_time_parse(&t, text, &err) < 0 && strstr(err.text, "expected 4s, 2s-6s");

    vec_free(&t.us);
    return refused;
}

TEST(job_time_is_read)
{
    struct job_lengths t = {0};
    struct err err;

    expect(job_time_parse(&t, "4s,500ms", &err) == 0);
    expect(job_time_of(&t, 0, 0) == 4000000 && job_time_of(&t, 0, 3) == 500000);
    vec_free(&t.us);
    expect(time_refused("") && time_refused("soon") && time_refused("4s,") && time_refused("0s"));
    expect(time_refused("6s-2s") && time_refused("1s-2s-3s") && time_refused("0s~1s"));
    expect(time_refused("-1s") && time_refused("1s,0s,1s") && time_refused("0s,1s"));
    expect(job_time_parse(&t, "0.000001s", &err) == 0 && job_time_of(&t, 0, 0) == 1);
    vec_free(&t.us);
    expect(job_time_parse(&t, "3s", &err) == 0 && job_time_of(&t, 0, 9) == 3000000);
    vec_free(&t.us);
    expect(job_time_parse(&t, "1s,2s,3s", &err) == 0 && job_time_of(&t, 0, 2) == 3000000);
    vec_free(&t.us);
}

TEST(job_time_is_drawn)
{
    struct job_lengths between = {0}, around = {0};
    struct err err;
    double sum = 0, squares = 0;

    expect(job_time_parse(&between, "2s-6s", &err) == 0 &&
           job_time_parse(&around, "5s~2s", &err) == 0);
    for (uint32_t i = 0; i < 20000; i++) {
        int64_t us = job_time_of(&between, 1, i);
        expect(us >= 2000000 && us <= 6000000 && us == job_time_of(&between, 1, i));
        double s = (double)job_time_of(&around, 1, i) / 1e6;
        sum += s;
        squares += s * s;
    }
    double mean = sum / 20000;
    expect(fabs(mean - 5) < 0.1 && fabs(sqrt(squares / 20000 - mean * mean) - 2) < 0.15);
    expect(job_time_of(&around, 1, 0) != job_time_of(&around, 2, 0));
    vec_free(&between.us);
    vec_free(&around.us);
}

/* The same task takes the same time on every machine, but for a last digit that a mathematical
 * library may round otherwise. */
TEST(job_time_of_a_task_is_always_the_same)
{
    static const struct {
        const char *text;
        int64_t us[4];
    } rows[] = {
        {"2s-6s", {2227600, 5278520, 5512850, 5379586}},
        {"5s~2s", {4334354, 2330660, 2693911, 2318011}},
        {"5s~20s", {898408, 59736, 112479, 58332}},
        {"5s~0s", {5000000, 5000000, 5000000, 5000000}},
        {"7s-7s", {7000000, 7000000, 7000000, 7000000}},
        {"0s-0s", {1, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job_lengths t = {0};
        struct err err;
        expect(job_time_parse(&t, rows[i].text, &err) == 0);
        for (uint32_t k = 0; k < 4; k++) {
            int64_t us = job_time_of(&t, 3, k);
            if (llabs(us - rows[i].us[k]) > 1)
                printf("%s: %lld\n", rows[i].text, (long long)us);
            expect(llabs(us - rows[i].us[k]) <= 1 && us > 0);
        }
        vec_free(&t.us);
    }
}
