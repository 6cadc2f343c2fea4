#include "jobs/args/slots.h"

#include <string.h>

#include "tests/unit/test.h"

static int64_t slots(const char *text)
{
    struct err err;
    uint32_t n;
    return slots_parse(text, 4, &n, &err) < 0 ? -1 : (int64_t)n;
}

TEST(slots_reads_every_form)
{
    expect(slots("1") == 1 && slots("17") == 17 && slots("0") == 0);
    expect(slots("100%") == 4 && slots("50%") == 2 && slots("10%") == 1 && slots("250%") == 10);
    expect(slots("+0") == 4 && slots("+3") == 7);
    expect(slots("-1") == 3 && slots("-3") == 1 && slots("-4") == 1 && slots("-100") == 1);
    expect(slots("1000000") == 1000000);
}

static bool refuses(const char *text, const char *why)
{
    struct err err;
    uint32_t n = 99;

    return slots_parse(text, 4, &n, &err) < 0 && n == 99 && strcmp(err.text, why) == 0;
}

TEST(slots_refuses_the_rest)
{
    expect(refuses("1.5", "-j: expected a number such as 8, 0, 50%, +2 or -1, not '1.5'"));
    expect(refuses("-1%", "-j: expected a number such as 8, 0, 50%, +2 or -1, not '-1%'"));
    expect(refuses("+999997", "-j +999997: expected at most 1000000 at once"));
    expect(slots("+999996") == 1000000 && slots("0%") == 1 && slots("-4") == 1);
    expect(slots("0000000000000000000000000000008") == 8);   /* 31 characters */
    expect(slots("00000000000000000000000000000008") == -1); /* one more would be cut */
    expect(slots("") < 0 && slots("x") < 0 && slots("1.5") < 0 && slots("%") < 0);
    expect(slots("+-1") < 0 && slots("++1") < 0 && slots("-5%") < 0 && slots("1000001") < 0);
}
