#include "jobs/args/escape.h"

#include <string.h>

#include "tests/unit/test.h"

static bool decodes(const char *text, const char *want, size_t length)
{
    char out[32];
    return escape_decode(text, out) == length && memcmp(out, want, length + 1) == 0;
}

TEST(escape_decodes_what_it_knows_and_leaves_the_rest)
{
    expect(decodes("a,b", "a,b", 3));
    expect(decodes("\\n\\t\\r\\\\", "\n\t\r\\", 4));
    expect(decodes("\\0", "\0", 1) && decodes("a\\0b", "a\0b", 3));
    expect(decodes("\\x41\\101\\7", "AA\a", 3));
    expect(decodes("\\w\\", "\\w\\", 3) && decodes("", "", 0) && decodes("\\xg", "\\xg", 3));
}

TEST(escape_takes_as_many_digits_as_there_may_be)
{
    expect(decodes("\\x4", "\4", 1) && decodes("\\x4g", "\4g", 2) && decodes("\\x414", "A4", 2));
    expect(decodes("\\1012", "A2", 2) && decodes("\\18", "\0018", 2) && decodes("\\8", "\\8", 2));
    expect(decodes("\\xaF", "\xaf", 1) && decodes("\\377", "\xff", 1));
}
