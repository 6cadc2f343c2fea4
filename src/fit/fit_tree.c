/* fit_tree.c - the method is in fit_tree.h.
 *
 * Rejected: the most of each resource as a bound. On a full cluster it promises cpu of one node and
 * memory of another, and whoever fits nowhere is looked for nearly everywhere. */
#include "fit/fit_tree.h"

#include "base/check.h"
#include "base/mem.h"

void fit_tree_fini(struct fit_tree *t)
{
    for (int l = 0; l < FIT_TREE_LEVELS; l++)
        mem_free(t->bound[l]), mem_free(t->less[l]);
    *t = (struct fit_tree){0};
}

static struct res negated(const struct res *v)
{
    struct res n;
    for (int k = 0; k < RES_COUNT; k++)
        n.v[k] = -v->v[k];
    return n;
}

void fit_tree_build(struct fit_tree *t, uint32_t cap, const struct res *free, uint32_t count)
{
    fit_tree_fini(t);
    uint32_t below = cap;
    do {
        check(t->levels < FIT_TREE_LEVELS);
        below = below / FIT_TREE_FAN + (below % FIT_TREE_FAN != 0 || below == 0);
        t->counts[t->levels] = below;
        t->less[t->levels] = mem_zalloc(below, sizeof(bool));
        t->bound[t->levels++] = mem_zalloc(below, sizeof(struct fit_edge));
    } while (below > 1);
    for (uint32_t i = 0; i < count; i++)
        fit_tree_raise(t, i, &free[i]);
}

void fit_tree_raise(struct fit_tree *t, uint32_t i, const struct res *free)
{
    struct res room = negated(free);
    for (int l = 0; l < t->levels; l++) {
        struct fit_edge *bound = &t->bound[l][i /= FIT_TREE_FAN];
        if (fit_edge_fits(bound, &room))
            return;
        fit_edge_add(bound, &room);
    }
}

/* A search for one demand. */
struct tree_search {
    const struct fit_tree *tree;
    const struct res *need, *free;
    struct res turned; /* the need, negated */
    uint32_t count;    /* of nodes */
    uint32_t from;
};

/* Works the bound of an entry out anew: of its children from `first` up to `end`, but for nodes
 * that have more than it was told of: those above have not been told, either. */
static void lower(const struct tree_search *s, int level, uint32_t at, uint32_t first, uint32_t end)
{
    struct fit_edge bound = {.count = 0};
    for (uint32_t i = first; i < end; i++) {
        if (level == 0) {
            struct res room = negated(&s->free[i]);
            if (fit_edge_fits(&s->tree->bound[0][at], &room))
                fit_edge_add(&bound, &room);
            continue;
        }
        const struct fit_edge *below = &s->tree->bound[level - 1][i];
        for (uint32_t k = 0; k < below->count; k++)
            fit_edge_add(&bound, &below->least[k]);
    }
    struct fit_edge *old = &s->tree->bound[level][at];
    if (level + 1 < s->tree->levels && !fit_edge_equal(old, &bound))
        s->tree->less[level + 1][at / FIT_TREE_FAN] = true;
    s->tree->less[level][at] = false;
    *old = bound;
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
        if (level == 0 || !fit_edge_fits(&s->tree->bound[level - 1][i], &s->turned))
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
    struct tree_search s = {t, need, free, negated(need), count, from};
    uint32_t span = 1;
    for (int l = 1; l < t->levels; l++)
        span *= FIT_TREE_FAN;
    if (from >= count || !fit_edge_fits(&t->bound[t->levels - 1][0], &s.turned))
        return FIT_TREE_END;
    return search_below(&s, t->levels - 1, 0, span);
}
