#include "exec/table.h"

#include "base/check.h"
#include "base/mem.h"

/* Linear probing at a load of at most one half. A removal moves later members of the run back, so
 * there are no tombstones and a table that sees a million short-lived keys stays small. */

static uint32_t table_home(const struct table *t, uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 32) & (t->cap - 1);
}

static uint32_t table_seek(const struct table *t, uint64_t key)
{
    uint32_t i = table_home(t, key);

    while (t->cells[i].value != TABLE_NONE && t->cells[i].key != key)
        i = (i + 1) & (t->cap - 1);
    return i;
}

uint32_t table_get(const struct table *t, uint64_t key)
{
    return t->cap ? t->cells[table_seek(t, key)].value : TABLE_NONE;
}

static void table_grow(struct table *t)
{
    struct table old = *t;

    t->cap = old.cap ? old.cap * 2 : 16;
    t->cells = mem_zalloc(t->cap, sizeof *t->cells);
    for (uint32_t i = 0; i < t->cap; i++)
        t->cells[i].value = TABLE_NONE;
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].value != TABLE_NONE)
            t->cells[table_seek(t, old.cells[i].key)] = old.cells[i];
    mem_free(old.cells);
}

void table_put(struct table *t, uint64_t key, uint32_t value)
{
    check(value != TABLE_NONE);
    if (t->count * 2 >= t->cap)
        table_grow(t);
    uint32_t i = table_seek(t, key);
    t->count += t->cells[i].value == TABLE_NONE;
    t->cells[i] = (struct table_cell){key, value};
}

void table_remove(struct table *t, uint64_t key)
{
    if (!t->cap)
        return;
    uint32_t mask = t->cap - 1, hole = table_seek(t, key);
    if (t->cells[hole].value == TABLE_NONE)
        return;
    for (uint32_t i = (hole + 1) & mask; t->cells[i].value != TABLE_NONE; i = (i + 1) & mask) {
        /* A member may fill the hole unless its home lies behind it. */
        uint32_t home = table_home(t, t->cells[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            t->cells[hole] = t->cells[i];
            hole = i;
        }
    }
    t->cells[hole].value = TABLE_NONE;
    t->count--;
}

void table_fini(struct table *t)
{
    mem_free(t->cells);
    *t = (struct table){0};
}
