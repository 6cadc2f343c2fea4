/* phase_set.h - some phases of a job, by index. A job has few: those below 64 need no memory beside
 * the set. All zeros is the empty set. */
#ifndef CORE_ESTIMATE_PHASE_SET_H
#define CORE_ESTIMATE_PHASE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

enum { PHASE_SET_NEAR = 64 };

struct phase_set {
    uint64_t near; /* bit k: phase k */
    uint64_t *far; /* the others; NULL: none was ever added. Owned */
};

static inline void phase_set_fini(struct phase_set *s)
{
    if (s->far)
        mem_free(s->far);
    *s = (struct phase_set){0};
}

/* For phases from PHASE_SET_NEAR on, below JOB_PHASES_MAX. */
void phase_set_add_far(struct phase_set *s, uint16_t phase);
void phase_set_remove_far(struct phase_set *s, uint16_t phase);
bool phase_set_has_far(const struct phase_set *s, uint16_t phase);

static inline void phase_set_add(struct phase_set *s, uint16_t phase)
{
    if (phase < PHASE_SET_NEAR)
        s->near |= UINT64_C(1) << phase;
    else
        phase_set_add_far(s, phase);
}

/* Nothing happens if it is not in the set, or no phase of any job. */
static inline void phase_set_remove(struct phase_set *s, uint16_t phase)
{
    if (phase < PHASE_SET_NEAR)
        s->near &= ~(UINT64_C(1) << phase);
    else
        phase_set_remove_far(s, phase);
}

static inline bool phase_set_has(const struct phase_set *s, uint16_t phase)
{
    return phase < PHASE_SET_NEAR ? s->near >> phase & 1 : phase_set_has_far(s, phase);
}

#endif
