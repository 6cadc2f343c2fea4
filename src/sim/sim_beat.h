/* sim_beat.h - private to src/sim: how long an attempt waits between two progress reports. */
#pragma once

#include "sim/sim_state.h"

enum { BEATS_PER_LIFE = 10 };

/* Returns the beat of attempts of this plan: a tenth of the healthy time of the phase or, where the
 * cluster asks for it (REPORT_BY_LIFE), of the attempt's own life; at most report_every, at least
 * 1 us. Keeps the beat of the phase. */
int64_t sim_beat_measure(const struct sim *s, struct sim_phase *phase,
                         const struct luck_plan *plan);

/* Does the same, and measures the phase only when its first attempt asks. */
static inline int64_t sim_beat_us(const struct sim *s, struct sim_phase *phase,
                                  const struct luck_plan *plan)
{
    return phase->beat_us > 0 ? phase->beat_us : sim_beat_measure(s, phase, plan);
}

/* Returns the number of the beat on which an attempt reports after beat `number`: the next one, or
 * beyond BEATS_PER_LIFE beats a later one. */
static inline uint64_t sim_beat_next(uint64_t number, uint64_t beat_us, uint64_t every_us)
{
    if (number < BEATS_PER_LIFE)
        return number + 1;
    uint64_t step = number / BEATS_PER_LIFE + 1, most = every_us / beat_us;
    return number + (step < most ? step : most);
}
