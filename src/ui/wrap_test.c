#include "ui/wrap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

static bool prints(const char *text, int column, int indent, const char *expected)
{
    struct capture c;
    capture_begin(&c, STDOUT_FILENO);
    wrap_print(text, column, indent);
    char *out = capture_end(&c);
    bool same = strcmp(out, expected) == 0;
    if (!same)
        printf("%s    instead of\n%s", out, expected);
    mem_free(out);
    return same;
}

static bool text_prints(const char *text, const char *expected)
{
    struct capture c;
    capture_begin(&c, STDOUT_FILENO);
    wrap_text(text);
    char *out = capture_end(&c);
    bool same = strcmp(out, expected) == 0;
    mem_free(out);
    return same;
}

static bool row_prints(const char *left, const char *right, const char *expected)
{
    struct capture c;
    capture_begin(&c, STDOUT_FILENO);
    wrap_row(left, right, 6);
    char *out = capture_end(&c);
    bool same = strcmp(out, expected) == 0;
    mem_free(out);
    return same;
}

#define TEN "123456789 "
#define UMLAUTS "ääääääääää"

TEST(wrap_breaks_between_words_at_80_columns)
{
    expect(prints("", 0, 4, "\n"));
    expect(prints(" a\n b\tc ", 0, 4, "a b c\n"));
    expect(prints(TEN TEN TEN TEN TEN TEN TEN "1234567890", 0, 4,
                  TEN TEN TEN TEN TEN TEN TEN "1234567890\n")); /* 80, to the column */
    expect(prints(TEN TEN TEN TEN TEN TEN TEN "12345678901", 0, 4,
                  TEN TEN TEN TEN TEN TEN "123456789\n    12345678901\n"));
    expect(prints("a " TEN "b", 69, 2, "a 123456789\n  b\n"));
    expect(prints("a " TEN "b", 70, 2, "a\n  123456789 b\n"));
    /* characters count, not bytes */
    expect(prints(UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS " 123456789 b", 0, 0,
                  UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS " 123456789\nb\n"));
    /* a word that fits no line is not cut */
    expect(prints("a " TEN "b", 0, 78, "a 123456789 b\n"));
    expect(prints("a 123456789 b", 78, 3, "a\n   123456789 b\n"));
    expect(prints("1234 b", 78, 1, "1234\n b\n"));
}

TEST(wrap_joins_the_lines_of_paragraphs_alone)
{
    expect(text_prints("", ""));
    expect(text_prints("usage: a\n       b\n\nOne\ntwo.\n\n  example\n  another\nend",
                       "usage: a\n       b\n\nOne two.\n\n  example\n  another\nend\n"));
    expect(text_prints(TEN TEN TEN TEN TEN TEN "\n" TEN "\n1234567890\n12\n",
                       TEN TEN TEN TEN TEN TEN TEN "1234567890\n12\n"));
    expect(text_prints("usage: a\nOne\n", "usage: a\nOne\n"));
}

TEST(wrap_puts_help_beside_names)
{
    expect(row_prints("-a", "one\ntwo", "  -a     one two\n"));
    expect(row_prints("--abc", "one", "  --abc  one\n"));
    expect(row_prints("--abcd", "one", "  --abcd  one\n"));
    expect(row_prints("--abcdefgh", "one", "  --abcdefgh  one\n"));
    expect(row_prints("-a", TEN TEN TEN TEN TEN TEN TEN "12 3",
                      "  -a     " TEN TEN TEN TEN TEN TEN "123456789\n         12 3\n"));
}
