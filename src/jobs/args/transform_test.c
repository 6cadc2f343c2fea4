#include "jobs/args/transform.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static bool gives(const char *text, const char *value, const char *want)
{
    struct transform t;
    struct str out = {0};

    if (!transform_read(text, strlen(text), true, &t))
        return false;
    str_add(&out, "");
    transform_add(&t, value, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        fprintf(stderr, "  %s of %s is %s\n", text, value, out.text);
    str_free(&out);
    transform_fini(&t);
    return same;
}

TEST(transform_of_paths)
{
    expect(gives("", "a/b.c", "a/b.c") && gives(".", "a/b.c", "a/b") && gives("/", "a/b", "b"));
    expect(gives("//", "b", ".") && gives("//", "/b", "/") && gives("/.", "a/b.c", "b"));
    expect(gives(".", "a.", "a") && gives(".", "a.b/c", "a.b/c") && gives(".", "x/.b", "x/"));
    expect(gives("..", "d/a.b.c.d", "d/a.b") && gives("...", "d/a.b.c.d", "d/a"));
    expect(gives("..", "d.e/a.b", "d.e/a.b") && gives("/..", "d/a.b.c", "a"));
    expect(gives("+/", "a/b/c", "a/b") && gives("+/", "a", "") && gives("+.", "a.b", "b"));
    expect(gives("+..", "x/a.b.c", "b.c") && gives("+..", "a.b", "") && gives("+.", "a", ""));
}

TEST(transform_like_the_shell)
{
    expect(gives(":-x", "", "x") && gives(":-x", "a", "a"));
    expect(gives(":2", "abcd", "cd") && gives(":1:2", "abcd", "bc") && gives(":9", "abcd", ""));
    expect(gives("#a.*b", "abab", "ab") && gives("##a.*b", "abab", ""));
    expect(gives("%.z", "foo.z", "foo") && gives("%b.*", "abab", "aba"));
    expect(gives("%%b.*", "abab", "a") && gives("#x", "abab", "abab"));
    expect(gives("/b/X", "abab", "aXab") && gives("//b/X", "abab", "aXaX"));
    expect(gives("/#a/X", "aa", "Xa") && gives("/%a/", "aa", "a") && gives("//b/", "abab", "aa"));
    expect(gives("^a", "aab", "Aab") && gives("^^a", "aab", "AAb") && gives("^b", "aab", "aab"));
    expect(gives(",A", "AAB", "aAB") && gives(",,[AB]", "AAB", "aab"));
}

TEST(transform_refuses_the_rest)
{
    struct transform t;
    expect(!transform_read("..", 2, false, &t) && !transform_read("x", 1, true, &t));
    expect(!transform_read("#", 1, true, &t) && !transform_read("/a", 2, true, &t));
    expect(!transform_read(":x", 2, true, &t) && !transform_read("#(", 2, true, &t));
}

TEST(transform_at_the_edges_of_values)
{
    expect(gives("//", "a/b/", "a") && gives("//", "a//b", "a") && gives("//", "//", "/"));
    expect(gives("//", "", ".") && gives("//", "/a/", "/") && gives("/", "a/", ""));
    expect(gives("+.", "a.", "") && gives("+...", "a.b.c.d", "b.c.d") && gives("+/", "/a", ""));
    expect(gives("/...", "x/a.b.c.d", "a") && gives("...", "a.b.c", "a.b.c"));
    expect(gives(":0", "abc", "abc") && gives(":0:0", "abc", "") && gives(":3", "abc", ""));
    expect(gives(":1:2", "abc", "bc") && gives(":1:3", "abc", "bc") && gives(":2:1", "abc", "c"));
    expect(gives("//x*/-", "abc", "-a-b-c-") && gives("//b/X", "", ""));
    expect(gives("/#a*/X", "aab", "Xb") && gives("/%b*/X", "abb", "aX"));
    expect(gives("#a", "", "") && gives("^^ab", "abxab", "ABxAB") && gives(",A", "", ""));
}

TEST(transform_refuses_numbers_that_are_not)
{
    static const char *const bad[] = {":", ":-", ":1:", ":1:x", ":1x", ":1:2x", ":x"};
    char digits[40] = ":";
    struct transform t;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(!transform_read(bad[i], strlen(bad[i]), true, &t));
    memset(digits + 1, '0', 30);
    digits[31] = 0;
    expect(transform_read(digits, 31, true, &t) && t.from == 0 && t.count == -1);
    digits[31] = '0';
    expect(!transform_read(digits, 32, true, &t));
    expect(!transform_read("+/", 2, false, &t) && !transform_read(":1", 2, false, &t));
    expect(transform_read("/.", 2, false, &t) && t.kind == TRANSFORM_BASE_NO_EXTENSION);
}

/* Numbers are decimal, of any number of digits. */
TEST(transform_counts_in_tens)
{
    static const char value[] = "abcdefghijklmnopqrstuvwxyz";

    expect(gives(":10", value, "klmnopqrstuvwxyz") && gives(":19", value, "tuvwxyz"));
    expect(gives(":09", value, "jklmnopqrstuvwxyz") && gives(":25", value, "z"));
    expect(gives(":1:10", value, "bcdefghijk") && gives(":10:11", value, "klmnopqrstu"));
    expect(gives(":26", value, "") && gives(":25:2", value, "z"));
}
