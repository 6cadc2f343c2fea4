/* Values that meet before the sort, held to what came: nothing is lost, and order is kept. */
#include "data/key_table.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "tests/unit/test.h"

enum { KEYS = 40000 };

/* What the values of a key are, one behind the other. */
struct key_text {
    VEC(char) bytes;
};

/* What combining gives, of the values of one key. */
enum way { ALL_IN_ONE, AS_THEY_ARE, IN_PAIRS, FAILS };

struct key_stage {
    struct key_table *g;
    enum way way;
    uint32_t combined, left;
    uint32_t leave_max; /* records that may leave */
    struct key_text came[KEYS], gone[KEYS];
};

static void append(struct key_text *t, const char *at, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        vec_push(&t->bytes, at[i]);
}

/* Keys have their number in front; some are too long for a line, some have zeros at the end. */
static uint32_t key_of(uint32_t number, char *key)
{
    uint32_t length = number % 11 == 0 ? 40 : 4 + number % 29;

    memset(key, number % 3 ? 'x' : 0, length);
    memcpy(key, &number, sizeof number);
    return length;
}

static int leave(void *ctx, const struct data_record *r, struct err *err)
{
    struct key_stage *s = ctx;
    uint32_t number;
    char key[64];

    if (s->left++ == s->leave_max)
        return err_set(err, "there is no room");
    memcpy(&number, r->key, sizeof number);
    expect(number < KEYS && key_of(number, key) == r->key_length);
    expect(memcmp(key, r->key, r->key_length) == 0);
    append(&s->gone[number], r->value, r->value_length);
    return 0;
}

static int combine(void *ctx, const char *key, uint32_t key_length, struct key_table_values values,
                   struct err *err)
{
    struct key_stage *s = ctx;
    struct key_text all = {0};
    const char *value;
    uint32_t length, n = 0;

    s->combined++;
    while (key_table_next(&values, &value, &length)) {
        append(&all, value, length);
        if (s->way == ALL_IN_ONE || (s->way == IN_PAIRS && ++n % 2 == 1))
            continue;
        struct data_record r = {key, all.bytes.at, key_length, all.bytes.count};
        expect(key_table_add(s->g, &r, err) == 0);
        vec_clear(&all.bytes);
    }
    struct data_record r = {key, all.bytes.at, key_length, all.bytes.count};
    if (all.bytes.count > 0)
        expect(key_table_add(s->g, &r, err) == 0);
    vec_free(&all.bytes);
    return s->way == FAILS ? err_set(err, "it cannot be combined") : 0;
}

static struct key_stage *stage_create(enum way way, uint64_t memory)
{
    struct key_stage *s = mem_zalloc(1, sizeof *s);

    s->way = way;
    s->leave_max = UINT32_MAX;
    s->g = key_table_create(memory, &(struct key_table_calls){combine, leave, s});
    return s;
}

static int add(struct key_stage *s, uint32_t number, const char *value, uint32_t length,
               struct err *err)
{
    char key[64];
    struct data_record r = {key, value, key_of(number, key), length};

    append(&s->came[number], value, length);
    return key_table_add(s->g, &r, err);
}

static void expect_all(struct key_stage *s)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        const struct key_text *a = &s->came[i], *b = &s->gone[i];
        expect(a->bytes.count == b->bytes.count);
        expect(a->bytes.count == 0 || memcmp(a->bytes.at, b->bytes.at, a->bytes.count) == 0);
    }
}

static void stage_destroy(struct key_stage *s)
{
    key_table_destroy(s->g);
    for (uint32_t i = 0; i < KEYS; i++) {
        vec_free(&s->came[i].bytes);
        vec_free(&s->gone[i].bytes);
    }
    mem_free(s);
}

/* Few keys come often; values are short, but for some that no line holds, and some are empty. */
static void add_some(enum way way, uint64_t memory, uint32_t keys, uint64_t seed)
{
    struct key_stage *s = stage_create(way, memory);
    struct rng r = rng_stream(seed, RNG_TEST, 0, 0, 0, 0);
    struct err err;

    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t number = (uint32_t)rng_below(&r, 1 + rng_below(&r, keys));
        char value[100];
        uint32_t length = rng_below(&r, 50) == 0 ? (uint32_t)rng_below(&r, sizeof value) : i % 3;
        for (uint32_t k = 0; k < length; k++)
            value[k] = (char)('a' + rng_below(&r, 26));
        expect(add(s, number, value, length, &err) == 0);
    }
    expect(key_table_flush(s->g, &err) == 0);
    expect(s->combined > 0);
    expect_all(s);
    stage_destroy(s);
}

