/* codec.c - how blocks of bytes are packed. See codec.h. */
#include "data/codec.h"

#include <lz4.h>
#include <zstd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/lazy.h"

/* What travels between phases is read once or twice: the quickest level is the best. */
enum { ZSTD_LEVEL = 1 };

#define LZ4_FUNCTIONS(F) F(LZ4_compress_default) F(LZ4_decompress_safe)
#define ZSTD_FUNCTIONS(F)                                                                          \
    F(ZSTD_createCCtx)                                                                             \
    F(ZSTD_compressCCtx)                                                                           \
    F(ZSTD_createDCtx)                                                                             \
    F(ZSTD_decompressDCtx)                                                                         \
    F(ZSTD_isError)

static struct {
    LZ4_FUNCTIONS(LAZY_MEMBER)
} lz4;
static struct lazy_library lz4_library = {.file = "liblz4.so.1",
                                          .names = LAZY_NAMES(LZ4_FUNCTIONS),
                                          .linked = LAZY_LINKED(LZ4_FUNCTIONS),
                                          .functions = &lz4};

static struct {
    ZSTD_FUNCTIONS(LAZY_MEMBER)
} zstd;
static struct lazy_library zstd_library = {.file = "libzstd.so.1",
                                           .names = LAZY_NAMES(ZSTD_FUNCTIONS),
                                           .linked = LAZY_LINKED(ZSTD_FUNCTIONS),
                                           .functions = &zstd};

/* What zstd works with is large beside a block, so it is made once and kept. */
static ZSTD_CCtx *zstd_packs;
static ZSTD_DCtx *zstd_unpacks;

int codec_load(enum codec codec, struct err *err)
{
    switch (codec) {
    case CODEC_LZ4:
        return lazy_load(&lz4_library, err);
    case CODEC_ZSTD:
        return lazy_load(&zstd_library, err);
    default:
        return 0;
    }
}

uint32_t codec_pack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to)
{
    check(count > 0 && codec != CODEC_PLAIN);
    if (codec == CODEC_LZ4) {
        int n =
            lz4.LZ4_compress_default((const char *)from, (char *)to, (int)count, (int)count - 1);
        return n > 0 ? (uint32_t)n : 0;
    }
    if (!zstd_packs && !(zstd_packs = zstd.ZSTD_createCCtx()))
        mem_out(1, 1);
    size_t n = zstd.ZSTD_compressCCtx(zstd_packs, to, count - 1, from, count, ZSTD_LEVEL);
    return zstd.ZSTD_isError(n) ? 0 : (uint32_t)n;
}

int codec_unpack(enum codec codec, const uint8_t *from, uint32_t count, uint8_t *to,
                 uint32_t length)
{
    check(codec != CODEC_PLAIN);
    if (codec == CODEC_LZ4)
        return lz4.LZ4_decompress_safe((const char *)from, (char *)to, (int)count, (int)length) ==
                       (int)length
                   ? 0
                   : -1;
    if (!zstd_unpacks && !(zstd_unpacks = zstd.ZSTD_createDCtx()))
        mem_out(1, 1);
    return zstd.ZSTD_decompressDCtx(zstd_unpacks, to, length, from, count) == length ? 0 : -1;
}
