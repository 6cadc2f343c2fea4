#include "inputs/config/names.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

/* The entry of the name, or the free one where it would go. The table is never full. */
static struct names_entry *seek(const struct names *n, const char *name)
{
    uint32_t i = hash_fold(hash_text(name)) & (n->cap - 1);
    while (n->at[i].name && strcmp(n->at[i].name, name))
        i = (i + 1) & (n->cap - 1);
    return &n->at[i];
}

static void grow(struct names *n)
{
    struct names old = *n;
    n->cap = old.cap ? old.cap * 2 : 16;
    n->at = mem_zalloc(n->cap, sizeof *n->at);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.at[i].name)
            *seek(n, old.at[i].name) = old.at[i];
    mem_free(old.at);
}

void names_fini(struct names *n)
{
    mem_free(n->at);
    *n = (struct names){0};
}

uint32_t names_add(struct names *n, const char *name, uint32_t value)
{
    check(value != UINT32_MAX);
    if (n->count >= n->cap / 4 * 3)
        grow(n);
    struct names_entry *e = seek(n, name);
    if (e->name)
        return e->value;
    *e = (struct names_entry){name, value};
    n->count++;
    return UINT32_MAX;
}

uint32_t names_find(const struct names *n, const char *name)
{
    if (n->cap == 0)
        return UINT32_MAX;
    const struct names_entry *e = seek(n, name);
    return e->name ? e->value : UINT32_MAX;
}
