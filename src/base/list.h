/* list.h - doubly linked lists of elements of an array, by index.
 *
 * `at` is the array, `head` the index of the first element, `prev` and `next` the members that link
 * the elements, and `none` the index that ends a list on both sides. */
#pragma once

#include <stdint.h>

/* Inserts element i at the front. */
#define list_push(at, head, i, prev, next, none)                                                   \
    do {                                                                                           \
        uint32_t i_ = (i);                                                                         \
        (at)[i_].prev = (none);                                                                    \
        (at)[i_].next = (head);                                                                    \
        if ((head) != (none))                                                                      \
            (at)[head].prev = i_;                                                                  \
        (head) = i_;                                                                               \
    } while (0)

/* Removes element i. Its own links keep their values. */
#define list_remove(at, head, i, prev, next, none)                                                 \
    do {                                                                                           \
        uint32_t i_ = (i);                                                                         \
        if ((at)[i_].prev != (none))                                                               \
            (at)[(at)[i_].prev].next = (at)[i_].next;                                              \
        else                                                                                       \
            (head) = (at)[i_].next;                                                                \
        if ((at)[i_].next != (none))                                                               \
            (at)[(at)[i_].next].prev = (at)[i_].prev;                                              \
    } while (0)
