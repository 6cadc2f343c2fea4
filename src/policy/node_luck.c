#include "policy/node_luck.h"

void node_luck_fini(struct node_luck *l)
{
    vec_free(&l->nodes);
}

void node_luck_phase(struct node_luck *l, const struct world *w, const struct phase *p)
{
    while (l->nodes.count < w->nodes.count)
        vec_push(&l->nodes, ((struct node_record){.smooth = -1}));
    if (p->count < 2 || p->median <= 0)
        return;
    for (uint32_t i = 0; i < p->samples.count; i++) {
        double per_byte = (double)p->samples.at[i].per_byte;
        bool finished = per_byte >= 0;
        bool slow = (finished ? per_byte : -per_byte) > 2 * p->median;
        if (!finished && !slow)
            continue; /* stopped before it could show */
        struct node_record *r = &l->nodes.at[p->samples.at[i].node.v];
        r->seen++;
        r->slow += slow;
    }
}

void node_luck_roll(struct node_luck *l, uint32_t node)
{
    struct node_record *r = &l->nodes.at[node];
    if (r->seen > 0) {
        double now = (double)r->slow / r->seen;
        r->smooth = r->smooth < 0 ? now : (r->smooth + now) / 2;
    }
    r->seen_all += r->seen;
    r->slow_all += r->slow;
    r->seen = r->slow = 0;
}

double node_luck_long_term(const struct node_luck *l, uint32_t node)
{
    const struct node_record *r = &l->nodes.at[node];
    return r->seen_all ? (double)r->slow_all / (double)r->seen_all : 0;
}

double node_luck_p(const struct node_luck *l, uint32_t node, double unknown)
{
    double p =
        node < l->nodes.count && l->nodes.at[node].smooth >= 0 ? l->nodes.at[node].smooth : unknown;
    return p < 0.001 ? 0.001 : p > 0.999 ? 0.999 : p;
}
