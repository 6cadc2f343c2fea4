/* phase_set.h - a set of phases of a job, by index. A job has few: those below 64 need no memory
 * outside the set. All zeros is the empty set. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

enum { PHASE_SET_NEAR = 64 };

struct phase_set {
    uint64_t near; /* bit k: phase k */
    uint64_t *far; /* the others; NULL: none was ever added; owned */
};

static inline void phase_set_fini(struct phase_set *s)
{
    if (s->far)
        mem_free(s->far);
    *s = (struct phase_set){0};
}

/* Adds a phase from PHASE_SET_NEAR on, below JOB_PHASES_MAX. */
void phase_set_add_far(struct phase_set *s, uint16_t phase);
/* Removes a phase from PHASE_SET_NEAR on; does nothing if it is not in the set. */
void phase_set_remove_far(struct phase_set *s, uint16_t phase);
/* Returns true if the set has a phase from PHASE_SET_NEAR on. */
bool phase_set_has_far(const struct phase_set *s, uint16_t phase);

/* Adds a phase below JOB_PHASES_MAX. */
static inline void phase_set_add(struct phase_set *s, uint16_t phase)
{
    if (phase < PHASE_SET_NEAR)
        s->near |= UINT64_C(1) << phase;
    else
        phase_set_add_far(s, phase);
}

/* Removes a phase; does nothing if it is not in the set, or not a valid index. */
static inline void phase_set_remove(struct phase_set *s, uint16_t phase)
{
    if (phase < PHASE_SET_NEAR)
        s->near &= ~(UINT64_C(1) << phase);
    else
        phase_set_remove_far(s, phase);
}

/* Returns true if the set has the phase. */
static inline bool phase_set_has(const struct phase_set *s, uint16_t phase)
{
    return phase < PHASE_SET_NEAR ? s->near >> phase & 1 : phase_set_has_far(s, phase);
}
