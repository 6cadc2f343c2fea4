#include "fit/fit_bound.h"

enum {
    LEVELS = 255,    /* but for level 0 */
    COLUMN_BITS = 3, /* eight to a doubling, */
    LEVEL_BITS = 4,  /* ... and sixteen */
};

/* Rounded down: 0 for nothing, then 2^bits for each doubling. */
static uint32_t steps_of(int32_t v, uint32_t bits)
{
    if (v <= 0)
        return 0;
    uint32_t log = 31 - (uint32_t)__builtin_clz((uint32_t)v);
    uint32_t rest = (uint32_t)v ^ UINT32_C(1) << log;
    return 1 + (log << bits) + (log > bits ? rest >> (log - bits) : rest << (bits - log));
}

/* So many steps are left out if the top shall be the last of `count`. */
static uint32_t base_of(int32_t top, uint32_t bits, uint32_t count)
{
    uint32_t last = steps_of(top, bits);
    return last < count ? 0 : last - (count - 1);
}

static uint8_t rounded(int32_t v, uint32_t base, uint32_t bits, uint32_t count)
{
    uint32_t steps = steps_of(v, bits), above = steps > base ? steps - base : 0;
    return (uint8_t)(above < count ? above : count - 1);
}

/* The next power of two, less one. */
static int32_t rounded_up(int32_t v)
{
    return v <= 0 ? 0 : (int32_t)(UINT32_MAX >> __builtin_clz((uint32_t)v));
}

struct fit_scale fit_bound_scale(const struct res *most)
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
    s.base[0] = base_of(s.top.v[s.r[0]], COLUMN_BITS, FIT_COLUMNS);
    for (uint32_t i = 1; i < count; i++)
        s.base[i] = base_of(s.top.v[s.r[i]], LEVEL_BITS, LEVELS);
    return s;
}

struct fit_point fit_bound_point(const struct fit_scale *s, const struct res *v)
{
    static const struct res nothing = {{0}};
    struct fit_point p = {0};
    if (!res_fits(&nothing, v))
        return p;
    p.column = rounded(v->v[s->r[0]], s->base[0], COLUMN_BITS, FIT_COLUMNS);
    for (uint32_t i = 1; i <= s->rows; i++)
        p.level[i - 1] = (uint8_t)(1 + rounded(v->v[s->r[i]], s->base[i], LEVEL_BITS, LEVELS));
    return p;
}

void fit_bound_add(const struct fit_scale *s, uint8_t *bound, const struct fit_point *p)
{
    uint8_t end = p->column;
    for (uint32_t i = 0; i < s->rows; i++, bound += FIT_COLUMNS) {
        uint8_t level = p->level[i];
        for (uint8_t c = 0; c < FIT_COLUMNS; c++) {
            uint8_t here = c <= end ? level : 0;
            bound[c] = here > bound[c] ? here : bound[c];
        }
    }
}

void fit_bound_join(const struct fit_scale *s, uint8_t *bound, const uint8_t *other)
{
    for (uint32_t i = 0; i < s->rows; i++, bound += FIT_COLUMNS, other += FIT_COLUMNS)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++)
            bound[c] = other[c] > bound[c] ? other[c] : bound[c];
}
