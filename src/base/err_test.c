#include "base/err.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(err_set_fills_and_returns_minus_one)
{
    struct err e = {.kind = ERR_SYSTEM, .text = "old"};
    expect(err_set(&e, "%s:%d: bad", "file", 3) == -1);
    expect(e.kind == ERR_INPUT);
    expect(!strcmp(e.text, "file:3: bad"));
}

TEST(err_system_has_its_own_kind)
{
    struct err e = {0};
    expect(err_system(&e, "disk full") == -1);
    expect(e.kind == ERR_SYSTEM);
    expect(!strcmp(e.text, "disk full"));
}

TEST(err_set_can_extend_its_own_text)
{
    struct err e = {0};
    err_set(&e, "unknown key");
    err_set(&e, "%s:%d: %s", "jobs.txt", 7, e.text);
    expect(!strcmp(e.text, "jobs.txt:7: unknown key"));
}

TEST(err_set_leaves_nothing_that_a_terminal_obeys)
{
    struct err e = {0};
    err_set(&e, "no file %s", "a\x1b[31m\nb");
    expect(!strcmp(e.text, "no file a?[31m?b"));
}

TEST(err_set_cuts_long_text)
{
    struct err e;
    char text[2 * ERR_TEXT_MAX];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    err_set(&e, "%s", text);
    expect(strlen(e.text) == ERR_TEXT_MAX - 1);
}
