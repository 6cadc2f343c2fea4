#include "inputs/trace/lines.h"

#include "tests/unit/test.h"

/* Joins the lines of a text that comes in blocks of `block` bytes with bars. */
static void join(const char *text, size_t block, char *out)
{
    struct lines l = {0};
    struct row_text line;
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at += block) {
        lines_feed(&l, text + at, length - at < block ? length - at : block);
        while (lines_next(&l, &line) > 0) {
            memcpy(out, line.at, line.length);
            out += line.length;
            *out++ = '|';
        }
    }
    if (lines_last(&l, &line) > 0) {
        memcpy(out, line.at, line.length);
        out += line.length;
        *out++ = '!';
    }
    *out = '\0';
    vec_free(&l.carry.at);
}

TEST(lines_are_the_same_in_blocks_of_any_size)
{
    char out[64];
    for (size_t block = 1; block < 20; block++) {
        join("one\r\ntwo\n\nthree", block, out);
        expect(!strcmp(out, "one|two||three!"));
        join("one\n", block, out);
        expect(!strcmp(out, "one|"));
    }
}

TEST(lines_that_are_too_long_are_skipped)
{
    static char block[1 << 20];
    struct lines l = {0};
    struct row_text line;
    memset(block, 'x', sizeof block);
    for (int i = 0; i <= LINES_LENGTH_MAX / (1 << 20); i++) {
        lines_feed(&l, block, sizeof block);
        expect(lines_next(&l, &line) == 0);
    }
    expect(l.carry.at.cap == 0); /* of a line that is skipped nothing is kept */
    lines_feed(&l, "\nafter\n", 7);
    expect(lines_next(&l, &line) == -1 && l.number == 1);
    expect(lines_next(&l, &line) == 1 && l.number == 2 && row_text_is(line, "after"));
    vec_free(&l.carry.at);
}

TEST(lines_split_looks_at_no_more_than_it_is_asked_for)
{
    struct row_text f[3];
    expect(lines_split((struct row_text){"a,,b", 4}, ',', f, 3) == 3);
    expect(row_text_is(f[0], "a") && f[1].length == 0 && row_text_is(f[2], "b"));
    expect(lines_split((struct row_text){"a,b,c,d,e", 9}, ',', f, 2) == 2);
    expect(row_text_is(f[1], "b"));
    expect(lines_split((struct row_text){"", 0}, ',', f, 3) == 1 && f[0].length == 0);
}
