#include "ui/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

/* Takes the value. Quotes are single ones here. */
static bool is(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    for (char *c = text; *c; c++)
        *c = *c == '"' ? '\'' : *c;
    bool same = strcmp(text, expected) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text, expected);
    free(text);
    json_decref(value);
    return same;
}

TEST(json_out_numbers_and_texts)
{
    expect(is(json_out_u64(0), "0"));
    expect(is(json_out_u64(INT64_MAX), "9223372036854775807"));
    expect(is(json_out_u64((uint64_t)INT64_MAX + 1), "'9223372036854775808'"));
    expect(is(json_out_hex(0xab), "'00000000000000ab'"));
    expect(is(json_out_hex(UINT64_MAX), "'ffffffffffffffff'"));
    expect(is(json_out_text(NULL), "null"));
    expect(is(json_out_text("caf\xc3\xa9"), "'caf\xc3\xa9'"));
    expect(is(json_out_text("caf\xe9\x7f"), "'caf?\x7f'"));
    expect(is(json_out_number(1.5, false), "1.5") && is(json_out_number(2, true), "2"));
    expect(is(json_out_number(NAN, true), "null") && is(json_out_number(-INFINITY, false), "null"));
    expect(is(json_out_seconds(1500000), "1.5") && is(json_out_seconds(-1), "null"));
}

TEST(json_out_members_have_their_names_and_times_are_seconds)
{
    const struct {
        bool fine;
        uint64_t large;
        int64_t took_us, never_us, plain;
        double ratio, none, left_us;
        char text[4];
        const char *absent;
        uint8_t small;
        int32_t below;
    } from = {true, UINT64_MAX, 2500000, -1, -7, 0.5, NAN, 250000, "abc", NULL, 200, -3};
    json_t *o = json_object();

    json_out_members(o, &from, fine, large, took_us, never_us, plain, ratio, none, left_us, text,
                     absent, small, below);
    json_out_put(o, "us", from.took_us);
    expect(is(o, "{'fine':true,'large':'18446744073709551615','took_s':2.5,'never_s':null,"
                 "'plain':-7,'ratio':0.5,'none':null,'left_s':0.25,'text':'abc','absent':null,"
                 "'small':200,'below':-3,'us':2500000}"));
}
