#include "core/match/room.h"

#define NONE UINT32_MAX

void room_fini(struct room *r)
{
    vec_free(&r->nodes);
    vec_free(&r->offers);
    vec_free(&r->ending);
}

void room_begin(struct room *r)
{
    r->turn++;
    room_next(r);
}

void room_next(struct room *r)
{
    r->need++;
    vec_clear(&r->offers);
}

/* Entries of earlier turns and needs are begun anew when somebody looks. */
static struct room_node *room_at(struct room *r, struct room_holder a)
{
    while (r->nodes.count <= a.node)
        vec_push(&r->nodes, ((struct room_node){0}));
    struct room_node *n = &r->nodes.at[a.node];
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

void room_count(struct room *r, struct room_holder a)
{
    res_add(&room_at(r, a)->free, a.held);
}

bool room_take(struct room *r, struct room_holder a, const struct res *need)
{
    struct room_node *n = room_at(r, a);
    if (!res_fits(need, &n->free))
        return false;
    res_sub(&n->free, need);
    return true;
}

bool room_make(struct room *r, struct room_holder a, const struct res *need)
{
    vec_clear(&r->ending);
    if (room_take(r, a, need))
        return true;
    struct room_node *n = room_at(r, a);
    vec_push(&r->offers, ((struct room_offer){a.attempt, n->offered}));
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
