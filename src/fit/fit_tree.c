#include "fit/fit_tree.h"

#include "base/check.h"
#include "base/mem.h"

static const struct res nothing = {{-1, -1, -1, -1}};

void fit_tree_fini(struct fit_tree *t)
{
    for (int l = 0; l < FIT_TREE_LEVELS; l++)
        mem_free(t->bound[l]);
    *t = (struct fit_tree){0};
}

void fit_tree_build(struct fit_tree *t, uint32_t cap, const struct res *free, uint32_t count)
{
    fit_tree_fini(t);
    uint32_t below = cap;
    do {
        check(t->levels < FIT_TREE_LEVELS);
        below = below / FIT_TREE_FAN + (below % FIT_TREE_FAN != 0 || below == 0);
        t->counts[t->levels] = below;
        t->bound[t->levels] = mem_zalloc(below, sizeof(struct res));
        for (uint32_t i = 0; i < below; i++)
            t->bound[t->levels][i] = nothing;
        t->levels++;
    } while (below > 1);
    for (uint32_t i = 0; i < count; i++)
        fit_tree_raise(t, i, &free[i]);
}

/* A search for one demand. */
struct tree_search {
    const struct fit_tree *tree;
    const struct res *need, *free;
    uint32_t count; /* of nodes */
    uint32_t from;
};

static void lower(struct res *bound, const struct res *below, uint32_t count)
{
    *bound = nothing;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < RES_COUNT; k++)
            bound->v[k] = below[i].v[k] > bound->v[k] ? below[i].v[k] : bound->v[k];
}

/* Looks below entry `at` of a level, each of whose children stands for `span` nodes. */
static uint32_t search_below(const struct tree_search *s, int level, uint32_t at, uint32_t span)
{
    const struct res *below = level > 0 ? s->tree->bound[level - 1] : s->free;
    uint32_t all = level > 0 ? s->tree->counts[level - 1] : s->count;
    uint32_t first = at * FIT_TREE_FAN, begin = s->from / span;
    uint32_t end = all - first < FIT_TREE_FAN ? all : first + FIT_TREE_FAN;
    for (uint32_t i = begin > first ? begin : first; i < end; i++) {
        if (!res_fits(s->need, &below[i]))
            continue;
        uint32_t found = level > 0 ? search_below(s, level - 1, i, span / FIT_TREE_FAN) : i;
        if (found != FIT_TREE_END)
            return found;
    }
    lower(&s->tree->bound[level][at], below + first, end - first);
    return FIT_TREE_END;
}

uint32_t fit_tree_next(const struct fit_tree *t, const struct res *free, uint32_t count,
                       const struct res *need, uint32_t from)
{
    struct tree_search s = {t, need, free, count, from};
    uint32_t span = 1;
    for (int l = 1; l < t->levels; l++)
        span *= FIT_TREE_FAN;
    if (from >= count || !res_fits(need, &t->bound[t->levels - 1][0]))
        return FIT_TREE_END;
    return search_below(&s, t->levels - 1, 0, span);
}
