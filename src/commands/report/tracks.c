#include "commands/report/tracks.h"

#include "base/check.h"

void tracks_fini(struct tracks *l)
{
    for (uint32_t i = 0; i < l->nodes.count; i++)
        vec_free(&l->nodes.at[i].taken);
    vec_free(&l->nodes);
}

uint32_t tracks_take(struct tracks *l, uint32_t node)
{
    while (l->nodes.count <= node)
        vec_push(&l->nodes, ((struct tracks_node){0}));
    struct tracks_node *n = &l->nodes.at[node];
    uint32_t word = 0;

    while (word < n->taken.count && n->taken.at[word] == UINT64_MAX)
        word++;
    if (word == n->taken.count)
        vec_push(&n->taken, 0);
    uint32_t bit = (uint32_t)__builtin_ctzll(~n->taken.at[word]), lane = word * 64 + bit;
    n->taken.at[word] |= 1ull << bit;
    if (lane >= n->count)
        n->count = lane + 1;
    return lane;
}

void tracks_give(struct tracks *l, uint32_t node, uint32_t lane)
{
    uint64_t *word = &l->nodes.at[node].taken.at[lane / 64];

    check(*word >> lane % 64 & 1);
    *word &= ~(1ull << lane % 64);
}

uint32_t tracks_count(const struct tracks *l, uint32_t node)
{
    return node < l->nodes.count ? l->nodes.at[node].count : 0;
}
