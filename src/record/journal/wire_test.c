#include "record/journal/wire.h"

#include "tests/unit/test.h"

static struct wire_in input(const void *bytes, size_t length)
{
    return (struct wire_in){bytes, (const unsigned char *)bytes + length, false, false};
}

#define IN(...)                                                                                    \
    input((const unsigned char[]){__VA_ARGS__}, sizeof(const unsigned char[]){__VA_ARGS__})

TEST(wire_uint_spellings)
{
    static const struct {
        uint64_t value;
        size_t length;
        unsigned char bytes[WIRE_U64_MAX];
    } cases[] = {
        {0, 1, {0}},
        {127, 1, {0x7f}},
        {128, 2, {0x80, 1}},
        {300, 2, {0xac, 2}},
        {16383, 2, {0xff, 0x7f}},
        {16384, 3, {0x80, 0x80, 1}},
        {UINT16_MAX, WIRE_U16_MAX, {0xff, 0xff, 3}},
        {UINT32_MAX, WIRE_U32_MAX, {0xff, 0xff, 0xff, 0xff, 15}},
        {UINT64_MAX, WIRE_U64_MAX, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char out[WIRE_U64_MAX];
        size_t n = (size_t)(wire_put_uint(out, cases[i].value) - out);
        expect(n == cases[i].length && memcmp(out, cases[i].bytes, n) == 0);
        struct wire_in in = input(out, n);
        expect(wire_get_uint(&in) == cases[i].value && !in.bad && wire_left(&in) == 0);
        in = input(out, n - 1);
        expect(wire_get_uint(&in) == 0 && in.bad);
    }
}

TEST(wire_uint_has_one_spelling)
{
    struct wire_in padded = IN(0x80, 0), wide = IN(255, 255, 255, 255, 255, 255, 255, 255, 255, 2),
                   longer = IN(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0);
    wire_get_uint(&padded);
    wire_get_uint(&wide);
    wire_get_uint(&longer);
    expect(padded.bad && wide.bad && longer.bad);
}

TEST(wire_int_is_zigzag)
{
    static const int64_t values[] = {0, -1, 1, -2, 63, -64, 64, INT64_MAX, INT64_MIN};
    static const size_t lengths[] = {1, 1, 1, 1, 1, 1, 2, 10, 10};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        unsigned char out[WIRE_U64_MAX];
        size_t n = (size_t)(wire_put_int(out, values[i]) - out);
        struct wire_in in = input(out, n);
        expect(n == lengths[i] && wire_get_int(&in) == values[i] && !in.bad);
    }
}

TEST(wire_limits_hold_at_equality)
{
    struct wire_in in = IN(5, 6, 5);
    expect(wire_get_max(&in, 5) == 5 && !in.bad);
    expect(wire_get_max(&in, 5) == 0 && in.bad);
    expect(wire_left(&in) == 0 && wire_get_uint(&in) == 0);

    in = IN(4, 5);
    expect(wire_get_enum(&in, 5) == 4 && !in.bad);
    expect(wire_get_enum(&in, 5) == 0 && in.bad);

    unsigned char out[2 * WIRE_U64_MAX];
    unsigned char *end = wire_put_uint(wire_put_uint(out, UINT32_MAX), (uint64_t)UINT32_MAX + 1);
    in = input(out, (size_t)(end - out));
    expect(wire_get_u32(&in) == UINT32_MAX && !in.bad);
    expect(wire_get_u32(&in) == 0 && in.bad);

    end = wire_put_int(wire_put_int(out, INT32_MIN), (int64_t)INT32_MIN - 1);
    in = input(out, (size_t)(end - out));
    expect(wire_get_i32(&in) == INT32_MIN && !in.bad);
    expect(wire_get_i32(&in) == 0 && in.bad);
}

TEST(wire_strings)
{
    struct wire_in in = IN(0, 1, 0, 3, 'h', 'i', 0);
    expect(wire_get_string(&in) == NULL && !in.bad);
    const char *empty = wire_get_string(&in), *hi = wire_get_string(&in);
    expect(!in.bad && empty && hi && !strcmp(empty, "") && !strcmp(hi, "hi"));

    struct wire_in open_end = IN(2, 'h', 'i'), inner = IN(3, 'h', 0, 0),
                   beyond = IN(4, 'h', 'i', 0);
    expect(!wire_get_string(&open_end) && open_end.bad);
    expect(!wire_get_string(&inner) && inner.bad);
    expect(!wire_get_string(&beyond) && beyond.bad);
}

TEST(wire_no_node_is_one_byte)
{
    unsigned char out[WIRE_U32_MAX];
    expect(wire_put_node(out, NODE_NONE) - out == 1 && out[0] == 0);
}

TEST(wire_names_take_twelve_bytes)
{
    const struct attempt_ref names[] = {{{7}, TASK_ALL, 2, 3},
                                        {{UINT32_MAX}, UINT32_MAX - 1, UINT16_MAX, UINT16_MAX - 1}};
    unsigned char out[WIRE_AT_BYTES];
    for (int i = 0; i < 2; i++) {
        expect(wire_put_at(out, names[i]) - out == WIRE_AT_BYTES);
        struct wire_in in = input(out, WIRE_AT_BYTES), cut = input(out, WIRE_AT_BYTES - 1);
        expect(attempt_equal(wire_get_at(&in), names[i]) && !in.bad);
        wire_get_at(&cut);
        expect(cut.bad);
    }
}

TEST(wire_fixed64_is_little_endian)
{
    unsigned char out[8];
    wire_put_fixed64(out, 0x0807060504030201u);
    for (unsigned i = 0; i < 8; i++)
        expect(out[i] == i + 1);
    struct wire_in in = input(out, 8), cut = input(out, 7);
    expect(wire_get_fixed64(&in) == 0x0807060504030201u && !in.bad);
    expect(wire_get_fixed64(&cut) == 0 && cut.bad);
}
