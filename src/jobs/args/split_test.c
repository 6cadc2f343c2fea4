#include "jobs/args/split.h"

#include <stdio.h>
#include <string.h>

#include "jobs/args/regex.h"
#include "tests/unit/test.h"

static struct split plain = {.start = "", .end = "\n", .end_length = 1};

static size_t bytes(const char *text, size_t block, bool last)
{
    struct split s = plain;
    s.block = block;
    return split_first(&s, text, strlen(text), last);
}

static size_t lines(const char *text, uint64_t records, bool last)
{
    struct split s = plain;
    s.records = records;
    return split_first(&s, text, strlen(text), last);
}

/* The blocks of a text, each with a bar behind it. */
static bool cuts(const struct split *s, const char *text, const char *want)
{
    char have[128] = "";
    size_t at = 0, length = strlen(text), n;

    while (at < length && (n = split_first(s, text + at, length - at, true)) > 0) {
        snprintf(have + strlen(have), sizeof have - strlen(have), "%.*s|", (int)n, text + at);
        at += n;
    }
    if (strcmp(have, want) != 0)
        fprintf(stderr, "  have %s\n", have);
    return strcmp(have, want) == 0;
}

TEST(split_by_size_ends_at_the_last_line_that_fits)
{
    expect(bytes("ab\ncd\nef\n", 6, false) == 6); /* just fits */
    expect(bytes("ab\ncd\nef\n", 5, false) == 3);
    expect(bytes("ab\ncd\nef\n", 7, false) == 6);
    expect(bytes("abcdef\ng\n", 2, false) == 7); /* one long line */
    expect(bytes("ab\ncd", 9, false) == 0 && bytes("ab\ncd", 9, true) == 5);
    expect(bytes("abcdef", 2, false) == 0 && bytes("abcdef", 2, true) == 6);
    expect(bytes("ab\n", 3, false) == 0 && bytes("ab\n", 3, true) == 3);
}

TEST(split_by_lines_counts_them)
{
    expect(lines("a\nb\nc\n", 1, false) == 2 && lines("a\nb\nc\n", 2, false) == 4);
    expect(lines("a\nb\nc\n", 3, false) == 6);
    expect(lines("a\nb\nc\n", 4, false) == 0 && lines("a\nb\nc\n", 4, true) == 6);
    expect(lines("a\nb", 2, false) == 0 && lines("a\nb", 2, true) == 3);
}

TEST(split_at_ends_and_starts_of_records)
{
    struct split s = {.records = 1, .start = "", .end = ", ", .end_length = 2};
    expect(cuts(&s, "/a, b/, /c", "/a, |b/, |/c|"));
    s.start = "/", s.start_length = 1;
    expect(cuts(&s, "/a, b/, /c", "/a, b/, |/c|"));
    s.end = "", s.end_length = 0;
    expect(cuts(&s, "/a, b/, /c", "/a, b|/, |/c|"));
    s.start = "", s.start_length = 0;
    expect(cuts(&s, "abc", "a|b|c|"));
    s.records = 0, s.block = 2;
    expect(cuts(&s, "abcde", "ab|cd|e|"));
    s = (struct split){.block = 5, .lines = 2, .start = "", .end = "\n", .end_length = 1};
    expect(cuts(&s, "1\n2\n3\n4\n5\n", "1\n2\n|3\n4\n|5\n|"));
    s.block = 100;
    expect(cuts(&s, "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n|5\n|"));
    s = (struct split){.block = 4, .at_least = true, .start = "", .end = "\n", .end_length = 1};
    expect(cuts(&s, "1\n2\n3\n4\n5\n", "1\n2\n3\n|4\n5\n|"));
}

TEST(split_at_regular_expressions_and_strip_them)
{
    struct err err;
    struct regex *regex = regex_compile("(,_+)()", "--recend", &err);
    struct split s = {.records = 1, .start = "", .end = "", .regex = regex};

    expect(regex != NULL);
    expect(cuts(&s, "a,b,_c,__d,", "a,b,_|c,__|d,|"));
    regex_free(regex);
}

static void note(void *ctx, const char *at, size_t length)
{
    strncat(ctx, at, length);
}

TEST(split_strips_separators)
{
    struct split s = {.records = 9, .start = "<", .start_length = 1, .end = ">", .end_length = 1};
    char have[64] = "";

    split_strip(&s, "<a><b>c><d>", 11, note, have);
    expect(strcmp(have, "ab>cd") == 0);
}
