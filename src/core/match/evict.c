#include "core/match/evict.h"

#define NONE UINT32_MAX

void evict_fini(struct evict *r)
{
    vec_free(&r->nodes);
    vec_free(&r->offers);
    vec_free(&r->ending);
}

void evict_begin(struct evict *r)
{
    r->turn++;
    evict_next(r);
}

void evict_next(struct evict *r)
{
    r->need++;
    vec_clear(&r->offers);
}

/* Entries of earlier turns and needs are begun anew when somebody looks. */
static struct evict_node *node_at(struct evict *r, struct evict_holder a)
{
    while (r->nodes.count <= a.node)
        vec_push(&r->nodes, ((struct evict_node){0}));
    struct evict_node *n = &r->nodes.at[a.node];
    if (n->turn != r->turn) {
        n->turn = r->turn;
        n->free = *a.free;
    }
    if (n->need != r->need) {
        n->need = r->need;
        n->more = (struct res){{0}};
        n->offered = NONE;
    }
    return n;
}

void evict_count(struct evict *r, struct evict_holder a)
{
    res_add(&node_at(r, a)->free, a.held);
}

bool evict_take(struct evict *r, struct evict_holder a, const struct res *need)
{
    struct evict_node *n = node_at(r, a);
    if (!res_fits(need, &n->free))
        return false;
    res_sub(&n->free, need);
    return true;
}

bool evict_make(struct evict *r, struct evict_holder a, const struct res *need)
{
    vec_clear(&r->ending);
    if (evict_take(r, a, need))
        return true;
    struct evict_node *n = node_at(r, a);
    vec_push(&r->offers, ((struct evict_offer){a.attempt, n->offered}));
    n->offered = r->offers.count - 1;
    res_add(&n->more, a.held);
    struct res both = n->free;
    res_add(&both, &n->more);
    if (!res_fits(need, &both))
        return false;
    for (uint32_t i = n->offered; i != NONE; i = r->offers.at[i].next)
        vec_push(&r->ending, r->offers.at[i].attempt);
    n->free = both;
    res_sub(&n->free, need);
    n->more = (struct res){{0}};
    n->offered = NONE;
    return true;
}
