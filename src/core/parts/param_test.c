#include "core/parts/param.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/unit/test.h"

struct values {
    double beta, alpha;
    int64_t copies_max, wait_us;
    int budget, mode;
    char own[8];
};

/* Words of up to seven letters. */
static int take_word(void *member, const char *text, struct err *err)
{
    if (strlen(text) > 7)
        return err_set(err, "%s has more than 7 letters", text);
    memcpy(member, text, strlen(text) + 1);
    return 0;
}

static void show_word(const void *member, struct str *out)
{
    str_add(out, member);
}

#define PARAMS struct values
static const struct field table[] = {
    PARAM_REAL("beta", beta, "0.05", 0, 1, "budget"),
    PARAM_REAL("alpha", alpha, "2", 0.5, INFINITY, "no upper limit"),
    PARAM_INT("copies_max", copies_max, "8", 1, 64, "copies"),
    PARAM_TIME("wait", wait_us, "250ms", 0.1, 3600, "a time"),
    PARAM_CHOICE("budget", budget, "idle", "cluster|idle", "which"),
    PARAM_CHOICE("mode", mode, "a", "a|bb|ccc", "three"),
    {.name = "own",
     .type = FIELD_OWN,
     .offset = offsetof(struct values, own),
     .fallback = "word",
     .take = take_word,
     .show = show_word},
    {0},
};

/* Sets NAME to TEXT; the message, or "" when it was accepted. */
static const char *set(struct values *v, const char *name, const char *text)
{
    static struct err err;
    err = (struct err){0};
    int result = param_set(field_find(table, name), v, text, &err);
    return result ? err.text : "";
}

TEST(param_defaults_fill_every_field)
{
    struct values v = {.beta = -1, .copies_max = -1, .wait_us = -1, .budget = -1, .mode = -1};
    param_defaults(table, &v);
    expect(v.beta == 0.05 && v.alpha == 2 && v.copies_max == 8 && v.wait_us == 250000);
    expect(v.budget == 1 && v.mode == 0);
}

TEST(param_find_knows_names)
{
    expect(field_find(table, "wait") == &table[3]);
    expect(field_find(table, "wai") == NULL);
    expect(field_find(table, "") == NULL);
}

TEST(param_set_includes_its_limits)
{
    struct values v;
    param_defaults(table, &v);
    expect(!*set(&v, "beta", "0") && v.beta == 0);
    expect(!*set(&v, "beta", "1") && v.beta == 1);
    expect(!*set(&v, "alpha", "1e30") && v.alpha == 1e30);
    expect(!*set(&v, "copies_max", "1") && v.copies_max == 1);
    expect(!*set(&v, "copies_max", "64") && v.copies_max == 64);
    expect(!*set(&v, "wait", "100ms") && v.wait_us == 100000);
    expect(!*set(&v, "wait", "1h") && v.wait_us == INT64_C(3600000000));
    expect(!*set(&v, "wait", "2") && v.wait_us == 2000000);
}

TEST(param_set_refuses_what_is_out_of_range)
{
    struct values v, before;
    memset(&v, 0, sizeof v);
    param_defaults(table, &v);
    before = v;
    expect(!strcmp(set(&v, "beta", "1.5"), "beta=1.5: must be between 0 and 1"));
    expect(!strcmp(set(&v, "beta", "-0.1"), "beta=-0.1: must be between 0 and 1"));
    expect(!strcmp(set(&v, "alpha", "0.4"), "alpha=0.4: must be 0.5 or more"));
    expect(!strcmp(set(&v, "copies_max", "0"), "copies_max=0: must be between 1 and 64"));
    expect(!strcmp(set(&v, "copies_max", "65"), "copies_max=65: must be between 1 and 64"));
    expect(!strcmp(set(&v, "wait", "99999us"), "wait=99999us: must be between 0.1s and 3600s"));
    expect(!strcmp(set(&v, "wait", "3600000001us"),
                   "wait=3600000001us: must be between 0.1s and 3600s"));
    expect(!memcmp(&v, &before, sizeof v));
}

TEST(param_set_takes_a_share_in_per_cent)
{
    struct values v;
    memset(&v, 0, sizeof v);
    param_defaults(table, &v);
    expect(!*set(&v, "beta", "5%") && v.beta > .0499 && v.beta < .0501);
    expect(!strcmp(set(&v, "beta", "101%"), "beta=101%: must be between 0 and 1"));
    expect(!strcmp(set(&v, "beta", "%"), "beta=%: must be a number between 0 and 1"));
    expect(!strcmp(set(&v, "alpha", "60%"), "alpha=60%: must be a number 0.5 or more"));
}

TEST(param_set_refuses_junk)
{
    struct values v, before;
    memset(&v, 0, sizeof v);
    param_defaults(table, &v);
    before = v;
    expect(!strcmp(set(&v, "beta", "x"), "beta=x: must be a number between 0 and 1"));
    expect(!strcmp(set(&v, "beta", ""), "beta=: must be a number between 0 and 1"));
    expect(!strcmp(set(&v, "alpha", "nan"), "alpha=nan: must be a number 0.5 or more"));
    expect(!strcmp(set(&v, "copies_max", "2.5"),
                   "copies_max=2.5: must be a whole number between 1 and 64"));
    expect(!strcmp(set(&v, "wait", "5 min"),
                   "wait=5 min: must be a time (such as 250ms, 1.5s, 2h) between 0.1s and 3600s"));
    expect(!memcmp(&v, &before, sizeof v));
}

TEST(param_set_takes_choices_by_their_whole_name)
{
    struct values v;
    param_defaults(table, &v);
    expect(!*set(&v, "budget", "cluster") && v.budget == 0);
    expect(!*set(&v, "mode", "bb") && v.mode == 1);
    expect(!*set(&v, "mode", "ccc") && v.mode == 2);
    expect(!strcmp(set(&v, "budget", "foo"), "budget=foo: must be cluster or idle"));
    expect(!strcmp(set(&v, "mode", "b"), "mode=b: must be a, bb or ccc"));
    expect(!strcmp(set(&v, "mode", "a|bb"), "mode=a|bb: must be a, bb or ccc"));
    expect(!strcmp(set(&v, "mode", ""), "mode=: must be a, bb or ccc"));
    expect(v.budget == 0 && v.mode == 2);
}

TEST(param_set_leaves_some_to_their_own_function)
{
    struct values v;
    struct str out = {0};
    param_defaults(table, &v);
    expect(!strcmp(v.own, "word"));
    expect(!*set(&v, "own", "letters") && !strcmp(v.own, "letters"));
    expect(!strcmp(set(&v, "own", "lettters"), "own: lettters has more than 7 letters"));
    field_text(field_find(table, "own"), &v, &out);
    expect(!strcmp(out.text, "letters"));
    str_free(&out);
}
