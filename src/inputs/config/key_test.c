#include "inputs/config/key.h"

#include <string.h>

#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

TEST(key_names_are_safe_as_file_names)
{
    char longest[FIELD_NAME_BYTES_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[FIELD_NAME_BYTES_MAX + 1] = 0;
    expect(!field_name_ok(longest));
    longest[FIELD_NAME_BYTES_MAX] = 0;
    expect(field_name_ok(longest));
    expect(field_name_ok("a") && field_name_ok("0") && field_name_ok("Az09_.+@:-"));
    expect(!field_name_ok("") && !field_name_ok(".a") && !field_name_ok("-a") &&
           !field_name_ok("a/b"));
    expect(!field_name_ok("a b") && !field_name_ok("a,b") && !field_name_ok("\xc3\xa9"));
}

struct key_sample {
    int64_t time_us, bytes;
    double real;
    char *text;
    uint32_t count;
    int32_t milli, up, down;
    uint8_t percent;
    int choice;
};

#define ROW(type, field, min, max) FIELD_ROW(#field, type, struct key_sample, field, min, max)
static const struct field keys[] = {
    {ROW(FIELD_TIME, time_us, 0, 5)},
    {ROW(FIELD_BYTES, bytes, 0, 2048)},
    {ROW(FIELD_REAL, real, -1, 1)},
    {ROW(FIELD_TEXT, text, 0, 5)},
    {ROW(FIELD_COUNT, count, 1, 10)},
    {ROW(FIELD_MILLI, milli, 0.5, 2)},
    {ROW(FIELD_MIB_UP, up, 0, 10)},
    {ROW(FIELD_MIB_DOWN, down, 0, 10)},
    {ROW(FIELD_PERCENT, percent, 0, 0)},
    {ROW(FIELD_CHOICE, choice, 0, 0), .choices = "red|green"},
    {0},
};
static const struct key_kind kind = {"it", NULL, keys};

/* Fills *fields from one line; true if it was accepted. */
static bool fill(const char *text, struct key_sample *fields, struct err *err)
{
    struct scratch s = scratch_write(text, strlen(text));
    struct line_file *f = line_open(s.path, err);
    const struct line *line;
    uint64_t given = 0;
    bool ok = f && line_next(f, &line, err) == 1 && key_kind(line, &kind, 1, err) == &kind &&
              key_fill(line, &kind, fields, &given, err) == 0;
    fields->text = NULL; /* it belonged to the file */
    line_close(f);
    scratch_remove(&s);
    return ok;
}

TEST(key_values_fill_their_fields)
{
    struct key_sample f = {0};
    struct err err;
    expect(fill("it time_us=1.5s bytes=1K real=-0.25 count=7 milli=1.2345 up=1.5M down=1.5M "
                "percent=5% choice=green text=hello",
                &f, &err));
    expect(f.time_us == 1500000 && f.bytes == 1024 && f.real == -0.25 && f.count == 7);
    expect(f.milli == 1235 && f.up == 2 && f.down == 1 && f.percent == 5 && f.choice == 1);
    expect(fill("it percent=100 up=0 down=0", &f, &err));
    expect(f.percent == 100 && f.up == 0 && f.down == 0 && f.count == 7);
}

TEST(key_values_out_of_range_say_what_is_in_it)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"it time_us=5.000001s", "expected a time from 0s to 5s, such as 250ms, 5s or 2h"},
        {"it bytes=2049", "expected a size from 0 to 2K, such as 64M or 1G"},
        {"it real=1.001", "real=1.001 of it is wrong; expected a number from -1 to 1"},
        {"it count=0", "expected a whole number from 1 to 10"},
        {"it count=11", "expected a whole number from 1 to 10"},
        {"it count=99999999999999999999", "expected a whole number from 1 to 10"},
        {"it count=2.5", "expected a whole number"},
        {"it milli=0.499", "expected a number from 0.5 to 2"},
        {"it up=9.5M", NULL},
        {"it up=10.5M", "expected 0 or a size from 1M to 10M, such as 512M or 24G"},
        {"it down=10.5M", NULL},
        {"it down=1048575", "expected 0 or a size from 1M"},
        {"it percent=101%", "expected a percentage from 0% to 100%"},
        {"it percent=%", "expected a percentage"},
        {"it percent=5%%", "expected a percentage"},
        {"it percent=-1", "expected a percentage"},
        {"it choice=blue", "choice=blue of it is wrong; expected red or green"},
        {"it text=sixsix", "expected at most 5 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct key_sample f;
        struct err err = {.text = ""};
        bool ok = fill(cases[i].text, &f, &err);
        expect(ok == !cases[i].what);
        expect(!cases[i].what || strstr(err.text, cases[i].what));
    }
}

/* What is said of the first line; "" if it is of one of these kinds. */
static const char *said_of(const char *text)
{
    static const struct key_kind kinds[] = {{"nodes", "NAMES", NULL}, {"rack", NULL, NULL}};
    static struct err err;
    const struct line *line;

    err.text[0] = 0;
    struct line_file *f = line_open_text("it", text, strlen(text));
    expect(line_next(f, &line, &err) == 1);
    key_kind(line, kinds, 2, &err);
    line_close(f);
    return err.text;
}

TEST(key_kinds_are_told_apart_and_hinted_at)
{
    expect(said_of("nodes n cpu=1")[0] == 0 && said_of("rack up=1")[0] == 0);
    expect(strstr(said_of("node n cpu=1"), "unknown word 'node'; did you mean 'nodes'?"));
    expect(strstr(said_of("zebra z"), "unknown word 'zebra'; expected one of nodes, rack"));
    expect(strstr(said_of("nodes cpu=1"), "nodes without NAMES; expected nodes NAMES key=value"));
    expect(strstr(said_of("rack r up=1"), "'r' has no value; expected rack key=value"));
}
