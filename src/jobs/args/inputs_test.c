#include "jobs/args/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define WORDS(...)                                                                                 \
    ((const char *const[]){__VA_ARGS__}),                                                          \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static struct err err;

/* The rows as text: fields separated by a comma, rows by a semicolon. */
static bool rows_are(struct inputs *in, const char *want)
{
    struct str out = {0};

    for (uint64_t i = 0; i < inputs_rows(in); i++) {
        struct fields f = inputs_row(in, i);
        for (uint32_t k = 0; k < f.count; k++)
            str_addf(&out, "%s%s", k ? "," : "", f.at[k]);
        str_add(&out, ";");
    }
    bool same = strcmp(out.text ? out.text : "", want) == 0;
    if (!same)
        fprintf(stderr, "  have %s\n", out.text ? out.text : "");
    str_free(&out);
    return same;
}

TEST(inputs_multiply_sources_the_last_one_fastest)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("a", "b"), false, &err);
    inputs_add_words(in, WORDS("1", "2", "3"), false, &err);
    expect(inputs_close(in, &err) == 0);
    expect(rows_are(in, "a,1;a,2;a,3;b,1;b,2;b,3;"));
    inputs_destroy(in);
}

TEST(inputs_link_to_the_source_before_and_end_with_the_shorter)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("a", "b", "c"), false, &err);
    inputs_add_words(in, WORDS("1", "2"), true, &err);
    inputs_add_words(in, WORDS("x", "y"), false, &err);
    expect(inputs_close(in, &err) == 0);
    expect(rows_are(in, "a,1,x;a,1,y;b,2,x;b,2,y;"));
    inputs_destroy(in);
}

TEST(inputs_all_linked_begin_again)
{
    struct inputs_options o = {.delimiter = '\n', .link = true};
    struct inputs *in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("a", "b", "c"), false, &err);
    inputs_add_words(in, WORDS("1", "2"), false, &err);
    expect(inputs_close(in, &err) == 0);
    expect(rows_are(in, "a,1;b,2;c,1;"));
    inputs_destroy(in);
}

TEST(inputs_without_values_have_no_rows)
{
    struct inputs_options o = {.delimiter = '\n'}, link = {.delimiter = '\n', .link = true};
    struct inputs *in = inputs_create(&link, &err);
    inputs_add_words(in, WORDS("a", "b"), false, &err);
    inputs_add_words(in, NULL, 0, false, &err);
    expect(inputs_close(in, &err) == 0 && inputs_rows(in) == 0);
    inputs_destroy(in);
    in = inputs_create(&o, &err);
    inputs_add_words(in, NULL, 0, false, &err);
    inputs_add_words(in, NULL, 0, false, &err);
    expect(inputs_close(in, &err) == 0 && inputs_rows(in) == 0);
    inputs_destroy(in);
    in = inputs_create(&o, &err);
    expect(inputs_close(in, &err) == 0 && inputs_rows(in) == 0);
    inputs_destroy(in);
}

TEST(inputs_split_columns_and_name_them)
{
    struct inputs_options o = {.delimiter = '\n', .colsep = ",\\s*", .header = true};
    struct inputs *in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("name, age", "eve, 7", "bob,", "x"), false, &err);
    expect(inputs_close(in, &err) == 0);
    expect(inputs_names(in).count == 2 && strcmp(inputs_names(in).at[1], "age") == 0);
    expect(rows_are(in, "eve,7;bob,;x;"));
    inputs_destroy(in);
}

TEST(inputs_read_files_by_delimiter)
{
    char path[] = "/tmp/dolly-inputs-XXXXXX";
    int fd = mkstemp(path);
    expect(fd >= 0 && write(fd, "a\n\nb c\nd", 8) == 8);
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);
    expect(inputs_add_file(in, path, false, &err) == 0 && inputs_close(in, &err) == 0);
    expect(rows_are(in, "a;;b c;d;"));
    inputs_destroy(in);

    o.skip_empty = true;
    o.delimiter = ' ';
    in = inputs_create(&o, &err);
    expect(inputs_add_file(in, path, false, &err) == 0 && inputs_close(in, &err) == 0);
    expect(rows_are(in, "a\n\nb;c\nd;"));
    inputs_destroy(in);

    expect(pwrite(fd, "\0", 1, 2) == 1);
    o.delimiter = '\n';
    in = inputs_create(&o, &err);
    expect(inputs_add_file(in, path, false, &err) < 0 && strstr(err.text, "-0"));
    inputs_destroy(in);
    close(fd);
    unlink(path);
}

