#include "base/mem.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void mem_out(uint64_t count, size_t size)
{
    fprintf(stderr, "out of memory: no room for %" PRIu64 " x %zu bytes\n", count, size);
    abort();
}

/* Asks for all pages of a large block in one go: one by one, each at its first use, they take
 * several times as long. They are to be large ones too, or the processor looks up where they are
 * at nearly every access to a task among a million. Where that is not known nothing is lost. */
static void page_in(void *block, size_t bytes)
{
#if defined MADV_POPULATE_WRITE && !defined __SANITIZE_ADDRESS__
    enum { LARGE = 1 << 18, PAGE = 4096 };
    if (bytes < LARGE)
        return;
    uintptr_t from = ((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t to = ((uintptr_t)block + bytes) & ~(uintptr_t)(PAGE - 1);
    madvise((void *)from, to - from, MADV_HUGEPAGE);
    madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
    (void)block;
    (void)bytes;
#endif
}

void *mem_zalloc(size_t count, size_t size)
{
    if (!count || !size)
        return NULL;
    void *block = calloc(count, size); /* calloc itself refuses a product that overflows */
    if (!block)
        mem_out(count, size);
    page_in(block, count * size);
    return block;
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_out(count, size);
    if (!bytes) {
        free(block);
        return NULL;
    }
    void *resized = realloc(block, bytes);
    if (!resized)
        mem_out(count, size);
    return resized;
}

void *mem_copy(const void *from, size_t count, size_t size)
{
    if (!from || !count)
        return NULL;
    void *to = mem_resize(NULL, count, size);
    memcpy(to, from, count * size);
    return to;
}

char *mem_strdup(const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_resize(NULL, bytes, 1), text, bytes);
}

void mem_replace(char **text, const char *with)
{
    char *copy = mem_strdup(with); /* first, as it may be a part of the old one */

    mem_free(*text);
    *text = copy;
}

void mem_free(void *block)
{
    free(block);
}
