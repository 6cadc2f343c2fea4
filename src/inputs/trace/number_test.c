#include "inputs/trace/number.h"

#include <stdlib.h>

#include "tests/unit/test.h"

static struct row_text text(const char *t)
{
    return (struct row_text){t, strlen(t)};
}

static bool time_is(const char *t, int64_t unit, int64_t want)
{
    int64_t us = -7;
    return number_time(text(t), unit, &us) && us == want;
}

static bool time_fails(const char *t, int64_t unit)
{
    int64_t us;
    return !number_time(text(t), unit, &us);
}

TEST(number_times_are_exact)
{
    expect(time_is("0", 1000000, 0));
    expect(time_is("45.123456", 1000000, 45123456));
    expect(time_is("80279.158516", 1000000, INT64_C(80279158516)));
    expect(time_is("1.0000004", 1000000, 1000000));
    expect(time_is("12.5", 1000, 12500));
    expect(time_is("-3", 1000, -3000));
    expect(time_is("1e3", 1000000, INT64_C(1000000000)));
    expect(time_fails("", 1) && time_fails("12s", 1) && time_fails("1.2.3", 1) &&
           time_fails("-", 1));
    expect(time_fails("99999999999999999999", 1) && time_fails("nan", 1) && time_fails("inf", 1));
    expect(time_fails("9223372036854775807", 1000000));
}

TEST(number_reals_are_those_of_strtod)
{
    static const char *const texts[] = {
        "0.02499",   "0.07959", "0.0003862",           "3.815e-05",
        "1000000.1", "-0.5",    "123456789.123456789", "0.000000001",
        "7"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double v;
        expect(number_real(text(texts[i]), &v) && v == strtod(texts[i], NULL));
    }
}

TEST(number_ints_take_fractions_of_zeros)
{
    int64_t v;
    expect(number_int(text("12.0"), &v) && v == 12);
    expect(number_int(text("-12"), &v) && v == -12);
    expect(!number_int(text("12.5"), &v) && !number_int(text("0x1"), &v));
    expect(!number_int((struct row_text){"1\0002", 3}, &v));
}
