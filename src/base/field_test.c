#include "base/field.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

struct sample_values {
    double real;
    int64_t whole, time_us, bytes;
    uint32_t count;
    int choice;
    const char *name, *text;
    int64_t wait_us;
};

#define ROW(type, member, min, max) FIELD_ROW(#member, type, struct sample_values, member, min, max)
static const struct field table[] = {
    {ROW(FIELD_REAL, real, 0.5, 2), .zero = true, .help = "a number"},
    {ROW(FIELD_INT, whole, 1, 1e15), .help = "", .alias = "w all"},
    {ROW(FIELD_TIME, time_us, 0, 0), .help = ""},
    {ROW(FIELD_BYTES, bytes, 1000, 1 << 20), .help = ""},
    {ROW(FIELD_COUNT, count, 0, 0), .help = ""},
    {ROW(FIELD_CHOICE, choice, 0, 0), .choices = "red|green|blue", .help = ""},
    {ROW(FIELD_NAME, name, 0, 0), .help = ""},
    {ROW(FIELD_TEXT, text, 0, 3), .want = "a short word"},
    {ROW(FIELD_WAIT, wait_us, 0, 60)},
    {0},
};

static enum field_fault read_one(struct sample_values *v, const char *name, const char *text)
{
    const struct field *f = field_find(table, name);
    return field_read(f, text, (char *)v + f->offset);
}

static bool wants(const char *name, const char *expected)
{
    struct str want = {0};
    field_want(field_find(table, name), &want);
    bool same = !strcmp(want.text, expected);
    if (!same)
        printf("%s\n", want.text);
    str_free(&want);
    return same;
}

TEST(field_find_knows_names_and_aliases)
{
    expect(field_find(table, "whole") == &table[1] && field_find(table, "w") == &table[1]);
    expect(field_find(table, "all") == &table[1] && !field_find(table, "al"));
    expect(!field_find(table, "") && !field_find(table, "w all") && !field_find(NULL, "w"));
}

TEST(field_nearest_suggests_what_is_shown)
{
    expect(!strcmp(field_nearest(table, "chioce"), "choice"));
    expect(!field_nearest(table, "txet")); /* it has no help */
    expect(!field_nearest(table, "somethingelse"));
}

TEST(field_read_tells_junk_from_range)
{
    struct sample_values v = {.real = 1, .count = 7};
    expect(read_one(&v, "real", "0") == FIELD_FINE && v.real == 0);
    expect(read_one(&v, "real", "0.4") == FIELD_OUTSIDE && v.real == 0);
    expect(read_one(&v, "real", "x") == FIELD_MALFORMED);
    expect(read_one(&v, "whole", "1000000000000000") == FIELD_FINE && v.whole == 1000000000000000);
    expect(read_one(&v, "whole", "1000000000000001") == FIELD_OUTSIDE);
    expect(read_one(&v, "time_us", "36500d") == FIELD_FINE && v.time_us == 36500 * 86400000000);
    expect(read_one(&v, "count", "-1") == FIELD_OUTSIDE && v.count == 7);
    expect(read_one(&v, "count", "4294967296") == FIELD_MALFORMED && v.count == 7);
    expect(read_one(&v, "count", "4294967295") == FIELD_FINE && v.count == UINT32_MAX);
    expect(read_one(&v, "choice", "green") == FIELD_FINE && v.choice == 1);
    expect(read_one(&v, "choice", "gree") == FIELD_MALFORMED && v.choice == 1);
    expect(read_one(&v, "name", "a/b") == FIELD_MALFORMED && !v.name);
    expect(read_one(&v, "text", "four") == FIELD_MALFORMED && !v.text);
    expect(read_one(&v, "text", "abc") == FIELD_FINE && !strcmp(v.text, "abc"));
}

TEST(field_want_prints_the_range_that_is_checked)
{
    expect(wants("real", "0 or a number from 0.5 to 2"));
    expect(wants("whole", "a whole number from 1 to 1000000000000000"));
    expect(wants("time_us", "a time such as 5, 250ms or 1m"));
    expect(wants("bytes", "a size from 1000 to 1M, such as 64M or 1G"));
    expect(wants("count", "a whole number, 0 or more"));
    expect(wants("choice", "red, green or blue"));
    expect(wants("text", "a short word"));
}

TEST(field_read_waits_may_be_endless_or_chosen)
{
    struct sample_values v = {0};
    expect(read_one(&v, "wait_us", "1500ms") == FIELD_FINE && v.wait_us == 1500000);
    expect(read_one(&v, "wait_us", "inf") == FIELD_FINE && v.wait_us == FIELD_FOREVER);
    expect(read_one(&v, "wait_us", "auto") == FIELD_FINE && v.wait_us == FIELD_AUTO);
    expect(read_one(&v, "wait_us", "61s") == FIELD_OUTSIDE);
    expect(read_one(&v, "wait_us", "infinite") == FIELD_MALFORMED && v.wait_us == FIELD_AUTO);
}
