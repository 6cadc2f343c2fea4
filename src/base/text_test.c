#include "base/text.h"

#include <string.h>

#include "tests/unit/test.h"

static bool int_is(const char *text, int64_t expected)
{
    int64_t value = 0;
    return text_int(text, &value) && value == expected;
}

static bool duration_is(const char *text, int64_t expected)
{
    int64_t value = -1;
    return text_duration(text, &value) && value == expected;
}

static bool bytes_is(const char *text, int64_t expected)
{
    int64_t value = -1;
    return text_bytes(text, &value) && value == expected;
}

TEST(text_int_reads_the_whole_range)
{
    expect(int_is("0", 0));
    expect(int_is("-0", 0));
    expect(int_is("007", 7));
    expect(int_is("9223372036854775807", INT64_MAX));
    expect(int_is("-9223372036854775808", INT64_MIN));
}

TEST(text_int_refuses_junk_and_overflow)
{
    const char *const bad[] = {"",
                               "-",
                               "+1",
                               " 1",
                               "1 ",
                               "1.0",
                               "0x1",
                               "1e3",
                               "--1",
                               "9223372036854775808",
                               "-9223372036854775809",
                               "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        expect(!text_int(bad[i], &value));
        expect(value == 77);
    }
}

TEST(text_real_takes_finite_decimals_only)
{
    double value = 0;
    expect(text_real("0.05", &value) && value == 0.05);
    expect(text_real("-1e3", &value) && value == -1000);
    expect(text_real(".5", &value) && value == 0.5);
    const char *const bad[] = {"",   "nan", "inf", "-inf",  "0x10", "1e999", " 1",
                               "1 ", "1,5", "+1",  "1.2.3", "e",    "-",     "1e"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        value = 77;
        expect(!text_real(bad[i], &value));
        expect(value == 77);
    }
}

TEST(text_duration_knows_the_units)
{
    expect(duration_is("90", 90000000));
    expect(duration_is("1.5s", 1500000));
    expect(duration_is("250ms", 250000));
    expect(duration_is("7us", 7));
    expect(duration_is("2m", 120000000));
    expect(duration_is("1h", INT64_C(3600000000)));
    expect(duration_is("1d", INT64_C(86400000000)));
    expect(duration_is("0", 0));
}

TEST(text_duration_is_exact)
{
    expect(duration_is("0.1s", 100000) && duration_is(".1", 100000));
    expect(duration_is("9007199254740993us", INT64_C(9007199254740993)));
    expect(duration_is("9223372036854775807us", INT64_MAX));
    expect(duration_is("0.0000004s", 0));
    expect(duration_is("0.0000005s", 1));
    expect(duration_is("0.3333333333333333333333333s", 333333));
    expect(duration_is("0.999999999999999999999999d", INT64_C(86400000000)));
}

TEST(text_duration_refuses_junk_and_overflow)
{
    const char *const bad[] = {"",
                               "s",
                               "-1s",
                               "+1s",
                               "1 s",
                               "1.s",
                               ".",
                               ".s",
                               "..5",
                               "1S",
                               "1min",
                               "1e3",
                               "1.5.5s",
                               "9223372036855s",
                               "9223372036854775808us",
                               "106751992d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        expect(!text_duration(bad[i], &value));
        expect(value == 77);
    }
}

TEST(text_bytes_knows_the_units)
{
    expect(bytes_is("0", 0));
    expect(bytes_is("17", 17));
    expect(bytes_is("17B", 17));
    expect(bytes_is("1K", 1024));
    expect(bytes_is("1KB", 1024));
    expect(bytes_is("1KiB", 1024));
    expect(bytes_is("1.5M", 1572864));
    expect(bytes_is("2G", INT64_C(2147483648)));
    expect(bytes_is("1T", INT64_C(1099511627776)));
    expect(bytes_is("8388607T", INT64_C(8388607) << 40));
}

