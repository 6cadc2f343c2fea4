#include "brain/fit_tree.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void fit_tree_fini(struct fit_tree *t)
{
    mem_free(t->at);
    *t = (struct fit_tree){0};
}

static void fit_tree_join(struct fit_tree *t, uint32_t i)
{
    const struct res *l = &t->at[2 * i], *r = &t->at[2 * i + 1];
    for (int k = 0; k < RES_COUNT; k++)
        t->at[i].v[k] = l->v[k] > r->v[k] ? l->v[k] : r->v[k];
}

void fit_tree_grow(struct fit_tree *t, uint32_t count)
{
    if (count <= t->count)
        return;
    if (count > t->width) {
        uint32_t width = t->width ? t->width : 1;
        while (width < count)
            width *= 2;
        struct res *at = mem_zalloc(2 * (size_t)width, sizeof *at);
        for (uint32_t i = width; i < 2 * width; i++)
            at[i] = (struct res){{-1, -1, -1, -1}}; /* nothing fits, not even a demand of zero */
        if (t->width)
            memcpy(at + width, t->at + t->width, t->count * sizeof *at);
        mem_free(t->at);
        t->at = at;
        t->width = width;
        for (uint32_t i = width - 1; i >= 1; i--)
            fit_tree_join(t, i);
    }
    t->count = count;
}

void fit_tree_set(struct fit_tree *t, uint32_t i, const struct res *free)
{
    check(i < t->count);
    i += t->width;
    t->at[i] = *free;
    /* A vertex that does not change ends the walk: most updates stop after a few levels. */
    for (i /= 2; i >= 1; i /= 2) {
        struct res before = t->at[i];
        fit_tree_join(t, i);
        if (res_equal(&before, &t->at[i]))
            break;
    }
}

/* First fit among the leaves [from, width) by walking up from `from` and down again. */
static uint32_t fit_tree_scan(const struct fit_tree *t, uint32_t from, const struct res *need)
{
    uint32_t i = from + t->width;
    for (;;) {
        if (res_fits(need, &t->at[i])) {
            if (i >= t->width)
                return i - t->width;
            i *= 2; /* perhaps in here; the left half first */
            continue;
        }
        while (i & 1) /* everything at or below this right child is done: climb */
            i /= 2;
        if (i == 0)
            return FIT_NONE;
        i++;
    }
}

uint32_t fit_tree_find(const struct fit_tree *t, uint32_t from, const struct res *need)
{
    if (t->count == 0 || !res_fits(need, &t->at[1]))
        return FIT_NONE;
    uint32_t found = fit_tree_scan(t, from < t->count ? from : 0, need);
    return found != FIT_NONE ? found : fit_tree_scan(t, 0, need);
}
