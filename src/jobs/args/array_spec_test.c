#include "jobs/args/array_spec.h"

#include <string.h>

#include "tests/unit/test.h"

static struct err err;

static bool bad(const char *text)
{
    struct array_spec a;
    bool refused = array_spec_parse(&a, text, &err) < 0;
    vec_free(&a.ranges);
    return refused;
}

TEST(array_spec_reads_ranges_steps_lists_and_limits)
{
    struct array_spec a;

    expect(array_spec_parse(&a, "0-99%10", &err) == 0);
    expect(a.count == 100 && a.running_max == 10 && a.min == 0 && a.max == 99);
    expect(array_spec_at(&a, 0) == 0 && array_spec_at(&a, 99) == 99);
    vec_free(&a.ranges);

    expect(array_spec_parse(&a, "1-7:2", &err) == 0);
    expect(a.count == 4 && a.step == 2 && a.max == 7 && a.running_max == 0);
    expect(array_spec_at(&a, 3) == 7);
    vec_free(&a.ranges);

    expect(array_spec_parse(&a, "9,1-6:3,5", &err) == 0);
    expect(a.count == 4 && a.min == 1 && a.max == 9);
    expect(array_spec_at(&a, 0) == 9 && array_spec_at(&a, 1) == 1);
    expect(array_spec_at(&a, 2) == 4 && array_spec_at(&a, 3) == 5);
    vec_free(&a.ranges);
}

TEST(array_spec_refuses_what_it_does_not_understand)
{
    expect(bad("") && bad("a") && bad("1-") && bad("3-1") && bad("1-5:0") && bad("1,,2"));
    expect(bad("1,") && bad("1%") && bad("1%0") && bad("1 2") && bad("-1-5"));
    expect(!strcmp(err.text,
                   "--array: expected a list such as 0-99%10, 1-7:2 or 1,3,5, not '-1-5'"));
    expect(bad("1x") && strstr(err.text, "or 1,3,5, not '1x'") && bad("1,2,"));
    expect(!bad("0-9999999") && bad("0-10000000")); /* at most ten million */
    expect(!strcmp(err.text, "--array 0-10000000 has more than 10000000 indices"));
    expect(!bad("1-5000000,1-5000000") && bad("1-5000000,1-5000001"));
    expect(!bad("1%1") && !bad("1%4294967295") && bad("1%4294967296"));
    expect(!strcmp(err.text, "--array 1%4294967296: expected how many tasks may run at once after "
                             "%"));
    expect(!bad("100000000000000000") && bad("1000000000000000000")); /* at most 18 digits */
}
