#include "fit/fit_bound.h"

/* Rounded down: 0 for less than nothing, then 1 for nothing, and eight to a doubling. */
static uint32_t level_of(int32_t v)
{
    if (v <= 0)
        return v == 0;
    uint32_t log = 31 - (uint32_t)__builtin_clz((uint32_t)v);
    uint32_t next = log >= 3 ? (uint32_t)v >> (log - 3) : (uint32_t)v << (3 - log);
    return 2 + log * 8 + (next & 7);
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
    uint32_t top = level_of(s.top.v[s.r[0]]) + 1;
    s.base = top > 2 * FIT_COLUMNS ? top - 2 * FIT_COLUMNS : 0;
    return s;
}

struct fit_point fit_bound_point(const struct fit_scale *s, const struct res *v)
{
    static const struct res nothing = {{0}};
    struct fit_point p = {0};
    if (!res_fits(&nothing, v))
        return p;
    uint32_t level = level_of(v->v[s->r[0]]);
    uint32_t column = level > s->base ? (level - s->base) / 2 : 0;
    p.column = (uint8_t)(column < FIT_COLUMNS ? column : FIT_COLUMNS - 1);
    for (uint32_t i = 0; i < s->rows; i++)
        p.level[i] = (uint8_t)level_of(v->v[s->r[1 + i]]);
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
