#include "core/match/fit_point.h"

/* Steps from nothing to the top. */
enum { COLUMN_STEPS = FIT_COLUMNS - 1, LEVEL_STEPS = FIT_NO_LEVEL - 2 };

/* The next power of two, less one. */
static int32_t rounded_up(int32_t v)
{
    return v <= 0 ? 0 : (int32_t)(UINT32_MAX >> __builtin_clz((uint32_t)v));
}

struct fit_scale fit_point_scale(const struct res *most)
{
    struct fit_scale s = {.rows = 0};
    uint32_t count = 0;
    for (int r = 0; r < RES_COUNT; r++) {
        s.top.v[r] = rounded_up(most->v[r]);
        if (s.top.v[r] > 0)
            s.r[count++] = r;
    }
    for (int r = RES_COUNT - 1; count < 2; r--) /* a row at least */
        if (s.top.v[r] == 0)
            s.r[count++] = r;
    s.rows = count - 1;
    res_vector top;
    memcpy(&top, &s.top, sizeof top);
    top = fit_steps(top);
    for (uint32_t i = 0; i < count; i++) {
        int32_t base = top[s.r[i]] - (i > 0 ? LEVEL_STEPS : COLUMN_STEPS);
        s.base.v[s.r[i]] = base > 0 ? base : 0;
    }
    return s;
}
