/* window.h - things whose ids rise, found by a subtraction, in memory that is proportional to the
 * span of ids in use. As macros over vec.h, whose vec_free frees it; zero-initialise.
 *
 *     WINDOW(struct job) jobs = {0};
 *     window_put(&jobs, id, job);
 *     window_find(&jobs, id);
 *     window_drop(&jobs, id); */
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/vec.h"

#define WINDOW(T)                                                                                  \
    struct {                                                                                       \
        T **at;              /* at[i] has the id first + i; NULL: gone, or there was none */       \
        uint32_t count, cap; /* as in vec.h */                                                     \
        uint32_t first;                                                                            \
        uint32_t gone; /* at the start, as far as known; where loops may begin */                  \
    }

/* The id after the last one. */
#define window_next(w) ((w)->first + (w)->count)

/* The thing with this id, or NULL. */
#define window_find(w, id)                                                                         \
    ((uint32_t)((id) - (w)->first) < (w)->count ? (w)->at[(id) - (w)->first] : NULL)

/* Adds a thing whose id is above all earlier ones. */
#define window_put(w, id, thing)                                                                   \
    do {                                                                                           \
        if ((w)->count == 0)                                                                       \
            (w)->first = (id);                                                                     \
        while ((w)->count < (uint32_t)((id) - (w)->first))                                         \
            vec_push(w, NULL);                                                                     \
        vec_push(w, thing);                                                                        \
    } while (0)

/* Removes the thing with this id. The start moves on once half of the window is empty: each entry
 * is moved once on average. */
#define window_drop(w, id)                                                                         \
    do {                                                                                           \
        (w)->at[(id) - (w)->first] = NULL;                                                         \
        while ((w)->gone < (w)->count && !(w)->at[(w)->gone])                                      \
            (w)->gone++;                                                                           \
        if ((w)->gone > 0 && (w)->gone >= (w)->count - (w)->gone) {                                \
            (w)->count -= (w)->gone;                                                               \
            (w)->first += (w)->gone;                                                               \
            memmove((w)->at, (w)->at + (w)->gone, (w)->count * sizeof *(w)->at);                   \
            (w)->gone = 0;                                                                         \
        }                                                                                          \
    } while (0)
