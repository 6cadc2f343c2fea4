#include "jobs/args/quote.h"

#include <string.h>

#include "base/mem.h"
#include "tests/unit/test.h"

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

TEST(quote_makes_an_argument_of_a_path)
{
    static const char *const cases[][2] = {
        {"run1", "run1"}, {"-x", "./-x"}, {"my run", "'my run'"}, {"a\033[1m", "'a?[1m'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = {0};
        quote_add_path(&out, cases[i][0]);
        expect(strcmp(out.text, cases[i][1]) == 0);
        str_free(&out);
    }
}

TEST(quote_splits_as_a_shell_does)
{
    static const char *const want[] = {"-k", "--tagstring", "a b", "c\"d", "e'f", "", "g\\h"};
    uint32_t count;
    char **words = quote_split("  -k --tagstring 'a b'\tc\\\"d \"e'f\"\n'' 'g\\h' ", &count);

    expect(count == 7);
    for (uint32_t i = 0; i < count; i++) {
        expect(i < 7 && strcmp(words[i], want[i]) == 0);
        mem_free(words[i]);
    }
    mem_free(words);
    words = quote_split(" \n", &count);
    expect(count == 0 && !words);
}
