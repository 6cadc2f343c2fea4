#include "commands/report/pack.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>
#include <zlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/lazy.h"

#define TEXT_OF(number) #number
#define FILE_OF(number) "libcrypto.so." TEXT_OF(number)
#define FUNCTIONS(F) F(EVP_Digest) F(EVP_sha256) F(EVP_EncodeBlock)

static struct {
    FUNCTIONS(LAZY_MEMBER)
} libcrypto;

static struct lazy_library library = {.file = FILE_OF(OPENSSL_SHLIB_VERSION),
                                      .names = LAZY_NAMES(FUNCTIONS),
                                      .functions = &libcrypto};

int pack_load(struct err *err)
{
    return lazy_load(&library, err);
}

static void add_base64(const unsigned char *at, size_t length, struct str *to)
{
    enum { CHUNK = 3 * 16384 };
    unsigned char text[CHUNK / 3 * 4 + 1];
    struct err err;

    if (pack_load(&err) < 0)
        return;
    for (size_t from = 0; from < length; from += CHUNK) {
        size_t n = length - from < CHUNK ? length - from : CHUNK;
        int made = libcrypto.EVP_EncodeBlock(text, at + from, (int)n);
        str_add_bytes(to, (const char *)text, (size_t)made);
    }
}

/* Level 6 would take three times as long as level 4 for one twentieth less. */
void pack_deflated(const void *at, size_t length, struct str *to)
{
    uLongf size = compressBound(length);
    unsigned char *packed = mem_resize(NULL, size, 1);

    check(compress2(packed, &size, at, length, 4) == Z_OK);
    add_base64(packed, size, to);
    mem_free(packed);
}

void pack_hash(const char *text, size_t length, struct str *to)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned size;
    struct err err;

    if (pack_load(&err) < 0)
        return;
    check(libcrypto.EVP_Digest(text, length, hash, &size, libcrypto.EVP_sha256(), NULL) == 1);
    add_base64(hash, size, to);
}

void pack_escaped(const char *text, struct str *to)
{
    static const char *const names[UCHAR_MAX + 1] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

    for (const char *c = text; *c; c++) {
        const char *name = names[(unsigned char)*c];
        if (name)
            str_add(to, name);
        else if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t')
            str_add(to, "\xef\xbf\xbd"); /* no text has it: the replacement character */
        else
            str_add_bytes(to, c, 1);
    }
}
