/* mem.h - allocation that succeeds or ends the program: callers never test for NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocates `count` zeroed objects of `size` bytes (NULL for none). Aborts when memory runs out or
 * the product overflows. Free with mem_free. */
void *mem_zalloc(size_t count, size_t size);

/* Resizes an array like realloc; the new part is not initialised. */
void *mem_resize(void *block, size_t count, size_t size);

/* Copies `count` objects of `size` bytes; returns NULL for NULL or none. Free with mem_free. */
void *mem_copy(const void *from, size_t count, size_t size);

/* Copies the string; returns NULL for NULL. Free with mem_free. */
char *mem_strdup(const char *text);

/* Frees *text and sets it to a copy of `with`. Either may be NULL. */
void mem_replace(char **text, const char *with);

/* Frees a block; NULL is fine. */
void mem_free(void *block);

/* Aborts with "out of memory: no room for COUNT x SIZE bytes". */
__attribute__((noreturn, cold)) void mem_out(uint64_t count, size_t size);

/* Returns true if that number of bytes may have addresses: a large file has none on a 32-bit
 * machine. */
static inline bool mem_fits(uint64_t bytes)
{
    return (size_t)bytes == bytes;
}

/* Returns the number as a size; aborts like mem_out if it does not fit. */
static inline size_t mem_size(uint64_t bytes)
{
    if (!mem_fits(bytes))
        mem_out(bytes, 1);
    return (size_t)bytes;
}
