/* Packed partitions that are not what they say, by hand: blocks of 1024 bytes, of which the last
 * has the rest. */
#include "data/sorted_blocks.h"

#include <string.h>

#include "data/le.h"
#include "tests/unit/test.h"

enum { BLOCK = 1024, ROOM = 8192 };

struct blocks_stage {
    uint8_t at[ROOM];
    uint32_t count;
};

/* A block: `length` times the letter, packed or as it is, with that head. */
static void add_block(struct blocks_stage *s, enum codec codec, char letter, uint32_t length,
                      uint32_t head)
{
    uint8_t bytes[2 * BLOCK], *to = s->at + s->count + SORTED_BLOCKS_HEAD;
    struct err err;
    uint32_t n = length;

    expect(codec_load(codec, &err) == 0);
    memset(bytes, letter, length);
    if (head & SORTED_BLOCKS_AS_IS)
        memcpy(to, bytes, length);
    else
        n = codec_pack(codec, bytes, length, to);
    expect(n > 0);
    le_put32(s->at + s->count, head ? head : n);
    s->count += SORTED_BLOCKS_HEAD + n;
}

static void add_tail(struct blocks_stage *s, uint64_t bytes)
{
    le_put64(s->at + s->count, bytes);
    s->count += SORTED_BLOCKS_TAIL;
}

/* How many bytes can be unpacked, all of them together; -1 if there is something wrong. */
static int64_t unpack(const struct blocks_stage *s, enum codec codec)
{
    const uint8_t *at = NULL, *end = NULL;
    struct sorted_blocks b;
    int n = sorted_blocks_init(&b, codec, BLOCK, s->at, s->count);

    while (n >= 0 && (n = sorted_blocks_more(&b, &at, &end)) > 0)
        ;
    int64_t bytes = end - at;
    expect(n < 0 || sorted_blocks_over(&b));
    sorted_blocks_fini(&b);
    return n < 0 ? -1 : bytes;
}

TEST(sorted_blocks_come_one_behind_the_other)
{
    for (enum codec c = CODEC_LZ4; c < CODEC_COUNT; c++) {
        struct blocks_stage s = {.count = 0}, none = {.count = 0};
        const uint8_t *at = NULL, *end = NULL;
        struct sorted_blocks b;
        add_block(&s, c, 'a', BLOCK, 0);
        add_block(&s, c, 'b', BLOCK, SORTED_BLOCKS_AS_IS | BLOCK);
        add_block(&s, c, 'c', 100, 0);
        add_tail(&s, 2 * BLOCK + 100);
        expect(unpack(&s, c) == 2 * BLOCK + 100 && unpack(&none, c) == 0);
        expect(sorted_blocks_init(&b, c, BLOCK, s.at, s.count) == 0);
        expect(sorted_blocks_more(&b, &at, &end) == 1 && end - at == BLOCK && *at == 'a');
        at = end - 1; /* a byte is left over; it comes before the next block */
        expect(sorted_blocks_more(&b, &at, &end) == 1 && end - at == BLOCK + 1);
        expect(at[0] == 'a' && at[1] == 'b' && end[-1] == 'b');
        at = end;
        expect(sorted_blocks_more(&b, &at, &end) == 1 && end - at == 100 && *at == 'c');
        expect(sorted_blocks_more(&b, &at, &end) == 0);
        sorted_blocks_fini(&b);
    }
}

TEST(sorted_blocks_that_lie_are_refused)
{
    static const struct {
        uint32_t length, head; /* of the block; head 0: the right one */
        uint64_t tail;
    } lies[] = {
        {BLOCK, 0, BLOCK - 1},               /* it has more than is said ... */
        {BLOCK, 0, BLOCK + 1},               /* ... or there should be another block */
        {100, 0, 101},                       /* it has less */
        {100, 0, UINT64_MAX},                /* far less */
        {BLOCK, 0, 0},                       /* there should be none */
        {2 * BLOCK, 0, 2 * BLOCK},           /* it is larger than blocks are */
        {BLOCK, 5000, BLOCK},                /* it goes beyond the end */
        {BLOCK, BLOCK, BLOCK},               /* packed, and yet no smaller */
        {BLOCK, SORTED_BLOCKS_AS_IS, BLOCK}, /* as it is, and yet smaller */
        {100, SORTED_BLOCKS_AS_IS | 99, 99}, /* there is something behind it */
        {BLOCK, SORTED_BLOCKS_AS_IS | 5000, BLOCK},
        {100, SORTED_BLOCKS_AS_IS | 100, BLOCK},
        {100, 1, 100}, /* cut in pieces that cannot be unpacked */
    };

    for (enum codec c = CODEC_LZ4; c < CODEC_COUNT; c++)
        for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
            struct blocks_stage s = {.count = 0};
            add_block(&s, c, 'a', lies[i].length, lies[i].head);
            add_tail(&s, lies[i].tail);
            expect(unpack(&s, c) == -1);
        }
}

/* There is one way to write a block: packed if that makes it smaller. So one that can be unpacked
 * is refused if it takes as much room packed: four letters, the same again, and eight more. */
TEST(sorted_blocks_are_packed_only_if_that_makes_them_smaller)
{
    static const uint8_t packed[] = {0x40, 'a', 'b', 'c', 'd', 4,   0,   0x80,
                                     'e',  'f', 'g', 'h', 'i', 'j', 'k', 'l'};
    enum { LENGTH = sizeof packed };
    struct blocks_stage s = {.count = SORTED_BLOCKS_HEAD + LENGTH};
    uint8_t bytes[LENGTH];
    struct err err;

    expect(codec_load(CODEC_LZ4, &err) == 0);
    expect(codec_unpack(CODEC_LZ4, packed, LENGTH, bytes, LENGTH) >= 0);
    expect(memcmp(bytes, "abcdabcdefghijkl", LENGTH) == 0);
    le_put32(s.at, LENGTH);
    memcpy(s.at + SORTED_BLOCKS_HEAD, packed, LENGTH);
    add_tail(&s, LENGTH);
    expect(unpack(&s, CODEC_LZ4) == -1);
}

/* Whatever is cut off at the end: then other bytes are taken for the tail. */
TEST(sorted_blocks_that_are_cut_off_are_refused)
{
    for (enum codec c = CODEC_LZ4; c < CODEC_COUNT; c++) {
        struct blocks_stage s = {.count = 0};
        add_block(&s, c, 'a', BLOCK, 0);
        add_block(&s, c, 'b', 300, 0);
        add_tail(&s, BLOCK + 300);
        while (--s.count > 0)
            expect(unpack(&s, c) == -1);
    }
}