TEST(key_table_keeps_all_values_in_order)
{
    static const enum way ways[] = {ALL_IN_ONE, AS_THEY_ARE, IN_PAIRS};
    static const uint64_t memories[] = {0, 1 << 14, 1 << 20};

    for (uint32_t w = 0; w < 3; w++)
        for (uint32_t m = 0; m < 3; m++) {
            add_some(ways[w], memories[m], 20, 1 + m);
            add_some(ways[w], memories[m], KEYS, 4 + m);
        }
}

/* Ones of each key become one value as long as they are few. */
TEST(key_table_makes_few_of_many)
{
    struct key_stage *s = stage_create(ALL_IN_ONE, 1 << 20);
    struct err err;

    for (uint32_t i = 0; i < 400; i++)
        expect(add(s, 1 + i % 10, "1", 1, &err) == 0);
    expect(s->left == 0 || s->combined > 0);
    expect(key_table_flush(s->g, &err) == 0);
    expect(s->combined > 0 && s->left <= 40);
    expect_all(s);
    uint32_t left = s->left;
    expect(key_table_flush(s->g, &err) == 0 && s->left == left);
    stage_destroy(s);
}

/* A key that never comes again leaves as it came, without a call. */
TEST(key_table_lets_single_records_pass)
{
    struct key_stage *s = stage_create(ALL_IN_ONE, 0);
    struct err err;

    for (uint32_t i = 0; i < KEYS; i++)
        expect(add(s, i, "1", 1, &err) == 0);
    expect(s->left > KEYS / 2);
    expect(key_table_flush(s->g, &err) == 0);
    expect(s->combined == 0 && s->left == KEYS);
    expect_all(s);
    /* By now it has given up. */
    expect(add(s, 5, "1", 1, &err) == 0 && s->left == KEYS + 1);
    stage_destroy(s);
}

TEST(key_table_says_what_failed)
{
    struct key_stage *s = stage_create(FAILS, 1 << 20);
    struct err err;
    int result = 0;

    for (uint32_t i = 0; i < 1000 && result == 0; i++)
        result = add(s, 1, "1", 1, &err);
    expect(result < 0 && strcmp(err.text, "it cannot be combined") == 0);
    stage_destroy(s);

    s = stage_create(ALL_IN_ONE, 0);
    s->leave_max = 100;
    result = 0;
    for (uint32_t i = 0; i < KEYS && result == 0; i++)
        result = add(s, i, "1", 1, &err);
    expect(result < 0 && strcmp(err.text, "there is no room") == 0);
    expect(s->left == 101);
    stage_destroy(s);
}

/* ---- lines that are taken ---- */

/* The key of eight bytes whose hash, as key_table.c has it, ends in these bits. */
static uint64_t key_at(uint32_t bits, uint32_t which)
{
    uint64_t by = UINT64_C(0xff51afd7ed558ccd), back = 1;

    for (int i = 0; i < 6; i++) /* each step has twice as many bits right */
        back *= 2 - by * back;
    return ((uint64_t)bits << 32 | which) * back ^ 8 * UINT64_C(0x9e3779b97f4a7c15);
}

static int count_record(void *ctx, const struct data_record *r, struct err *err)
{
    (void)err;
    expect(r->key_length == 8 && r->value_length == 1);
    ++*(uint32_t *)ctx;
    return 0;
}

/* When the table of 4096 lines doubles, the lines where the keys before the middle could be are
 * those of keys behind it: they leave. */
TEST(key_table_loses_nothing_that_has_no_line_when_it_grows)
{
    enum { LINES = 4096, CROWD = 8, FILLING = LINES / 8 * 5 };
    uint32_t left = 0, added = 0;
    struct key_table *g =
        key_table_create(1 << 20, &(struct key_table_calls){NULL, count_record, &left});
    struct err err;

    for (uint32_t i = 0; i < 2 * CROWD + FILLING + 20; i++, added++) {
        uint32_t bits = i < CROWD ? LINES : i < 2 * CROWD ? LINES - 1 : 100 + i;
        uint64_t key = key_at(bits, i);
        struct data_record r = {(const char *)&key, "1", sizeof key, 1};
        expect(key_table_add(g, &r, &err) == 0);
    }
    expect(left == CROWD - 1); /* one is where its hash is */
    expect(key_table_flush(g, &err) == 0 && left == added);
    key_table_destroy(g);
}
