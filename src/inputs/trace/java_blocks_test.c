/* Streams made by hand: stored and packed blocks, each in pieces of every size. */
#include "inputs/trace/java_blocks.h"

#include <string.h>

#include "base/text.h"
#include "tests/unit/test.h"

struct pieces {
    const char *at;
    size_t left, size;
};

static int pull(void *ctx, const char **at, size_t *length, struct err *err)
{
    struct pieces *p = ctx;
    (void)err;
    *at = p->at;
    *length = p->left < p->size ? p->left : p->size;
    p->at += *length;
    p->left -= *length;
    return *length > 0;
}

/* Unpacks the stream in pieces of this size. 1: it gives `want`; 0: it gives something else; -1
 * with *err: it cannot be unpacked. */
static int gives(const char *stream, size_t length, size_t size, const char *want, struct err *err)
{
    struct pieces p = {stream + JAVA_BLOCKS_MAGIC, length - JAVA_BLOCKS_MAGIC, size};
    struct java_blocks *b = java_blocks_begin(stream, JAVA_BLOCKS_MAGIC, "f", pull, &p);
    struct str text = {0};
    const char *at;
    size_t n;
    int got = -1;
    str_add(&text, "");
    while (b && (got = java_blocks_next(b, &at, &n, err)) > 0)
        str_addf(&text, "%.*s", (int)n, at);
    if (got == 0)
        got = !strcmp(text.text, want);
    str_free(&text);
    java_blocks_end(b);
    return got;
}

#define HELLO "hello hello hello hello hello hello\n"
#define LZ4_HELLO                                                                                  \
    "LZ4Block\x26\x10\0\0\0\x24\0\0\0\xca\x2f\x6a\x04\x6fhello \x06\0\x06\x50"                     \
    "ello\n"
#define LZ4_STORED "LZ4Block\x16\x03\0\0\0\x03\0\0\0\x68\xcb\x8c\x0dhi\n"
#define LZ4_LAST "LZ4Block\x16\0\0\0\0\0\0\0\0\0\0\0\0"
#define SNAPPY_FIRST "\x82SNAPPY\0\0\0\0\1\0\0\0\1"
#define SNAPPY_HELLO "\0\0\0\x0d\x24\x14hello r\x06\0\0\n"
#define SNAPPY_STORED "\0\0\0\5\3\x08hi\n"
#define BYTES(text) text, sizeof(text) - 1

TEST(java_blocks_of_every_kind_in_pieces_of_every_size)
{
    static const char lz4[] = LZ4_HELLO LZ4_STORED LZ4_LAST LZ4_STORED LZ4_LAST;
    static const char snappy[] = SNAPPY_FIRST SNAPPY_HELLO SNAPPY_FIRST SNAPPY_STORED SNAPPY_STORED;
    struct err err;
    for (size_t size = 1; size <= sizeof lz4; size++) {
        expect(gives(lz4, sizeof lz4 - 1, size, HELLO "hi\nhi\n", &err) == 1);
        expect(gives(snappy, sizeof snappy - 1, size, HELLO "hi\nhi\n", &err) == 1);
    }
    expect(gives(BYTES(LZ4_LAST), 1, "", &err) == 1);
    expect(gives(BYTES(SNAPPY_FIRST), 1, "", &err) == 1);
    expect(!java_blocks_begin(BYTES("LZ4Bloc\n"), "f", pull, NULL));
}

/* What is cut off anywhere is an error; blocks of snappy have no end, so there it may be between
 * two of them. */
TEST(java_blocks_that_are_cut_off_say_so)
{
    static const char lz4[] = LZ4_HELLO LZ4_STORED LZ4_LAST;
    static const char snappy[] = SNAPPY_FIRST SNAPPY_HELLO;
    struct err err;
    for (size_t n = JAVA_BLOCKS_MAGIC; n < sizeof lz4 - 1; n++)
        expect(gives(lz4, n, 7, "", &err) < 0 && strstr(err.text, "cut off"));
    for (size_t n = JAVA_BLOCKS_MAGIC; n < sizeof snappy - 1; n++)
        expect(gives(snappy, n, 7, "", &err) == (n == sizeof SNAPPY_FIRST - 1 ? 1 : -1));
    expect(gives(BYTES(LZ4_HELLO), 7, HELLO, &err) < 0 && err.kind == ERR_INPUT);
    expect(!strcmp(err.text,
                   "f: ends without the mark of its end: it is cut off, or is still written"));
    expect(gives(lz4, sizeof LZ4_HELLO + 5, 7, "", &err) < 0);
    expect(strstr(err.text, "f: the lz4 block at byte 37 is cut off"));
}

/* One bit is turned at every place. Blocks of lz4 have checksums: what is damaged is refused, or
 * the bit meant nothing. */
TEST(java_blocks_that_are_damaged_are_refused)
{
    char lz4[] = LZ4_HELLO LZ4_STORED LZ4_LAST;
    char snappy[] = SNAPPY_FIRST SNAPPY_HELLO;
    struct err err;
    int refused = 0, bits = 0;
    for (size_t i = JAVA_BLOCKS_MAGIC; i < sizeof lz4 - 1; i++)
        for (int bit = 0; bit < 8; bit++, bits++) {
            lz4[i] = (char)(lz4[i] ^ 1 << bit);
            int got = gives(lz4, sizeof lz4 - 1, 9, HELLO "hi\n", &err);
            expect(got != 0);
            refused += got < 0;
            lz4[i] = (char)(lz4[i] ^ 1 << bit);
        }
    expect(refused > bits * 9 / 10);
    snappy[sizeof SNAPPY_FIRST - 1] = 1;
    expect(gives(snappy, sizeof snappy - 1, 9, "", &err) < 0 && strstr(err.text, "is cut off"));
    snappy[sizeof SNAPPY_FIRST - 1] = 'x';
    expect(gives(snappy, sizeof snappy - 1, 9, "", &err) < 0);
    expect(strstr(err.text, "f: the snappy block at byte 16 is damaged"));
    snappy[sizeof SNAPPY_FIRST - 1] = 0;
    snappy[sizeof SNAPPY_FIRST + 12] = 77; /* a copy of what lies before the beginning */
    expect(gives(snappy, sizeof snappy - 1, 9, "", &err) < 0 && strstr(err.text, "unpacked"));
}
