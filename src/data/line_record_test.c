#include "data/line_record.h"

#include <stdio.h>

#include "base/text.h"
#include "tests/unit/test.h"

static void expect_record(const char *line, const char *separator, uint32_t fields, const char *key,
                          const char *value)
{
    struct data_record r = line_record_of(line, (uint32_t)strlen(line), separator, fields);

    expect(r.key_length == strlen(key) && memcmp(r.key, key, r.key_length) == 0);
    expect(r.value_length == strlen(value) && memcmp(r.value, value, r.value_length) == 0);
}

TEST(line_record_has_the_first_fields_as_its_key)
{
    expect_record("k\tv", "\t", 1, "k", "v");
    expect_record("k\tv\tw", "\t", 1, "k", "v\tw");
    expect_record("k\tv\tw", "\t", 2, "k\tv", "w");
    expect_record("k\tv", "\t", 2, "k\tv", "");
    expect_record("only", "\t", 1, "only", "");
    expect_record("k\t", "\t", 1, "k", "");
    expect_record("\tv", "\t", 1, "", "v");
    expect_record("", "\t", 1, "", "");
    expect_record("a.b.c", ".", 2, "a.b", "c");
    expect_record("a@#@b@#@c", "@#@", 1, "a", "b@#@c");
    expect_record("a@#@b@#@c", "@#@", 2, "a@#@b", "c");
    expect_record("a@#b@#@", "@#@", 1, "a@#b", "");
    expect_record("a@#", "@#@", 1, "a@#", "");
}

static int note_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    (void)err;
    str_addf(ctx, "[%.*s]", (int)length, line);
    return 0;
}

/* Wherever a text is cut, its lines are the same. */
TEST(line_record_cuts_lines_that_come_in_pieces)
{
    static const char text[] = "ab\n\ncde\nf";
    struct err err;

    for (size_t first = 0; first < sizeof text - 1; first++)
        for (size_t second = first; second < sizeof text - 1; second++) {
            struct line_record_cutter c = {0};
            struct str lines = {0};
            expect(line_record_cut(&c, text, first, note_line, &lines, &err) == 0);
            expect(line_record_cut(&c, text + first, second - first, note_line, &lines, &err) == 0);
            expect(line_record_cut(&c, text + second, sizeof text - 1 - second, note_line, &lines,
                                   &err) == 0);
            expect(line_record_cut_end(&c, note_line, &lines, &err) == 0);
            expect(strcmp(lines.text, "[ab][][cde][f]") == 0);
            str_free(&lines);
        }
}

/* Only the count of what is kept says that a line has come to its limit. */
TEST(line_record_refuses_a_line_of_more_than_2_gib)
{
    struct line_record_cutter c = {0};
    struct str lines = {0};
    struct err err;

    c.rest.count = INT32_MAX;
    for (size_t bytes = 1; bytes <= 2; bytes++) { /* without its end, and with it */
        expect(line_record_cut(&c, "x\n", bytes, note_line, &lines, &err) == -1);
        expect(strcmp(err.text, "a line has more than 2 GiB") == 0 && err.kind == ERR_INPUT);
    }
    expect(c.rest.count == INT32_MAX && lines.length == 0);
}

/* Where each piece of `bytes` would begin. */
TEST(split_bounds_are_beginnings_of_lines)
{
    static const char text[] = "ab\n\ncde\nf"; /* lines begin at 0, 3, 4, 8 */
    static const int64_t want[] = {0, 3, 3, 3, 4, 8, 8, 8, 8, 9};
    struct err err;
    FILE *f = tmpfile();

    expect(f && fputs(text, f) >= 0 && fflush(f) == 0);
    for (uint64_t from = 0; from <= strlen(text); from++)
        expect(line_record_start(fileno(f), "f", strlen(text), from, &err) == want[from]);
    expect(line_record_start(fileno(f), "f", 100, 9, &err) < 0);
    expect(strcmp(err.text, "f: it became shorter while it was read") == 0);
    fclose(f);
}
