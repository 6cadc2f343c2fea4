#include "base/hash.h"

#include "tests/unit/test.h"

/* The vectors that its authors publish: files and journals hold such hashes. */
TEST(hash_is_that_of_its_authors)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        {"", UINT64_C(0xcbf29ce484222325)},       {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"b", UINT64_C(0xaf63df4c8601f1a5)},      {"fo", UINT64_C(0x08985907b541d342)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].text);
        expect(hash_text(rows[i].text) == rows[i].hash);
        for (size_t cut = 0; cut <= length; cut++) /* in two pieces */
            expect(hash_bytes(hash_bytes(HASH_START, rows[i].text, cut), rows[i].text + cut,
                              length - cut) == rows[i].hash);
    }
    expect(hash_bytes(HASH_START, "\xff", 1) == UINT64_C(0xaf64724c8602eb6e));
}

TEST(hash_fold_depends_on_all_bits)
{
    expect(hash_fold(0) == 0 && hash_fold(UINT64_C(0x100000002)) == 3);
    for (int bit = 0; bit < 64; bit++)
        expect(hash_fold(UINT64_C(1) << bit) == UINT32_C(1) << bit % 32);
}
