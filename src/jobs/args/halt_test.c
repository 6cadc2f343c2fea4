#include "jobs/args/halt.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static bool reads(const char *text, enum halt_when when, enum halt_what what, double number,
                  bool percent)
{
    struct halt h;
    struct err err;
    return halt_parse(text, &h, &err) == 0 && h.when == when &&
           (when == HALT_NEVER || (h.what == what && h.number == number && h.percent == percent));
}

static bool bad(const char *text)
{
    struct halt h;
    struct err err;
    char want[256];

    snprintf(want, sizeof want,
             "--halt: expected never, or now or soon with fail, success or done = N or N%%, such "
             "as now,fail=1, not '%s'",
             text);
    return halt_parse(text, &h, &err) < 0 && strcmp(err.text, want) == 0;
}

TEST(halt_reads_every_form)
{
    expect(reads("never", HALT_NEVER, 0, 0, false) && reads("0", HALT_NEVER, 0, 0, false));
    expect(reads("now,fail=1", HALT_NOW, HALT_FAIL, 1, false));
    expect(reads("soon,fail=10%", HALT_SOON, HALT_FAIL, 10, true));
    expect(reads("now,success=3", HALT_NOW, HALT_SUCCESS, 3, false));
    expect(reads("soon,done=100%", HALT_SOON, HALT_DONE, 100, true));
    expect(reads("1", HALT_SOON, HALT_FAIL, 1, false) && reads("2", HALT_NOW, HALT_FAIL, 1, false));
    expect(reads("-1", HALT_SOON, HALT_SUCCESS, 1, false));
    expect(reads("-2", HALT_NOW, HALT_SUCCESS, 1, false));
    expect(reads("20%", HALT_SOON, HALT_FAIL, 20, true));
}

TEST(halt_refuses_the_rest)
{
    expect(bad("") && bad("now") && bad("now,") && bad("now,fail") && bad("now,fail="));
    expect(bad("now,fail=0") && bad("now,fail=x") && bad("later,fail=1") && bad("now,fail=101%"));
    expect(bad("now,fail=0%") && bad("3") && bad("now,fail=1.5") && bad("soon,fail=-1"));
    expect(bad("101%") && bad("0%") && bad("nowfail=1") && bad("now,fail=1,done=2"));
    expect(reads("100%", HALT_SOON, HALT_FAIL, 100, true));
    expect(reads("now,fail=1.5%", HALT_NOW, HALT_FAIL, 1.5, true));
}

TEST(halt_is_reached_at_the_number)
{
    struct halt h = {HALT_NOW, HALT_FAIL, 2, false};
    expect(!halt_reached(&h, 9, 1, 10) && halt_reached(&h, 0, 2, 10) && halt_reached(&h, 0, 3, 10));
    h.what = HALT_SUCCESS;
    expect(!halt_reached(&h, 1, 9, 10) && halt_reached(&h, 2, 0, 10));
    h.what = HALT_DONE;
    expect(!halt_reached(&h, 1, 0, 10) && halt_reached(&h, 1, 1, 10));
    h.when = HALT_NEVER;
    expect(!halt_reached(&h, 5, 5, 10));
}

TEST(halt_percentages_are_of_all_tasks)
{
    struct halt h = {HALT_NOW, HALT_FAIL, 20, true};
    expect(!halt_reached(&h, 0, 1, 10) && halt_reached(&h, 0, 2, 10));
    expect(!halt_reached(&h, 50, 19, 100) && halt_reached(&h, 50, 20, 100));
    expect(!halt_reached(&h, 2, 0, 2) && halt_reached(&h, 1, 1, 2));
}

TEST(halt_status_is_of_the_last_task_or_a_count)
{
    struct halt h = {HALT_NOW, HALT_FAIL, 1, false};
    expect(halt_status(&h, 1, 10, 7) == 7);
    h.number = 2;
    expect(halt_status(&h, 3, 10, 7) == 3 && halt_status(&h, 500, 1000, 7) == 101);
    h = (struct halt){HALT_SOON, HALT_FAIL, 20, true};
    expect(halt_status(&h, 2, 10, 7) == 20 && halt_status(&h, 1, 3, 7) == 34);
    expect(halt_status(&h, 1, 5, 7) == 7); /* a fifth of five is one */
    h.what = HALT_SUCCESS;
    expect(halt_status(&h, 2, 10, 7) == 0);
    h = (struct halt){HALT_NOW, HALT_DONE, 1, false};
    expect(halt_status(&h, 0, 10, 0) == 0 && halt_status(&h, 1, 10, 3) == 3);
}
