/* fit_tree.c - the method is in fit_tree.h.
 *
 * Rejected: the most of each resource as a bound. On a full cluster it promises cpu of one node and
 * memory of another, and whoever fits nowhere is looked for nearly everywhere. Also rejected: the
 * vectors that no node below exceeds in everything, which promise exactly what there is where they
 * are few, but cost ten times as much to work out as all of the search. */
#include "fit/fit_tree.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void fit_tree_fini(struct fit_tree *t)
{
    for (int l = 0; l < FIT_TREE_LEVELS; l++)
        mem_free(t->bounds[l]), mem_free(t->less[l]);
    *t = (struct fit_tree){0};
}

static uint8_t *bound_at(const struct fit_tree *t, int level, uint32_t i)
{
    return t->bounds[level] + (size_t)i * fit_bound_size(&t->scale);
}

static struct fit_scale scale_of(const struct res *free, uint32_t count)
{
    struct res most = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (int r = 0; r < RES_COUNT; r++)
            most.v[r] = free[i].v[r] > most.v[r] ? free[i].v[r] : most.v[r];
    return fit_bound_scale(&most);
}

void fit_tree_build(struct fit_tree *t, uint32_t cap, const struct res *free, uint32_t count)
{
    fit_tree_fini(t);
    t->scale = scale_of(free, count);
    uint32_t below = cap;
    do {
        check(t->levels < FIT_TREE_LEVELS);
        below = below / FIT_TREE_FAN + (below % FIT_TREE_FAN != 0 || below == 0);
        t->counts[t->levels] = below;
        t->less[t->levels] = mem_zalloc(below, sizeof(bool));
        t->bounds[t->levels++] = mem_zalloc(below, fit_bound_size(&t->scale));
    } while (below > 1);
    for (uint32_t i = 0; i < count; i++)
        fit_tree_raise(t, i, &free[i]);
}

void fit_tree_raise(struct fit_tree *t, uint32_t i, const struct res *free)
{
    struct fit_point p = fit_bound_point(&t->scale, free);
    for (int l = 0; l < t->levels; l++) {
        uint8_t *bound = bound_at(t, l, i /= FIT_TREE_FAN);
        if (fit_bound_has(&t->scale, bound, &p))
            return;
        fit_bound_add(&t->scale, bound, &p);
    }
}

/* A search for one demand. */
struct tree_search {
    const struct fit_tree *tree;
    const struct res *need, *free;
    struct fit_point point; /* of the need */
    uint32_t count;         /* of nodes */
    uint32_t from;
};

/* Works the bound of an entry out anew: of its children from `first` up to `end`, but for nodes
 * that have more than it was told of: those above have not been told, either. */
static void lower(const struct tree_search *s, int level, uint32_t at, uint32_t first, uint32_t end)
{
    const struct fit_tree *t = s->tree;
    uint8_t bound[(RES_COUNT - 1) * FIT_COLUMNS] = {0}, *old = bound_at(t, level, at);
    for (uint32_t i = first; i < end; i++) {
        if (level > 0) {
            fit_bound_join(&t->scale, bound, bound_at(t, level - 1, i));
            continue;
        }
        struct fit_point p = fit_bound_point(&t->scale, &s->free[i]);
        if (fit_bound_has(&t->scale, old, &p) && !fit_bound_has(&t->scale, bound, &p))
            fit_bound_add(&t->scale, bound, &p);
    }
    t->less[level][at] = false;
    if (memcmp(old, bound, fit_bound_size(&t->scale)) == 0)
        return;
    memcpy(old, bound, fit_bound_size(&t->scale));
    if (level + 1 < t->levels)
        t->less[level + 1][at / FIT_TREE_FAN] = true;
}

/* Looks below entry `at` of a level, each of whose children stands for `span` nodes. */
static uint32_t search_below(const struct tree_search *s, int level, uint32_t at, uint32_t span)
{
    uint32_t all = level > 0 ? s->tree->counts[level - 1] : s->count;
    uint32_t first = at * FIT_TREE_FAN, begin = s->from / span;
    uint32_t end = all - first < FIT_TREE_FAN ? all : first + FIT_TREE_FAN;
    for (uint32_t i = begin > first ? begin : first; i < end; i++) {
        if (level == 0 && res_fits(s->need, &s->free[i]))
            return i;
        if (level == 0 ||
            !fit_bound_has(&s->tree->scale, bound_at(s->tree, level - 1, i), &s->point))
            continue;
        uint32_t found = search_below(s, level - 1, i, span / FIT_TREE_FAN);
        if (found != FIT_TREE_END)
            return found;
    }
    if (s->tree->less[level][at])
        lower(s, level, at, first, end);
    return FIT_TREE_END;
}

uint32_t fit_tree_next(const struct fit_tree *t, const struct res *free, uint32_t count,
                       const struct res *need, uint32_t from)
{
    struct tree_search s = {t, need, free, fit_bound_point(&t->scale, need), count, from};
    uint32_t span = 1;
    for (int l = 1; l < t->levels; l++)
        span *= FIT_TREE_FAN;
    if (from >= count || !fit_tree_covers(t, need) ||
        !fit_bound_has(&t->scale, bound_at(t, t->levels - 1, 0), &s.point))
        return FIT_TREE_END;
    return search_below(&s, t->levels - 1, 0, span);
}
