/* fit_index.c - the method is in fit_index.h.
 *
 * A bit of an upper level says that the word below may have bits, and is never missing where it
 * has. It is set at once and cleared late, by the search that finds nothing there: a node that is
 * full, free and full again within a turn, as on a busy cluster all are, then changes one word and
 * not one per level, and a search pays for what it clears only once. */
#include "fit/fit_index.h"

#include <string.h>

#include "base/check.h"

static const struct res closed = {{-1, -1, -1, -1}};

static uint32_t words_of(uint32_t nodes, int level)
{
    for (int i = 0; i <= level; i++)
        nodes = nodes / 64 + (nodes % 64 != 0);
    return nodes ? nodes : 1;
}

void fit_index_fini(struct fit_index *x)
{
    for (uint32_t i = 0; i < x->sets.count; i++)
        for (int l = 0; l < FIT_LEVELS; l++)
            mem_free(x->sets.at[i].level[l]);
    vec_free(&x->sets);
    mem_free(x->free);
    *x = (struct fit_index){0};
}

/* Makes room for `cap` nodes and sums all of it up again: levels may have come into use. */
static void set_resize(struct fit_set *s, uint32_t old, uint32_t cap)
{
    for (int l = 0; l < FIT_LEVELS; l++) {
        uint32_t had = s->level[l] && l == 0 ? words_of(old, l) : 0, has = words_of(cap, l);
        s->level[l] = mem_resize(s->level[l], has, sizeof *s->level[l]);
        memset(s->level[l] + had, 0, (has - had) * sizeof *s->level[l]);
        for (uint32_t w = 0; l > 0 && w < words_of(cap, l - 1); w++)
            if (s->level[l - 1][w])
                s->level[l][w / 64] |= UINT64_C(1) << (w % 64);
    }
}

void fit_index_grow(struct fit_index *x, uint32_t count)
{
    if (count <= x->count)
        return;
    if (count > x->cap) {
        uint32_t cap = x->cap ? x->cap : 64;
        while (cap < count)
            cap *= 2;
        x->free = mem_resize(x->free, cap, sizeof *x->free);
        for (uint32_t i = 0; i < x->sets.count; i++)
            set_resize(&x->sets.at[i], x->cap, cap);
        x->cap = cap;
        for (int l = 0; l < FIT_LEVELS; l++)
            x->words[l] = words_of(cap, l);
        for (x->levels = 1; x->words[x->levels - 1] > 1;)
            x->levels++;
    }
    for (uint32_t i = x->count; i < count; i++)
        x->free[i] = closed;
    x->count = count;
}

/* Says on every level that node `i` fits. */
static void set_sum_up(struct fit_set *s, int levels, uint32_t i)
{
    for (int l = 1; l < levels; l++) {
        i /= 64;
        s->level[l][i / 64] |= UINT64_C(1) << (i % 64);
    }
}

/* Node `i`, which did not fit, does now; or the other way round. Not inlined: the loop over
 * demands, of which there are few, would make ready for it in advance. */
__attribute__((noinline)) static void set_turn(struct fit_set *s, int levels, uint32_t i, bool fits)
{
    s->level[0][i / 64] ^= UINT64_C(1) << (i % 64);
    if (!fits) {
        s->count--;
        return;
    }
    s->count++;
    s->last = i;
    if (levels > 1 && !(s->level[1][i / 64 / 64] >> (i / 64 % 64) & 1))
        set_sum_up(s, levels, i);
}

uint32_t fit_index_demand(struct fit_index *x, const struct res *demand)
{
    for (uint32_t i = 0; i < x->sets.count; i++)
        if (res_equal(&x->sets.at[i].demand, demand))
            return i;
    struct fit_set s = {.demand = *demand};
    set_resize(&s, 0, x->cap);
    for (uint32_t i = 0; i < x->count; i++)
        if (res_fits(demand, &x->free[i]))
            set_turn(&s, x->levels, i, true);
    vec_push(&x->sets, s);
    return x->sets.count - 1;
}

void fit_index_set(struct fit_index *x, uint32_t i, const struct res *free)
{
    check(i < x->count);
    x->free[i] = *free;
    for (struct fit_set *s = x->sets.at, *end = s + x->sets.count; s < end; s++) {
        bool fits = res_fits(&s->demand, free);
        if (fits != (s->level[0][i / 64] >> (i % 64) & 1))
            set_turn(s, x->levels, i, fits);
    }
}

/* The first bit set at or after `from`: up while the rest of the word is empty, then down to the
 * first one. */
static uint32_t set_next(const struct fit_index *x, const struct fit_set *s, uint32_t from)
{
    for (int l = 0; l < x->levels;) {
        uint32_t w = from / 64;
        if (w >= x->words[l])
            return FIT_NONE;
        uint64_t rest = s->level[l][w] & ~UINT64_C(0) << (from % 64);
        if (!rest) {
            from = w + 1;
            l++;
            continue;
        }
        from = w * 64 + (uint32_t)__builtin_ctzll(rest);
        if (l == 0)
            return from;
        if (s->level[l - 1][from]) {
            from *= 64;
            l--;
        } else {
            s->level[l][w] &= ~(UINT64_C(1) << (from % 64));
        }
    }
    return FIT_NONE;
}

uint32_t fit_index_find(const struct fit_index *x, uint32_t demand, uint32_t from)
{
    const struct fit_set *s = &x->sets.at[demand];
    if (x->count == 0 || !fit_index_any(x, demand))
        return FIT_NONE;
    uint32_t found = set_next(x, s, from < x->count ? from : 0);
    return found != FIT_NONE ? found : set_next(x, s, 0);
}
