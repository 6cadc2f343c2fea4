#include "args/part.h"

#include <stdio.h>
#include <string.h>

#include "tests/test.h"

static bool gives(const char *text, const char *value, const char *want)
{
    struct part part;
    struct str out = {0};

    if (!part_read(text, strlen(text), true, &part))
        return false;
    str_add(&out, "");
    part_add(&part, value, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        fprintf(stderr, "  %s of %s is %s\n", text, value, out.text);
    str_free(&out);
    part_fini(&part);
    return same;
}

TEST(part_of_paths)
{
    expect(gives("", "a/b.c", "a/b.c") && gives(".", "a/b.c", "a/b") && gives("/", "a/b", "b"));
    expect(gives("//", "b", ".") && gives("//", "/b", "/") && gives("/.", "a/b.c", "b"));
    expect(gives(".", "a.", "a") && gives(".", "a.b/c", "a.b/c") && gives(".", "x/.b", "x/"));
    expect(gives("..", "d/a.b.c.d", "d/a.b") && gives("...", "d/a.b.c.d", "d/a"));
    expect(gives("..", "d.e/a.b", "d.e/a.b") && gives("/..", "d/a.b.c", "a"));
    expect(gives("+/", "a/b/c", "a/b") && gives("+/", "a", "") && gives("+.", "a.b", "b"));
    expect(gives("+..", "x/a.b.c", "b.c") && gives("+..", "a.b", "") && gives("+.", "a", ""));
}

TEST(part_like_the_shell)
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

TEST(part_refuses_the_rest)
{
    struct part part;
    expect(!part_read("..", 2, false, &part) && !part_read("x", 1, true, &part));
    expect(!part_read("#", 1, true, &part) && !part_read("/a", 2, true, &part));
    expect(!part_read(":x", 2, true, &part) && !part_read("#(", 2, true, &part));
}
