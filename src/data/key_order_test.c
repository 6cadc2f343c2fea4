#include "data/key_order.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/record.h"
#include "tests/unit/test.h"

/* Less than, equal to or greater than 0, as key `a` comes before, is as, or comes after `b`. */
static int compare(const char *order, const char *separator, const char *a, const char *b)
{
    struct key_order o = {0};
    struct key_order_text x = {0}, y = {0};
    struct err err;

    expect(key_order_parse(&o, order, separator, &err) == 0);
    key_order_write(&o, a, (uint32_t)strlen(a), &x);
    key_order_write(&o, b, (uint32_t)strlen(b), &y);
    int result = record_compare(x.at.at, x.at.count, y.at.at, y.at.count);
    vec_free(&o.terms);
    vec_free(&x.at);
    vec_free(&y.at);
    return result;
}

/* Words in order, each before the next. */
static bool in_order(const char *order, const char *separator, const char *const *words)
{
    for (; words[1]; words++)
        if (compare(order, separator, words[0], words[1]) >= 0 ||
            compare(order, separator, words[1], words[0]) <= 0)
            return false;
    return true;
}
#define IN_ORDER(order, separator, ...)                                                            \
    expect(in_order(order, separator, (const char *const[]){__VA_ARGS__, NULL}))

TEST(key_order_of_numbers)
{
    IN_ORDER("-n", "\t", "-100", "-20.5", "-20", "-3", "-0.25", "-0.2", "0", "0.05", "0.1", "1",
             "1.05", "1.5", "2", "10", "99999999999999999999", "100000000000000000000");
    IN_ORDER("-nr", "\t", "10", "9", "0", "-9", "-10");
    expect(compare("-n", "\t", "007", "7.00") == 0 && compare("-n", "\t", "-0", "x") == 0);
    expect(compare("-n", "\t", " 12 apples", "12") == 0 && compare("-n", "\t", "", "0") == 0);
}

/* Less than, equal to or greater than 0, as of Hadoop. */
static int compare_as_hadoop(const char *order, const char *a, const char *b)
{
    struct key_order o = {.as_hadoop = true};
    struct key_order_text x = {0}, y = {0};
    struct err err;

    expect(key_order_parse(&o, order, "\t", &err) == 0);
    key_order_write(&o, a, (uint32_t)strlen(a), &x);
    key_order_write(&o, b, (uint32_t)strlen(b), &y);
    int result = record_compare(x.at.at, x.at.count, y.at.at, y.at.count);
    vec_free(&o.terms);
    vec_free(&x.at);
    vec_free(&y.at);
    return result;
}

TEST(key_order_of_numbers_as_hadoop_has_them)
{
    static const char *const ordered[] = {"",   "-100", "-20.5", "-3",    "-0.5", "\377", "\t",
                                          " 5", "+5",   "0",     "Apple", "pear", "0.5",  "1",
                                          "1x", "1.5",  "02",    "2",     "10 ",  "10",   "10x"};
    const int count = (int)(sizeof ordered / sizeof *ordered);

    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int way = compare_as_hadoop("-n", ordered[i], ordered[j]);
            expect(i < j ? way < 0 : i > j ? way > 0 : way == 0);
            way = compare_as_hadoop("-nr", ordered[i], ordered[j]);
            expect(i < j ? way > 0 : i > j ? way < 0 : way == 0);
        }
    expect(compare_as_hadoop("-n", "5", "5.0") == 0 && compare_as_hadoop("-n", "0", "-0") == 0);
    expect(compare_as_hadoop("-n", "pear", "plum") == 0);
    expect(compare_as_hadoop("-k2,2n", "x\t", "x\t-5") < 0); /* no field, rather than 0 */
    expect(compare_as_hadoop("-k2,2", "x", "x\t\ty") < 0);
    expect(compare_as_hadoop("-k2,2", "x", "y") == 0);
}

TEST(key_order_of_fields)
{
    IN_ORDER("-k2,2nr -k1,1", ".", "b.10", "a.9", "b.9", "a.2");
    IN_ORDER("-k2,2", ".", "z.a.x", "a.ab.x", "a.b.x");
    IN_ORDER("-k2", ".", "z.a.x", "a.a.y", "a.b");
    IN_ORDER("-r -k1,1 -k2,2n", ".", "b.1", "b.2", "a.0"); /* -r is for parts without flags */
    IN_ORDER("-k1.2,1.3", ".", "zab", "aac", "abb");
    expect(compare("-k2,2", ".", "a.x.1", "b.x.2") == 0);
    expect(compare("-k1.2,1.3", ".", "zabx", "yaby") == 0);
    expect(compare("-k5,6", ".", "a", "b.c") == 0); /* neither has these fields */
    expect(compare("-k3,1", ".", "a.b.c", "d.e.f") == 0);
}

TEST(key_order_keeps_parts_apart)
{
    struct key_order o = {0};
    struct key_order_text x = {0}, y = {0};
    struct err err;

    IN_ORDER("-k1,1 -k2,2", ".", "a.zz", "ab.a");
    IN_ORDER("-k1,1r -k2,2", ".", "ab.a", "a.z");
    IN_ORDER("", ".", "a", "a.b", "b");
    expect(key_order_parse(&o, "-k1,1 -k2,2", ".", &err) == 0);
    key_order_write(&o, "a\0.b", 4, &x);
    key_order_write(&o, "a.zz", 4, &y); /* before it: a shorter text */
    expect(record_compare(y.at.at, y.at.count, x.at.at, x.at.count) < 0);
    vec_free(&o.terms);
    vec_free(&x.at);
    vec_free(&y.at);
}

TEST(key_order_refuses_what_it_does_not_understand)
{
    static const char *const bad[] = {"k1",     "-k",   "-k0",          "-k1,",  "-k1.x",
                                      "-k1,2f", "-b",   "-n x",         "-k1nx", "-k1.",
                                      "-",      "-k-1", "-k99999999999"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct key_order o = {0};
        struct err err;
        char want[80];
        snprintf(want, sizeof want, "expected -kPOS1[,POS2] with n or r, not '%s'", bad[i]);
        expect(key_order_parse(&o, bad[i], "\t", &err) == -1 && strcmp(err.text, want) == 0);
        vec_free(&o.terms);
    }
}

TEST(key_order_has_64_parts_at_most)
{
    struct str text = {0};

    for (int count = 1; count <= 65; count++) {
        struct key_order o = {0};
        struct err err;
        str_add(&text, "-k1 ");
        expect(key_order_parse(&o, text.text, "\t", &err) == (count <= 64 ? 0 : -1));
        expect(count > 64 || (int)o.terms.count == count);
        vec_free(&o.terms);
    }
    str_free(&text);
}
