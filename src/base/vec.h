/* vec.h - growable arrays of any element type, as macros over mem.h.
 *
 *     VEC(int) v = {0};
 *     vec_push(&v, 3);
 *     v.at[0]; v.count;
 *     vec_free(&v);
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t count, cap;                                                                       \
    }

/* The new capacity of an array that needs at least `want` elements of that size: the old one,
 * doubled until it suffices. Aborts if no array can have that many elements. */
static inline uint32_t vec_capacity(uint32_t cap, uint64_t want, size_t size)
{
    uint64_t capacity = cap ? cap : 8;

    if (want > UINT32_MAX)
        mem_out(want, size);
    while (capacity < want)
        capacity *= 2;
    return capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
}

/* Reserves memory for at least `n` elements in all. */
#define vec_reserve(v, n)                                                                          \
    do {                                                                                           \
        if ((n) > (v)->cap) {                                                                      \
            uint32_t cap_ = vec_capacity((v)->cap, (n), sizeof *(v)->at);                          \
            (v)->at = mem_resize((v)->at, cap_, sizeof *(v)->at);                                  \
            (v)->cap = cap_;                                                                       \
        }                                                                                          \
    } while (0)

/* Appends an element. */
#define vec_push(v, value)                                                                         \
    do {                                                                                           \
        if ((v)->count == (v)->cap)                                                                \
            vec_reserve(v, (v)->count + UINT64_C(1));                                              \
        (v)->at[(v)->count++] = (value);                                                           \
    } while (0)

/* Appends copies of `n` elements, which must not be the array's own. */
#define vec_append(v, from, n)                                                                     \
    do {                                                                                           \
        uint64_t n_ = (n);                                                                         \
        vec_reserve(v, (v)->count + n_);                                                           \
        if (n_ > 0)                                                                                \
            memcpy((v)->at + (v)->count, from, (size_t)n_ * sizeof *(v)->at);                      \
        (v)->count += (uint32_t)n_;                                                                \
    } while (0)

/* Appends an element and evaluates to its address; its contents are undefined. */
#define vec_add(v)                                                                                 \
    ((v)->count == (v)->cap                                                                        \
         ? ((v)->cap = vec_capacity((v)->cap, (v)->cap + UINT64_C(1), sizeof *(v)->at),            \
            (v)->at = mem_resize((v)->at, (v)->cap, sizeof *(v)->at), &(v)->at[(v)->count++])      \
         : &(v)->at[(v)->count++])

/* Takes an element with undefined contents and evaluates to its index: the last one of `free`, a
 * VEC(uint32_t) of indices given back, or else a new element. */
#define vec_take(v, free)                                                                          \
    ((free)->count > 0 ? (free)->at[--(free)->count] : ((void)vec_add(v), (v)->count - 1))

/* Sorts the elements by a function as qsort takes it. */
#define vec_sort(v, compare)                                                                       \
    ((v)->count > 1 ? qsort((v)->at, (v)->count, sizeof *(v)->at, compare) : (void)0)

/* Removes all elements, but keeps the memory. */
#define vec_clear(v) ((void)((v)->count = 0))

/* Makes *to, whatever its bytes are, a copy of another array of its type. */
#define vec_copy(to, from)                                                                         \
    do {                                                                                           \
        (to)->count = (to)->cap = (from)->count;                                                   \
        (to)->at = (from)->count ? mem_copy((from)->at, (from)->count, sizeof *(from)->at) : NULL; \
    } while (0)

/* Frees each element, a block of mem.h, and then the array. */
#define vec_free_each(v)                                                                           \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (v)->count; i_++)                                               \
            mem_free((v)->at[i_]);                                                                 \
        vec_free(v);                                                                               \
    } while (0)

/* Frees the array and makes it empty. */
#define vec_free(v)                                                                                \
    do {                                                                                           \
        mem_free((v)->at);                                                                         \
        (v)->at = NULL;                                                                            \
        (v)->count = (v)->cap = 0;                                                                 \
    } while (0)
