#include "core/estimate/redo.h"

#include <math.h>

void redo_nodes_fini(struct redo_nodes *n)
{
    vec_free(&n->at);
}

static double faded(const struct redo_node *x, const struct redo_belief *b, int64_t now_us)
{
    return exp2(-(double)(now_us - x->since_us) / (double)b->memory_us);
}

static struct redo_node *node_at(struct redo_nodes *n, const struct redo_belief *b,
                                 struct node_id node, int64_t now_us)
{
    while (n->at.count <= node.v)
        vec_push(&n->at, ((struct redo_node){0}));
    struct redo_node *x = &n->at.at[node.v];
    double fade = faded(x, b, now_us);
    x->made *= fade;
    x->lost *= fade;
    x->since_us = now_us;
    return x;
}

void redo_made(struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
               int64_t now_us)
{
    node_at(n, b, node, now_us)->made += 1;
}

uint32_t redo_lost(struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
                   int64_t now_us)
{
    struct redo_node *x = node_at(n, b, node, now_us);
    x->lost += 1;
    x->losses = x->losses > 0 && now_us - x->last_loss_us <= b->quick_us ? x->losses + 1 : 1;
    x->last_loss_us = now_us;
    return x->losses;
}

double redo_r(const struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
              int64_t now_us)
{
    double made = 0, lost = 0;
    if (node.v < n->at.count) {
        double fade = faded(&n->at.at[node.v], b, now_us);
        made = n->at.at[node.v].made * fade;
        lost = n->at.at[node.v].lost * fade;
    }
    double r = (lost + b->prior * b->weight) / (made + b->weight);
    return r < 1 ? r : 1;
}
