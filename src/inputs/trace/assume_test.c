#include "inputs/trace/assume.h"

#include <string.h>

#include "tests/unit/test.h"

/* Of each key: the default, what affects one and two, and values that come back as they are
 * written: at both ends of the range, beyond which there are none. */
static const struct {
    const char *usual, *one, *two, *least, *most, *below, *above;
} rows[ASSUME_KEYS] = {
    [ASSUME_BLOCK] = {"64M", "phase", "phases", "1", "1T", "0", "1025G"},
    [ASSUME_SHUFFLE_BLOCK] = {"256M", "phase", "phases", "1", "1T", "0", "1025G"},
    [ASSUME_RATE] = {"10M", "phase", "phases", "1", "1T", "0", "1025G"},
    [ASSUME_BASE] = {"1s", "phase", "phases", "1us", "86400s", "0", "86400.5s"},
    [ASSUME_SPAN] = {"1", "phase", "phases", "0.001", "1", "0.0009", "1.01"},
    [ASSUME_CPU] = {"1", "phase", "phases", "0.001", "1000000", "0.0009", "1000000.5"},
    [ASSUME_MACHINE_CPU] = {"32", "phase", "phases", "0.001", "1000000", "0.0009", "1000000.5"},
    [ASSUME_MACHINE_MEM] = {"128G", "phase", "phases", "1M", "1024T", "1023K", "1025T"},
    [ASSUME_FAILED] = {"drop", "attempt or phase", "attempts and phases", "censored", "time", "",
                       "dropped"},
    [ASSUME_TAIL] = {"1.8", "attempt or phase", "attempts and phases", "0.1", "100", "0.09",
                     "100.5"},
    [ASSUME_TAIL_MAX] = {"20", "attempt or phase", "attempts and phases", "1", "1000", "0.9",
                         "1000.5"},
    [ASSUME_LOAD] = {"0.5", "cluster", "clusters", "0.01", "1", "0.009", "1.01"},
    [ASSUME_NODE_CPU] = {"16", "node", "nodes", "1", "1000000", "0.9", "1000000.5"},
    [ASSUME_STRAGGLERS] = {"facebook", "phase", "phases", "facebook", "none", "", "google"},
    [ASSUME_SINGLE] = {"same", "phase", "phases", "same", "trace", "", "traces"},
    [ASSUME_REPLICAS] = {"3", "phase", "phases", "0", "16", "-1", "17"},
    [ASSUME_HOSTS] = {"hash", "host", "hosts", "hash", "drawn", "", "draw"},
    [ASSUME_GANG] = {"tasks", "phase", "phases", "tasks", "whole", "", "task"},
};

static bool is_value(const struct assume *a, enum assume_key key, const char *want)
{
    struct str text = {0};
    assume_value(a, key, &text);
    bool same = strcmp(text.text, want) == 0;
    str_free(&text);
    return same;
}

/* Whether the value is taken; the others stay. */
static bool takes(enum assume_key key, const char *value)
{
    struct assume a = assume_defaults();
    struct str text = {0};
    struct err err;

    str_addf(&text, "%s=%s", assume_table[key].name, value);
    bool taken = assume_set(&a, text.text, &err) == 0;
    for (enum assume_key other = 0; other < ASSUME_KEYS; other++)
        expect(is_value(&a, other, other == key && taken ? value : rows[other].usual));
    str_free(&text);
    return taken;
}

TEST(assume_keys_have_defaults_ranges_and_nouns)
{
    for (enum assume_key key = 0; key < ASSUME_KEYS; key++) {
        expect(takes(key, rows[key].usual) && takes(key, rows[key].least));
        expect(takes(key, rows[key].most));
        expect(key != ASSUME_BASE || (takes(key, "99us") && takes(key, "0.0001s")));
        expect(!takes(key, rows[key].below) && !takes(key, rows[key].above));
        expect(strcmp(assume_noun(key, 1), rows[key].one) == 0);
        expect(strcmp(assume_noun(key, 0), rows[key].two) == 0);
        expect(strcmp(assume_noun(key, 2), rows[key].two) == 0);
    }
    expect(!assume_table[ASSUME_KEYS].name);
}

TEST(assume_set_says_what_is_wrong)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"block", "--assume 'block' has no value; expected KEY=VALUE"},
        {"blok=1", "--assume: unknown key 'blok', did you mean 'block'?"},
        {"zzzzzzzzzz=1", "--assume: unknown key 'zzzzzzzzzz'; `dolly trace formats` lists them"},
        {"replicas=17", "--assume replicas must be a whole number from 0 to 16, not '17'"},
        {"hosts=", "--assume hosts must be hash or drawn, not ''"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct assume a = assume_defaults();
        struct err err;
        expect(assume_set(&a, wrong[i].text, &err) == -1 && strcmp(err.text, wrong[i].why) == 0);
    }
}
