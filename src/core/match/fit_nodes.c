#include "core/match/fit_nodes.h"

#include "base/mem.h"

void fit_nodes_fini(struct fit_nodes *s)
{
    block_bounds_fini(&s->bounds);
    mem_free(s->blocks);
    *s = (struct fit_nodes){0};
}

static struct fit_scale scale_of(const struct res *free, uint32_t count)
{
    struct res most = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (int r = 0; r < RES_COUNT; r++)
            most.v[r] = free[i].v[r] > most.v[r] ? free[i].v[r] : most.v[r];
    return block_bounds_scale(&most);
}

void fit_nodes_build(struct fit_nodes *s, uint32_t cap, const struct res *free, uint32_t count)
{
    uint32_t blocks = cap / FIT_BLOCK + 1;
    fit_nodes_fini(s);
    s->scale = scale_of(free, count);
    s->blocks = mem_zalloc(blocks, sizeof *s->blocks);
    memset(s->blocks, FIT_NOWHERE, blocks * sizeof *s->blocks);
    block_bounds_make(&s->bounds, s->scale.rows, blocks);
    for (uint32_t i = 0; i < count; i++)
        fit_nodes_set(s, i, &free[i]);
}

static struct fit_point put(struct fit_nodes *s, uint32_t i, const struct res *free)
{
    struct fit_point p = fit_nodes_point(s, free);
    fit_block_put(&s->blocks[i / FIT_BLOCK], s->scale.rows, i % FIT_BLOCK, p);
    return p;
}

void fit_nodes_set(struct fit_nodes *s, uint32_t i, const struct res *free)
{
    block_bounds_add(&s->bounds, i / FIT_BLOCK, put(s, i, free));
}

void fit_nodes_lower(struct fit_nodes *s, uint32_t i, const struct res *free)
{
    (void)put(s, i, free);
}

/* A search for one demand. */
struct nodes_search {
    const struct res *need, *free;
    struct fit_point point; /* of the need */
    uint32_t from;
};

/* The first node of block `i` with room, or FIT_NODES_END. */
static uint32_t next_in(const struct fit_nodes *s, uint32_t i, const struct nodes_search *x)
{
    const struct fit_block *b = &s->blocks[i];
    uint64_t bits = fit_block_within(b, s->scale.rows, x->point);
    if (!bits)
        block_bounds_mend(&s->bounds, i, b, fit_point_column(x->point));
    if (i == x->from / FIT_BLOCK)
        bits &= ~UINT64_C(0) << x->from % FIT_BLOCK;
    for (; bits; bits &= bits - 1) {
        uint32_t node = i * FIT_BLOCK + (uint32_t)__builtin_ctzll(bits);
        if (res_fits(x->need, &x->free[node]))
            return node;
    }
    return FIT_NODES_END;
}

uint32_t fit_nodes_next(const struct fit_nodes *s, const struct res *free, uint32_t count,
                        const struct res *need, uint32_t from)
{
    if (from >= count || !fit_nodes_cover(s, need))
        return FIT_NODES_END;
    struct nodes_search x = {need, free, fit_nodes_point(s, need), from};
    uint32_t i = from / FIT_BLOCK, found = FIT_NODES_END;
    uint64_t these = ~UINT64_C(0) << i % 64;
    for (i -= i % 64; i < s->bounds.cap && found == FIT_NODES_END; i += 64, these = ~UINT64_C(0))
        for (uint64_t bits = block_bounds_within(&s->bounds, x.point, i) & these;
             bits && found == FIT_NODES_END; bits &= bits - 1)
            found = next_in(s, i + (uint32_t)__builtin_ctzll(bits), &x);
    return found;
}
