#include "commands/watch/shared_text.h"

#include <string.h>

#include "tests/unit/test.h"

/* The sanitizer of `make check-asan` sees a text that is freed too early, or never. */
TEST(shared_text_lives_as_long_as_it_is_held)
{
    struct str str = {0};

    str_add(&str, "news");
    struct shared_text *t = shared_text_create(&str);
    expect(!str.text && str.length == 0 && t->holders == 1);
    expect(shared_text_hold(t) == t && t->holders == 2);
    shared_text_drop(t);
    expect(t->holders == 1 && strcmp(t->str.text, "news") == 0);
    shared_text_drop(t);
    shared_text_drop(NULL);
}
