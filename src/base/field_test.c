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

/* ---- every type, alone ---- */

union any {
    double real;
    int64_t whole;
    int32_t small;
    uint32_t count;
    uint8_t byte;
    int choice;
    const char *text;
};

struct value_row {
    struct field field;
    const char *text;
    enum field_fault fault;
    const char *back; /* what field_text makes of it, if it is fine */
};

static void check_row(const struct value_row *r)
{
    union any got, before;
    struct str text = {0};

    memset(&got, 0x55, sizeof got);
    before = got;
    enum field_fault fault = field_read(&r->field, r->text, &got);
    if (fault != r->fault)
        printf("%d %s\n", (int)r->field.type, r->text);
    expect(fault == r->fault);
    if (fault == FIELD_FINE)
        field_text(&r->field, &got, &text);
    else
        expect(memcmp(&got, &before, sizeof got) == 0);
    if (fault == FIELD_FINE && strcmp(text.text, r->back) != 0) {
        printf("%s, not %s\n", text.text, r->back);
        expect(false);
    }
    str_free(&text);
}

#define OF(how, least, most)                                                                       \
    {                                                                                              \
        .name = "x", .type = how, .min = least, .max = most                                        \
    }

TEST(field_text_is_read_back_for_every_type)
{
    static const struct value_row rows[] = {
        {OF(FIELD_REAL, 0, 1), "50%", FIELD_FINE, "0.5"},
        {OF(FIELD_REAL, 0, 1), "100%", FIELD_FINE, "1"},
        {OF(FIELD_REAL, 0, 1), "101%", FIELD_OUTSIDE, NULL},
        {OF(FIELD_REAL, 0, 1), "x%", FIELD_MALFORMED, NULL},
        {OF(FIELD_REAL, 0, 1), "%", FIELD_MALFORMED, NULL},
        {OF(FIELD_REAL, 0, 1), "", FIELD_MALFORMED, NULL},
        {OF(FIELD_REAL, 0, 2), "50%", FIELD_MALFORMED, NULL}, /* not a share */
        {OF(FIELD_REAL, -1, 1), "50%", FIELD_MALFORMED, NULL},
        {OF(FIELD_REAL, 0, 1), "0.000000000000000000000000000001%", FIELD_MALFORMED, NULL},
        {OF(FIELD_REAL, 0, 1), "0.00000000000000000000000000001%", FIELD_FINE,
         "9.9999999999999986e-32"},
        {OF(FIELD_INT, 1, 9), "0", FIELD_OUTSIDE, NULL},
        {OF(FIELD_INT, 1, 9), "1", FIELD_FINE, "1"},
        {OF(FIELD_INT, 1, 9), "9", FIELD_FINE, "9"},
        {OF(FIELD_INT, 1, 9), "10", FIELD_OUTSIDE, NULL},
        {OF(FIELD_INT, -5, 0), "-5", FIELD_FINE, "-5"},
        {OF(FIELD_INT, -5, 0), "99", FIELD_FINE, "99"}, /* no upper limit */
        {OF(FIELD_COUNT, 2, 3), "2", FIELD_FINE, "2"},
        {OF(FIELD_COUNT, 2, 3), "1", FIELD_OUTSIDE, NULL},
        {OF(FIELD_TIME, 1, 2), "1500ms", FIELD_FINE, "1500000us"},
        {OF(FIELD_TIME, 1, 2), "999999us", FIELD_OUTSIDE, NULL},
        {OF(FIELD_TIME, 1, 2), "2000001us", FIELD_OUTSIDE, NULL},
        {OF(FIELD_TIME, 1, 2), "x", FIELD_MALFORMED, NULL},
        {OF(FIELD_WAIT, 0, 0), "auto", FIELD_FINE, "auto"},
        {OF(FIELD_WAIT, 0, 0), "inf", FIELD_FINE, "inf"},
        {OF(FIELD_WAIT, 0, 0), "2", FIELD_FINE, "2000000us"},
        {OF(FIELD_BYTES, 1, 2048), "2K", FIELD_FINE, "2048"},
        {OF(FIELD_BYTES, 1, 2048), "2049", FIELD_OUTSIDE, NULL},
        {OF(FIELD_MILLI, 0.001, 5), "1.5", FIELD_FINE, "1.5"},
        {OF(FIELD_MILLI, 0.001, 5), "0.001", FIELD_FINE, "0.001"},
        {OF(FIELD_MILLI, 0.001, 5), "0.0009", FIELD_OUTSIDE, NULL},
        {OF(FIELD_MILLI, 0.001, 5), "5.1", FIELD_OUTSIDE, NULL},
        {OF(FIELD_MILLI, 0.001, 5), "x", FIELD_MALFORMED, NULL},
        {OF(FIELD_MIB_UP, 0, 9), "1M", FIELD_FINE, "1M"},
        {OF(FIELD_MIB_UP, 0, 9), "1048577", FIELD_FINE, "2M"},
        {OF(FIELD_MIB_DOWN, 0, 9), "2097151", FIELD_FINE, "1M"},
        {OF(FIELD_MIB_DOWN, 0, 9), "1048575", FIELD_MALFORMED, NULL}, /* a forgotten unit */
        {OF(FIELD_MIB_UP, 0, 9), "1", FIELD_MALFORMED, NULL},
        {OF(FIELD_MIB_UP, 0, 9), "0", FIELD_FINE, "0M"},
        {OF(FIELD_MIB_UP, 0, 9), "-1M", FIELD_MALFORMED, NULL},
        {OF(FIELD_MIB_UP, 0, 9), "9437185", FIELD_OUTSIDE, NULL},
        {OF(FIELD_MIB_DOWN, 0, 9), "9437185", FIELD_FINE, "9M"},
        {OF(FIELD_PERCENT, 0, 0), "0", FIELD_FINE, "0%"},
        {OF(FIELD_PERCENT, 0, 0), "100%", FIELD_FINE, "100%"},
        {OF(FIELD_PERCENT, 0, 0), "101", FIELD_MALFORMED, NULL},
        {OF(FIELD_PERCENT, 0, 0), "-1%", FIELD_MALFORMED, NULL},
        {OF(FIELD_PERCENT, 0, 0), "", FIELD_MALFORMED, NULL},
        {OF(FIELD_PERCENT, 0, 0), "%", FIELD_MALFORMED, NULL},
        {OF(FIELD_PERCENT, 0, 0), "0000050", FIELD_FINE, "50%"},
        {OF(FIELD_PERCENT, 0, 0), "00000050", FIELD_MALFORMED, NULL},
        {OF(FIELD_NAME, 0, 0), "a.b", FIELD_FINE, "a.b"},
        {OF(FIELD_TEXT, 1, 0), "", FIELD_MALFORMED, NULL},
        {OF(FIELD_TEXT, 1, 0), "any text", FIELD_FINE, "any text"},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no|yes"}, "no", FIELD_FINE, "no"},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no|yes"}, "yes", FIELD_FINE, "yes"},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no|yes"}, "", FIELD_MALFORMED, NULL},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no|yes"}, "yess", FIELD_MALFORMED, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

