#include "core/estimate/phase_set.h"

#include "base/check.h"
#include "core/model/job.h"

enum { WORDS = (JOB_PHASES_MAX - PHASE_SET_NEAR + 63) / 64 };

static uint64_t bit_of(uint16_t phase)
{
    return UINT64_C(1) << phase % 64;
}

static uint64_t *word_of(const struct phase_set *s, uint16_t phase)
{
    return &s->far[(phase - PHASE_SET_NEAR) / 64];
}

void phase_set_add_far(struct phase_set *s, uint16_t phase)
{
    check(phase >= PHASE_SET_NEAR && phase < JOB_PHASES_MAX);
    if (!s->far)
        s->far = mem_zalloc(WORDS, sizeof *s->far);
    *word_of(s, phase) |= bit_of(phase);
}

void phase_set_remove_far(struct phase_set *s, uint16_t phase)
{
    if (s->far && phase < JOB_PHASES_MAX)
        *word_of(s, phase) &= ~bit_of(phase);
}

bool phase_set_has_far(const struct phase_set *s, uint16_t phase)
{
    return s->far && phase < JOB_PHASES_MAX && (*word_of(s, phase) & bit_of(phase));
}
