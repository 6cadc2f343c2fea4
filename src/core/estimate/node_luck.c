#include "core/estimate/node_luck.h"

#include <math.h>

#include "core/model/event.h"

void node_luck_fini(struct node_luck *l)
{
    vec_free(&l->nodes);
}

static struct node_record *record_of(struct node_luck *l, struct node_id node)
{
    while (l->nodes.count <= node.v)
        vec_push(&l->nodes, ((struct node_record){.smooth = -1}));
    return &l->nodes.at[node.v];
}

/* One task has no median to be compared with. */
static bool tells(const struct phase *p)
{
    return p->count >= 2 && p->median > 0;
}

void node_luck_phase(struct node_luck *l, const struct world *w, const struct phase *p)
{
    if (w->nodes.count > 0)
        record_of(l, (struct node_id){w->nodes.count - 1});
    for (uint32_t i = 0; tells(p) && i < p->samples.count; i++) {
        double per_byte = (double)p->samples.at[i].per_byte;
        bool finished = per_byte >= 0;
        product_limit_add(&record_of(l, p->samples.at[i].node)->seen,
                          (finished ? per_byte : -per_byte) / p->median, finished);
    }
}

void node_luck_late(struct node_luck *l, const struct world *w, const struct attempt *a,
                    uint8_t type)
{
    const struct phase *p = attempt_phase(a);
    bool finished = type == EV_ATTEMPT_FINISHED;
    if (p->measured && tells(p) && attempt_is_fair(a))
        product_limit_add(&record_of(l, a->node)->seen, product_limit_ratio(w, a, finished),
                          finished);
}

double node_luck_roll(struct node_luck *l, uint32_t node, uint64_t known_min)
{
    struct node_record *r = &l->nodes.at[node];
    uint64_t known = r->seen.known;
    double now = product_limit_estimate(&r->seen);
    if (known > 0) {
        r->smooth = r->smooth < 0 ? now : (r->smooth + now) / 2;
        r->known_all += (double)known;
        r->slow_all += now * (double)known;
    }
    r->seen = (struct product_limit){0};
    return known >= known_min ? now : -1;
}

void node_luck_fade(struct node_luck *l, uint32_t node, uint32_t half_after)
{
    struct node_record *r = &l->nodes.at[node];
    double keep = exp2(-1.0 / half_after);
    r->known_all *= keep;
    r->slow_all *= keep;
}

double node_luck_long_term(const struct node_luck *l, uint32_t node, uint64_t known_min)
{
    const struct node_record *r = &l->nodes.at[node];
    return r->known_all >= (double)known_min ? r->slow_all / r->known_all : -1;
}

double node_luck_p(const struct node_luck *l, uint32_t node, double unknown)
{
    double p =
        node < l->nodes.count && l->nodes.at[node].smooth >= 0 ? l->nodes.at[node].smooth : unknown;
    return p < 0.001 ? 0.001 : p > 0.999 ? 0.999 : p;
}
