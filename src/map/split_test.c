#include "map/split.h"

#include <string.h>

#include "tests/test.h"

static size_t bytes(const char *text, size_t block, bool last)
{
    return split_first(text, strlen(text), block, 0, last);
}

static size_t lines(const char *text, uint64_t records, bool last)
{
    return split_first(text, strlen(text), 1, records, last);
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