TEST(inputs_refuse_what_cannot_be_read)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);
    expect(inputs_add_file(in, "/no/such/file", false, &err) < 0);
    inputs_destroy(in);
    o.colsep = "(";
    expect(!inputs_create(&o, &err) && strstr(err.text, "--colsep"));
    static const char *const bad[] = {"-++++++++++++++++", "x{2,99999}", "[b-a]", "(?<n"};
    for (int i = 0; i < 4; i++) {
        o.colsep = bad[i];
        expect(!inputs_create(&o, &err) && strstr(err.text, "not a valid regular expression"));
    }
    o.colsep = "\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+"; /* a plus is no repetition there */
    struct inputs *pluses = inputs_create(&o, &err);
    expect(pluses);
    inputs_destroy(pluses);
}

TEST(inputs_end_at_a_word_trim_skip_and_go_on)
{
    struct inputs_options o = {
        .delimiter = '\n', .eof = "END", .trim = INPUTS_TRIM_BOTH, .skip_empty = true};
    struct inputs *in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS(" a ", " ", "b", "END", "c"), false, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a;b;"));
    inputs_destroy(in);
    o = (struct inputs_options){.delimiter = '\n', .continues = true};
    in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("a ", "b\t", "c", "d", "e "), false, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a b\tc;d;e ;"));
    inputs_destroy(in);
    o = (struct inputs_options){.delimiter = '\n', .colsep = ",", .trim = INPUTS_TRIM_LEFT};
    in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS(" a , b"), false, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a ,b;"));
    inputs_destroy(in);
}

TEST(inputs_take_delimiters_of_several_bytes)
{
    char path[] = "/tmp/dolly-inputs-XXXXXX";
    int fd = mkstemp(path);
    struct inputs_options o = {.delimiter = '\n', .delimiter_head = "\n"};

    expect(write(fd, "a\nb\n\nc\n\n\nd\n", 11) == 11 && close(fd) == 0);
    struct inputs *in = inputs_create(&o, &err);
    expect(inputs_add_file(in, path, false, &err) == 0 && inputs_close(in, &err) == 0);
    expect(rows_are(in, "a\nb;c;\nd\n;"));
    inputs_destroy(in);
    unlink(path);
}

static void feed(struct inputs *in, const char *bytes, uint64_t rows)
{
    expect(inputs_feed(in, bytes, strlen(bytes), &err) == 0);
    expect(inputs_rows(in) == rows);
}

/* Values end where their delimiter comes, or with the stream. */
TEST(inputs_come_in_pieces)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);

    inputs_add_feed(in);
    expect(inputs_close(in, &err) == 0 && inputs_rows(in) == 0);
    feed(in, "on", 0);
    feed(in, "e\ntw", 1);
    feed(in, "o\n\nthree", 3);
    expect(strcmp(inputs_row(in, 0).at[0], "one") == 0);
    expect(strcmp(inputs_row(in, 1).at[0], "two") == 0);
    expect(strcmp(inputs_row(in, 2).at[0], "") == 0);
    feed(in, "", 4); /* the end */
    expect(strcmp(inputs_row(in, 3).at[0], "three") == 0);
    feed(in, "", 4);
    size_t bytes;
    const char *fed = inputs_values(in, 0, 1, &bytes);
    expect(bytes == 11 && memcmp(fed, "two\0\0three\0", bytes) == 0);
    inputs_values(in, 0, 4, &bytes);
    expect(bytes == 0);
    expect(inputs_feed(in, "a\0b\n", 4, &err) == -1 && strstr(err.text, "value 5 has a NUL byte"));
    inputs_destroy(in);
}

/* Of what was saved, only so much may count. */
TEST(inputs_are_cut)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);

    inputs_add_words(in, WORDS("a", "b", "c"), false, &err);
    expect(!inputs_cut(in, 4));
    expect(inputs_cut(in, 2) && inputs_close(in, &err) == 0 && rows_are(in, "a;b;"));
    inputs_destroy(in);
}

TEST(inputs_count_an_empty_source_beside_others_as_one_empty_value)
{
    struct inputs_options o = {.delimiter = '\n'};
    struct inputs *in = inputs_create(&o, &err);

    inputs_add_words(in, WORDS("a", "b"), false, &err);
    inputs_add_words(in, NULL, 0, false, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a,;b,;"));
    inputs_destroy(in);
    in = inputs_create(&o, &err);
    inputs_add_words(in, WORDS("a", "b"), false, &err);
    inputs_add_words(in, NULL, 0, true, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a,;"));
    inputs_destroy(in);
}

TEST(inputs_cut_words_at_a_delimiter_that_was_given)
{
    struct inputs_options o = {.delimiter = ',', .split_words = true};
    struct inputs *in = inputs_create(&o, &err);

    inputs_add_words(in, WORDS("a,b", "", "c,,d"), false, &err);
    expect(inputs_close(in, &err) == 0 && rows_are(in, "a;b;;c;;d;"));
    inputs_destroy(in);
}
