/* timers.h - timers by id, in order of time and then id: the brain's, and those of chaos. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct timer {
    int64_t at_us;
    uint32_t id;
};

/* Zero-initialise; free with vec_free(&a->at). Timers are few, so a sorted array is enough. */
struct timers {
    VEC(struct timer) at; /* the next one is the last */
};

/* Sets a timer; one of the same id is replaced. */
void timers_set(struct timers *a, uint32_t id, int64_t at_us);

/* No matter if there is none. */
void timers_cancel(struct timers *a, uint32_t id);

/* When the next one is due; INT64_MAX: none. */
int64_t timers_next(const struct timers *a);

/* Takes the next one if it is due by now; false if none is. */
bool timers_take(struct timers *a, int64_t now_us, uint32_t *id);
