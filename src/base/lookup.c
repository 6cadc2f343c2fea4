#include "base/lookup.h"

#include "base/check.h"
#include "base/mem.h"

/* Linear probing at a load of at most one half. A removal moves later members of the run back, so
 * there are no tombstones and a table that sees a million short-lived keys stays small. */

static uint32_t lookup_home(const struct lookup *t, uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 32) & (t->cap - 1);
}

static uint32_t lookup_seek(const struct lookup *t, uint64_t key)
{
    uint32_t i = lookup_home(t, key);

    while (t->cells[i].value != LOOKUP_NONE && t->cells[i].key != key)
        i = (i + 1) & (t->cap - 1);
    return i;
}

uint32_t lookup_get(const struct lookup *t, uint64_t key)
{
    return t->cap ? t->cells[lookup_seek(t, key)].value : LOOKUP_NONE;
}

static void lookup_grow(struct lookup *t)
{
    struct lookup old = *t;

    t->cap = old.cap ? old.cap * 2 : 16;
    t->cells = mem_zalloc(t->cap, sizeof *t->cells);
    for (uint32_t i = 0; i < t->cap; i++)
        t->cells[i].value = LOOKUP_NONE;
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].value != LOOKUP_NONE)
            t->cells[lookup_seek(t, old.cells[i].key)] = old.cells[i];
    mem_free(old.cells);
}

void lookup_put(struct lookup *t, uint64_t key, uint32_t value)
{
    check(value != LOOKUP_NONE);
    if (t->count * 2 >= t->cap)
        lookup_grow(t);
    uint32_t i = lookup_seek(t, key);
    t->count += t->cells[i].value == LOOKUP_NONE;
    t->cells[i] = (struct lookup_cell){key, value};
}

void lookup_remove(struct lookup *t, uint64_t key)
{
    if (!t->cap)
        return;
    uint32_t mask = t->cap - 1, hole = lookup_seek(t, key);
    if (t->cells[hole].value == LOOKUP_NONE)
        return;
    for (uint32_t i = (hole + 1) & mask; t->cells[i].value != LOOKUP_NONE; i = (i + 1) & mask) {
        /* A member may fill the hole unless its home lies behind it. */
        uint32_t home = lookup_home(t, t->cells[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            t->cells[hole] = t->cells[i];
            hole = i;
        }
    }
    t->cells[hole].value = LOOKUP_NONE;
    t->count--;
}

void lookup_fini(struct lookup *t)
{
    mem_free(t->cells);
    *t = (struct lookup){0};
}
