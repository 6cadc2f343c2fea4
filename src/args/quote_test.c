#include "args/quote.h"

#include <string.h>

#include "tests/test.h"

static bool quotes(const char *text, const char *want)
{
    struct str out = {0};
    quote_add(&out, text);
    bool same = strcmp(out.text, want) == 0;
    str_free(&out);
    return same;
}

TEST(quote_leaves_harmless_text_alone)
{
    expect(quotes("a/b-c_d.e+1", "a/b-c_d.e+1"));
}

TEST(quote_protects_everything_else)
{
    expect(quotes("", "''"));
    expect(quotes("a b", "'a b'"));
    expect(quotes("$x;`y`\n", "'$x;`y`\n'"));
    expect(quotes("it's", "'it'\"'\"'s'"));
    expect(quotes("'", "\"'\"") && quotes("''", "\"'\"''\"'\""));
    expect(quotes("a''b", "'a'\"'\"''\"'\"'b'") && quotes("'x'", "\"'\"'x'\"'\""));
    expect(quotes("~", "'~'"));
    expect(quotes("\xc3\xa4", "'\xc3\xa4'"));
}