TEST(text_bytes_refuses_junk_and_overflow)
{
    const char *const bad[] = {"", "K", "1iB", "1KK", "1X", "-1K", "1 K", "1Ki", "8388608T"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 77;
        expect(!text_bytes(bad[i], &value));
        expect(value == 77);
    }
}

static bool nearest_is(const char *name, const char *expected)
{
    static const char *const names[] = {"fifo", "fair",   "late", "mantri", "dolly",
                                        "beta", "budget", "p",    "hadoop", "largest-first"};
    const char *found = text_nearest(name, names, sizeof names / sizeof *names);
    return expected ? found && !strcmp(found, expected) : !found;
}

TEST(text_nearest_finds_slips)
{
    expect(nearest_is("doly", "dolly"));   /* missing */
    expect(nearest_is("dollly", "dolly")); /* one too many */
    expect(nearest_is("dally", "dolly"));  /* another */
    expect(nearest_is("odlly", "dolly"));  /* swapped: one slip, not two */
    expect(nearest_is("largestfirst", "largest-first"));
    expect(nearest_is("beta", "beta"));
}

TEST(text_nearest_knows_when_nothing_is_near)
{
    expect(nearest_is("hadopo", "hadoop"));             /* one swap */
    expect(nearest_is("hdaopo", "hadoop"));             /* 6 letters, two slips: the limit */
    expect(nearest_is("hdaopx", NULL));                 /* three */
    expect(nearest_is("lrgest-frst", "largest-first")); /* two */
    expect(nearest_is("lrgst-frst", "largest-first"));  /* three: the limit */
    expect(nearest_is("lrgst-frs", NULL));              /* four */
    expect(nearest_is("q", NULL));                      /* shares no letter with "p" */
    expect(nearest_is("", NULL));
    expect(nearest_is("completely-different", NULL));
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    expect(nearest_is(longer, NULL));
}

TEST(text_nearest_prefers_the_first_of_equals)
{
    static const char *const names[] = {"abcd", "abce"};
    expect(text_nearest("abcx", names, 2) == names[0]);
    expect(text_nearest("abce", names, 2) == names[1]);
    expect(text_nearest("abce", names, 0) == NULL);
}

TEST(text_nearest_prefers_what_begins_alike)
{
    static const char *const names[] = {"eta", "beta"};
    expect(text_nearest("bta", names, 2) == names[1]);
    expect(text_nearest("etaa", names, 2) == names[0]);
}

TEST(text_percent_tells_numbers_from_percentages)
{
    double value;
    bool percent;

    expect(text_percent("2.5", &value, &percent) && value == 2.5 && !percent);
    expect(text_percent("50%", &value, &percent) && value == 50 && percent);
    expect(!text_percent("%", &value, &percent) && !text_percent("", &value, &percent));
    expect(!text_percent("5%%", &value, &percent) && !text_percent("x", &value, &percent));
}

TEST(text_tame_leaves_nothing_that_a_terminal_obeys)
{
    char text[] = "a\033]0;t\007\tb\177\r\n", above[] = "\xc2\x9b"
                                                        "31m \xc3\x9b \xc2\xa7 \xc2";

    expect(strcmp(text_tame(text), "a?]0;t??b???") == 0);
    expect(strcmp(text_tame(above), "??31m \xc3\x9b \xc2\xa7 \xc2") == 0);
    expect(text_tame(NULL) == NULL);
    char turned[] = "\xe2\x80\xaa|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9";
    char straight[] = "\xe2\x80\xa9|\xe2\x80\xaf|\xe2\x81\xa5|\xe2\x81\xaa|\xd7\xa2|\xe2\x80";
    expect(strcmp(text_tame(turned), "???|???|???|???") == 0);
    expect(strcmp(text_tame(straight), "\xe2\x80\xa9|\xe2\x80\xaf|\xe2\x81\xa5|\xe2\x81\xaa|"
                                       "\xd7\xa2|\xe2\x80") == 0);
}
