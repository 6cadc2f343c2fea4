#include "data/codec.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/test.h"

enum { BYTES = 20000 };

static void fill_text(uint8_t *at)
{
    for (uint32_t i = 0; i < BYTES; i += 8) {
        char word[16];
        snprintf(word, sizeof word, "%07u ", i % 977);
        memcpy(at + i, word, 8);
    }
}

static void fill_noise(uint8_t *at)
{
    struct rng r = rng_stream(1, RNG_TEST, 5, 0, 0, 0);

    for (uint32_t i = 0; i < BYTES; i++)
        at[i] = (uint8_t)rng_below(&r, 256);
}

/* Bytes that have been packed come back, and only if as many are asked for. */
TEST(codec_unpacks_what_it_packed)
{
    static uint8_t text[BYTES], packed[BYTES], back[BYTES + 1];
    struct err err;

    fill_text(text);
    for (enum codec c = CODEC_LZ4; c < CODEC_COUNT; c++) {
        expect(codec_load(c, &err) == 0);
        uint32_t n = codec_pack(c, text, BYTES, packed);
        expect(n > 0 && n < BYTES / 2);
        back[BYTES] = 77;
        expect(codec_unpack(c, packed, n, back, BYTES) == 0);
        expect(memcmp(back, text, BYTES) == 0 && back[BYTES] == 77);
        back[BYTES - 1] = 77;
        expect(codec_unpack(c, packed, n, back, BYTES - 1) < 0 && back[BYTES - 1] == 77);
        expect(codec_unpack(c, packed, n, back, BYTES + 1) < 0);
        expect(codec_unpack(c, packed, n - 1, back, BYTES) < 0);
        expect(codec_unpack(c, packed, 0, back, BYTES) < 0);
        expect(codec_unpack(c, text, BYTES, back, BYTES) < 0);
    }
    expect(codec_load(CODEC_PLAIN, &err) == 0);
}

/* Noise takes no fewer bytes than it has; and what was packed before changes nothing. */
TEST(codec_packs_each_block_by_itself)
{
    static uint8_t text[BYTES], noise[BYTES], first[BYTES], again[BYTES];
    struct err err;

    fill_text(text);
    fill_noise(noise);
    for (enum codec c = CODEC_LZ4; c < CODEC_COUNT; c++) {
        expect(codec_load(c, &err) == 0);
        uint32_t n = codec_pack(c, text, BYTES, first);
        expect(codec_pack(c, noise, BYTES, again) == 0 && codec_pack(c, text, 1, again) == 0);
        expect(codec_pack(c, text + 8, BYTES / 2, again) > 0);
        expect(codec_pack(c, text, BYTES, again) == n && memcmp(first, again, n) == 0);
    }
}
