#include "core/mitigate/trial.h"

#define KEEP 0.98 /* of what was learnt before counts beside a new outcome */

bool trial_treats(struct trial *t)
{
    bool known = t->treated.weight >= TRIAL_MIN && t->left_alone.weight >= TRIAL_MIN;
    bool pays = t->treated.sum * t->left_alone.weight < t->left_alone.sum * t->treated.weight;
    uint64_t turn = t->tasks++;
    if (!known)
        return turn % (turn < 2 * TRIAL_BLIND ? 2 : TRIAL_RARE) == 0;
    if (pays != t->paid || t->gap == 0) {
        t->gap = TRIAL_RARE;
        t->next = turn + t->gap;
        t->paid = pays;
    }
    if (turn < t->next)
        return pays;
    t->gap = t->gap < TRIAL_SELDOM ? t->gap * 2 : t->gap;
    t->next = turn + t->gap;
    return !pays;
}

void trial_learn(struct trial *t, bool treated, double cost)
{
    struct trial_group *g = treated ? &t->treated : &t->left_alone;
    g->sum = g->sum * KEEP + cost;
    g->weight = g->weight * KEEP + 1;
}