TEST(field_want_has_words_for_every_type)
{
    static const struct {
        struct field field;
        const char *want;
    } rows[] = {
        {OF(FIELD_TIME, 0, 90), "a time from 0s to 90s, such as 250ms, 5s or 2h"},
        {OF(FIELD_WAIT, 0.25, 7200), "a time from 250ms to 2h, such as 250ms, 5s or 2h"},
        {OF(FIELD_TIME, 0.000001, 172800), "a time from 1us to 2d, such as 250ms, 5s or 2h"},
        {OF(FIELD_TIME, 60, 3600), "a time from 1m to 1h, such as 250ms, 5s or 2h"},
        {OF(FIELD_BYTES, 0, 0), "a size such as 64K or 10M"},
        {OF(FIELD_BYTES, 1536, 3221225472), "a size from 1536 to 3G, such as 64M or 1G"},
        {OF(FIELD_BYTES, 1024, 1099511627776), "a size from 1K to 1T, such as 64M or 1G"},
        {OF(FIELD_MIB_UP, 0, 2048), "0 or a size from 1M to 2G, such as 512M or 24G"},
        {OF(FIELD_MIB_DOWN, 0, 3), "0 or a size from 1M to 3M, such as 512M or 24G"},
        {OF(FIELD_REAL, 0.5, 0), "a number, 0.5 or more"},
        {OF(FIELD_MILLI, 0.001, 5), "a number from 0.001 to 5"},
        {OF(FIELD_COUNT, 1, 4000000000), "a whole number from 1 to 4000000000"},
        {OF(FIELD_PERCENT, 0, 0), "a percentage from 0% to 100%"},
        {OF(FIELD_NAME, 0, 0), "a name of " FIELD_NAME_WANT},
        {OF(FIELD_TEXT, 1, 0), "a text that is not empty"},
        {OF(FIELD_TEXT, 0, 12), "at most 12 bytes"},
        {OF(FIELD_TEXT, 0, 1), "at most 1 byte"},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no|yes"}, "no or yes"},
        {{.name = "x", .type = FIELD_CHOICE, .choices = "no"}, "no"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str want = {0};
        field_want(&rows[i].field, &want);
        if (strcmp(want.text, rows[i].want) != 0)
            printf("%s\n", want.text);
        expect(strcmp(want.text, rows[i].want) == 0);
        str_free(&want);
    }
}

TEST(field_name_ok_is_safe_as_a_file_name)
{
    char longest[FIELD_NAME_BYTES_MAX + 2];

    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    expect(!field_name_ok(longest) && field_name_ok(longest + 1));
    expect(field_name_ok("a") && field_name_ok("_") && field_name_ok("a-.+@:Z9"));
    expect(!field_name_ok("") && !field_name_ok(".a") && !field_name_ok("-a"));
    expect(!field_name_ok("a b") && !field_name_ok("a/b") && !field_name_ok("a\n"));
}

TEST(field_read_appends_to_lists)
{
    struct field f = OF(FIELD_LIST, 0, 0);
    struct field_list list = {0};

    expect(field_read(&f, "a", &list) == FIELD_FINE && field_read(&f, "", &list) == FIELD_FINE);
    expect(list.texts.count == 2 && !strcmp(list.texts.at[0], "a") && !*list.texts.at[1]);
    vec_free(&list.texts);
}
