/* pool.h - arrays that may have millions of elements, used in hot loops.
 *
 * Used like VEC, with pool_add and pool_free; only the memory differs. It begins at a cache line,
 * so that an element of 32 or 64 bytes is one cache line and not two, and a large array grows in
 * place or is moved by the kernel, so that growing never needs the memory twice. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { POOL_ALIGN = 64 };

/* Resizes a block of `old_bytes` (NULL: none) to `bytes` and returns it; the old address is invalid
 * then. Keeps the contents as far as both sizes reach; the rest is undefined. Aborts when memory
 * runs out. */
void *pool_resize(void *block, size_t old_bytes, size_t bytes);

/* Frees a block of this size; NULL is fine. */
void pool_release(void *block, size_t bytes);

#define POOL(T)                                                                                    \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t count, cap;                                                                       \
    }

/* Reserves memory for at least `n` elements in all. */
#define pool_reserve(p, n)                                                                         \
    do {                                                                                           \
        if ((n) > (p)->cap) {                                                                      \
            uint32_t cap_ = (p)->cap ? (p)->cap : 64;                                              \
            while (cap_ < (n))                                                                     \
                cap_ *= 2;                                                                         \
            (p)->at = pool_resize((p)->at, (p)->cap * sizeof *(p)->at, cap_ * sizeof *(p)->at);    \
            (p)->cap = cap_;                                                                       \
        }                                                                                          \
    } while (0)

/* Appends an element, whose contents are undefined. */
#define pool_add(p)                                                                                \
    do {                                                                                           \
        if ((p)->count == (p)->cap)                                                                \
            pool_reserve(p, (p)->count + 1);                                                       \
        (p)->count++;                                                                              \
    } while (0)

/* Frees the array and makes it empty. */
#define pool_free(p)                                                                               \
    do {                                                                                           \
        pool_release((p)->at, (p)->cap * sizeof *(p)->at);                                         \
        (p)->at = NULL;                                                                            \
        (p)->count = (p)->cap = 0;                                                                 \
    } while (0)
