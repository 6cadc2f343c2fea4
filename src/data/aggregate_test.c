#include "data/aggregate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/unit/test.h"

/* What comes of the lines; freed by the caller. NULL: an error. */
static char *aggregate(const char *lines, bool again, struct err *err)
{
    char *text = NULL;
    size_t size;
    FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r"),
         *out = open_memstream(&text, &size);
    int result = aggregate_run(in, out, again, err);

    fclose(in);
    fclose(out);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static void expect_result(const char *lines, bool again, const char *want)
{
    struct err err;
    char *text = aggregate(lines, again, &err);

    expect(text && strcmp(text, want) == 0);
    free(text);
}

TEST(aggregate_sums_and_bounds)
{
    expect_result("LongValueSum:a\t1\nLongValueSum:a\t-3\nLongValueSum:b:c\t9", false,
                  "a\t-2\nb:c\t9\n");
    expect_result("LongValueMax:a\t1\nLongValueMax:a\t7\nLongValueMin:a\t1\nLongValueMin:a\t-7\n",
                  false, "a\t7\na\t-7\n");
    expect_result("StringValueMax:a\tab\nStringValueMax:a\tb\nStringValueMin:a\tab\n"
                  "StringValueMin:a\taa\n",
                  false, "a\tb\na\taa\n");
    expect_result("DoubleValueSum:a\t0.5\nDoubleValueSum:a\t2.5\nDoubleValueSum:b\t0.1\n", false,
                  "a\t3.0\nb\t0.1\n");
}

TEST(aggregate_counts_values)
{
    expect_result("UniqValueCount:a\tx\nUniqValueCount:a\ty\nUniqValueCount:a\tx\n", false,
                  "a\t2\n");
    /* x twice, y once, z three times: the middle is 2, the mean 2, the deviation sqrt(2 / 3). */
    expect_result("ValueHistogram:a\tx\t2\nValueHistogram:a\ty\nValueHistogram:a\tz\t3\n", false,
                  "a\t3\t1\t2\t3\t2.0\t0.816496580927726\n");
}

/* Each kind for three keys in a row: none sees the values of another, nor where the kind changes
 * between them. */
TEST(aggregate_begins_anew_with_each_key)
{
    static const struct {
        const char *kind, *values[3][2], *results[3], *again[3];
    } rows[] = {
        {"LongValueSum", {{"5", "6"}, {"-1", "0"}, {"7", "1"}}, {"11", "-1", "8"}, {0}},
        {"LongValueMax", {{"5", "6"}, {"-1", "-2"}, {"3", "4"}}, {"6", "-1", "4"}, {0}},
        {"LongValueMin", {{"-5", "-6"}, {"1", "2"}, {"4", "3"}}, {"-6", "1", "3"}, {0}},
        {"DoubleValueSum", {{"0.5", "1"}, {"2", "2.5"}, {"0", "-1"}}, {"1.5", "4.5", "-1.0"}, {0}},
        {"StringValueMax", {{"x", "y"}, {"b", "a"}, {"c", "d"}}, {"y", "b", "d"}, {0}},
        {"StringValueMin", {{"a", "b"}, {"y", "x"}, {"d", "c"}}, {"a", "x", "c"}, {0}},
        {"UniqValueCount",
         {{"x", "y"}, {"x", "x"}, {"z", "y"}},
         {"2", "1", "2"},
         {"x\0y", "x\0", "y\0z"}},
        {"ValueHistogram",
         {{"x\t3", "y"}, {"x", "x\t4"}, {"z", "y"}},
         {"2\t1\t3\t3\t2.0\t1.0", "1\t5\t5\t5\t5.0\t0.0", "2\t1\t1\t1\t1.0\t0.0"},
         {"x\t3\0y\t1", "x\t5\0", "y\t1\0z\t1"}},
    };
    enum { KINDS = sizeof rows / sizeof *rows };

    for (int again = 0; again < 2; again++)
        for (int order = 0; order < 2; order++) { /* key by key of a kind, or kind by kind */
            struct str in = {0}, want = {0};
            for (int i = 0; i < 3 * KINDS; i++) {
                int kind = order ? i % KINDS : i / 3, key = order ? i / KINDS : i % 3;
                const char *name = rows[kind].kind, *values = rows[kind].again[key];
                for (int k = 0; k < 2; k++)
                    str_addf(&in, "%s:k%d\t%s\n", name, key, rows[kind].values[key][k]);
                if (!again || !values)
                    str_addf(&want, "%s%sk%d\t%s\n", again ? name : "", again ? ":" : "", key,
                             rows[kind].results[key]);
                for (int k = 0; again && values && k < 2 && *values; k++) {
                    str_addf(&want, "%s:k%d\t%s\n", name, key, values);
                    values += strlen(values) + 1;
                }
            }
            expect_result(in.text, again, want.text);
            str_free(&in);
            str_free(&want);
        }
}

/* Numbers are printed as Java does. */
TEST(aggregate_prints_each_kind_of_number)
{
    static const char *const rows[][2] = {
        {"0.001", "0.001"},       {"0.0009", "9.0E-4"},  {"-0.00095", "-9.5E-4"},
        {"9999999", "9999999.0"}, {"10000000", "1.0E7"}, {"12345678.5", "1.23456785E7"},
        {"-0.25", "-0.25"},       {"-0", "0.0"},         {"-9999999.5", "-9999999.5"},
        {"nan", "NaN"},           {"inf", "Infinity"},   {"-inf", "-Infinity"},
        {"1e300", "1.0E300"},     {"100", "100.0"},      {"0.1234567890123", "0.1234567890123"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[64], want[64];
        snprintf(line, sizeof line, "DoubleValueSum:a\t%s\n", rows[i][0]);
        snprintf(want, sizeof want, "a\t%s\n", rows[i][1]);
        expect_result(line, false, want);
    }
}

TEST(aggregate_of_aggregates)
{
    expect_result("LongValueSum:a\t1\nLongValueSum:a\t2\n", true, "LongValueSum:a\t3\n");
    expect_result("UniqValueCount:a\ty\nUniqValueCount:a\tx\nUniqValueCount:a\ty\n", true,
                  "UniqValueCount:a\tx\nUniqValueCount:a\ty\n");
    expect_result("ValueHistogram:a\ty\nValueHistogram:a\tx\t2\nValueHistogram:a\ty\n", true,
                  "ValueHistogram:a\tx\t2\nValueHistogram:a\ty\t2\n");
    expect_result("", true, "");
}

TEST(aggregate_refuses_what_is_no_aggregation)
{
    static const char *const bad[][2] = {
        {"word\t1\n", "'word' does not begin with LongValueSum: or another aggregation"},
        {"LongSum:word\t1\n",
         "'LongSum:word' does not begin with LongValueSum: or another aggregation"},
        {"LongValueSum:a\tx\n", "LongValueSum:a: 'x' is not a value that this aggregate takes"},
        {"LongValueMax:a\n", "LongValueMax:a: '' is not a value that this aggregate takes"},
        {"DoubleValueSum:a\t1x\n",
         "DoubleValueSum:a: '1x' is not a value that this aggregate takes"},
        {"DoubleValueSum:a\t\n", "DoubleValueSum:a: '' is not a value that this aggregate takes"},
        {"ValueHistogram:a\tb\t0\n",
         "ValueHistogram:a: 'b?0' is not a value that this aggregate takes"},
        {"ValueHistogram:a\tb\tc\n",
         "ValueHistogram:a: 'b?c' is not a value that this aggregate takes"},
        {"LongValueSum:a\t9223372036854775807\nLongValueSum:a\t1\n",
         "LongValueSum:a: the sum has more than 64 bits"},
        {"LongValueSum:a\t-9223372036854775808\nLongValueSum:a\t-1\n",
         "LongValueSum:a: the sum has more than 64 bits"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err;
        expect(!aggregate(bad[i][0], false, &err) && strcmp(err.text, bad[i][1]) == 0);
        expect(err.kind == ERR_INPUT);
    }
    expect_result("LongValueSum:a\t9223372036854775806\nLongValueSum:a\t1\n", false,
                  "a\t9223372036854775807\n");
}

/* The reason is that of the write, whatever the next line does to errno. */
TEST(aggregate_reports_what_cannot_be_written_or_read)
{
    static char lines[] = "LongValueSum:a\t1\nDoubleValueSum:b\t1e999\nLongValueSum:c\t1\n";
    struct err err;

    for (int buffered = 0; buffered < 2; buffered++) {
        FILE *in = fmemopen(lines, strlen(lines), "r"), *out = fopen("/dev/full", "w");
        setvbuf(out, NULL, buffered ? _IOFBF : _IONBF, buffered ? BUFSIZ : 0);
        expect(aggregate_run(in, out, false, &err) == -1 && err.kind == ERR_SYSTEM);
        expect(strcmp(err.text, "standard output: No space left on device") == 0);
        expect((getc(in) == EOF) == buffered); /* after the first result, or at the end */
        fclose(in);
        fclose(out);
    }
    FILE *folder = fopen("/", "r"), *out = tmpfile();
    expect(aggregate_run(folder, out, false, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "standard input: Is a directory") == 0 && ftell(out) == 0);
    fclose(folder);
    fclose(out);
}
