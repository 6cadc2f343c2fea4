#include "ui/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

TEST(words_span_is_exact_below_ten_minutes)
{
    expect(strcmp(words_span(599900000).text, "599.9 s") == 0);
    expect(strcmp(words_span(600000000).text, "10 min") == 0);
    expect(strcmp(words_span(3600000000 + 120000000).text, "1 h 2 min") == 0);
}

TEST(words_number_has_no_powers_of_ten)
{
    expect(strcmp(words_number(120834.4, 4).text, "120834") == 0);
    expect(strcmp(words_number(0.12345, 3).text, "0.123") == 0);
    expect(strcmp(words_number(12345.6, 3).text, "12346") == 0);
    expect(strcmp(words_number(120834567, 3).text, "120834567") == 0);
    expect(strcmp(words_number(9.99, 2).text, "10") == 0);
}

/* Prints what differs, as a table says nothing else about the row that failed. */
static bool is(const char *text, const char *expected)
{
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("\"%s\", not \"%s\"\n", text, expected);
    return same;
}

TEST(words_seconds_have_the_digits_that_matter)
{
    static const struct {
        double s;
        const char *text;
    } rows[] = {
        {0, "0 s"},
        {-0.00001, "0 s"},
        {0.00004, "0 s"},
        {0.00005, "0.1 ms"},
        {0.00049, "0.5 ms"},
        {0.0005, "0.001 s"},
        {-0.0002, "-0.2 ms"},
        {0.25, "0.25 s"},
        {12.3456, "12.346 s"},
        {99.9994, "99.999 s"},
        {100, "100 s"},
        {100.04, "100 s"},
        {312.34, "312.3 s"},
        {-312.34, "-312.3 s"},
        {999e12, "999000000000000 s"},
        {1e15, "an unknown time"},
        {-1e15, "an unknown time"},
        {NAN, "an unknown time"},
        {INFINITY, "an unknown time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(is(words_seconds(rows[i].s).text, rows[i].text));
    expect(is(words_time(1500000).text, "1.5 s") && is(words_time(-1).text, "0 s"));
}

TEST(words_span_counts_hours_from_the_sixtieth_minute)
{
    expect(is(words_span(3599999999).text, "59 min"));
    expect(is(words_span(3600000000).text, "1 h 0 min"));
    expect(is(words_span(25 * 3600000000 + INT64_C(59) * 60000000).text, "25 h 59 min"));
    expect(is(words_span(-5000000).text, "-5 s"));
}

TEST(words_count_one_and_many)
{
    expect(is(words_count(0, "task").text, "0 tasks"));
    expect(is(words_count(1, "task").text, "1 task"));
    expect(is(words_count(2, "task").text, "2 tasks"));
    expect(is(words_were(1, "task").text, "1 task was"));
    expect(is(words_were(40, "task").text, "40 tasks were"));
    expect(is(words_are(1, "node").text, "1 node is"));
    expect(is(words_are(0, "node").text, "0 nodes are"));
    expect(is(words_counted(0, "clone").text, "0 clones"));
    expect(is(words_counted(1, "clone").text, "1 clone"));
    expect(is(words_counted(-1, "clone").text, "-1 clones"));
    expect(is(words_counted(1e18, "clone").text, "1e+18 clones"));
}

TEST(words_bytes_take_the_largest_unit_that_fits)
{
    static const struct {
        double bytes;
        const char *text;
    } rows[] = {
        {0, "0 bytes"},
        {9.5, "9.5 bytes"},
        {10.4, "10 bytes"},
        {1023, "1023 bytes"},
        {1024, "1 KiB"},
        {-1024, "-1 KiB"},
        {1536, "1.5 KiB"},
        {67108864, "64 MiB"},
        {1610612736, "1.5 GiB"},
        {1099511627776, "1 TiB"},
        {1125899906842624, "1024 TiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(is(words_bytes(rows[i].bytes).text, rows[i].text));
}

TEST(words_share_is_in_percent)
{
    expect(is(words_share(0).text, "0 %") && is(words_share(1).text, "100 %"));
    expect(is(words_share(0.004).text, "0.4 %") && is(words_share(0.0996).text, "10 %"));
    expect(is(words_share(0.1).text, "10 %") && is(words_share(0.174).text, "17 %"));
    expect(is(words_share(-0.001).text, "-0.1 %"));
}

TEST(words_number_says_whole_numbers_in_full)
{
    expect(is(words_number(999999, 2).text, "999999"));
    expect(is(words_number(1000000, 2).text, "1000000"));
    expect(is(words_number(-123456, 2).text, "-123456"));
    expect(is(words_number(0.15, 3).text, "0.15") && is(words_number(0, 1).text, "0"));
    expect(is(words_number(1e15, 3).text, "1e+15"));
    expect(is(words_number(INFINITY, 3).text, "inf"));
}

TEST(words_guess_has_the_digits_that_its_range_leaves)
{
    static const struct {
        int64_t us, range_us;
        const char *text;
    } rows[] = {
        {1234567, 0, "1.235 s"},        {1234567, -5, "1.235 s"},
        {1234567, 9999, "1.235 s"},     {1234567, 10000, "1.23 s"},
        {1234567, 99999, "1.23 s"},     {1234567, 100000, "1.2 s"},
        {1234567, 999999, "1.2 s"},     {1234567, 1000000, "1.2 s"},
        {1234567, 1000000000, "1.2 s"}, {599999999, 1, "600.000 s"},
        {12345678, 1000000, "12 s"},    {999999, 1000000, "1.00 s"},
        {456789, 5000000, "0.46 s"},    {45678, 5000000, "0.046 s"},
        {600000000, 1000000, "10 min"}, {7200000000, 1000000, "2 h 0 min"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(is(words_guess(rows[i].us, rows[i].range_us).text, rows[i].text));
}

TEST(words_saved_says_no_more_than_is_known)
{
    static const struct {
        struct story_difference d;
        bool unsure, is_known;
        const char *text;
    } rows[] = {
        {{.pace_saved_us = 2004000, .low_saved_us = 2004000, .high_saved_us = 2004000},
         false,
         true,
         "2.004 s"},
        {{.pace_saved_us = 15000000, .low_saved_us = 12000000, .high_saved_us = 18000000},
         false,
         true,
         "about 15 s (12 s to 18 s)"},
        {{.pace_saved_us = 15000000, .low_saved_us = 3000000, .high_saved_us = 18000000},
         true,
         true,
         "at least 3.0 s"},
        {{.pace_saved_us = 1000, .low_saved_us = 999, .high_saved_us = 1000},
         false,
         true,
         "about 0.001 s (0.001 s to 0.001 s)"},
        {{.pace_saved_us = 999}, false, false, "0.001 s"},
        {{.pace_saved_us = 5000000, .low_saved_us = 999, .high_saved_us = 999},
         true,
         false,
         "at least 0.001 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct words_saved w = words_saved(&rows[i].d, rows[i].unsure);
        expect(w.is_known == rows[i].is_known && is(w.text, rows[i].text));
    }
}

TEST(words_reason_number_finds_a_number_by_its_name)
{
    struct reason r = REASON(WHY_CLONED, 3, 40, 0.15, 80, 12, 90);
    static const char *const names[] = {"copies", "tasks", "p", "charge", "used", "limit"};
    for (uint8_t i = 0; i < 6; i++)
        expect(words_reason_number(&r, names[i]) == r.num[i]);
    expect(isnan(words_reason_number(&r, "upstream")));
    r.count = 5; /* of an older journal, which did not say it yet */
    expect(isnan(words_reason_number(&r, "limit")) && words_reason_number(&r, "used") == 12);
}

TEST(words_brief_has_three_digits)
{
    expect(strcmp(words_brief(2115630).text, "2.12 s") == 0);
    expect(strcmp(words_brief(98422000).text, "98.4 s") == 0);
    expect(strcmp(words_brief(0).text, "0 s") == 0);
    expect(strcmp(words_brief(3720000000).text, "1 h 2 min") == 0);
}
