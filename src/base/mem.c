#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mem_out(size_t count, size_t size)
{
    fprintf(stderr, "out of memory: no room for %zu x %zu bytes\n", count, size);
    abort();
}

void *mem_zalloc(size_t count, size_t size)
{
    if (!count || !size)
        return NULL;
    void *block = calloc(count, size); /* calloc itself refuses a product that overflows */
    if (!block)
        mem_out(count, size);
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

char *mem_strdup(const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_resize(NULL, bytes, 1), text, bytes);
}

void mem_free(void *block)
{
    free(block);
}
