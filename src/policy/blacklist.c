/* blacklist.c - avoid nodes that have made stragglers (NSDI'13, section 2.1.2).
 *
 * Time is cut into windows. At the end of each, a node's probability of straggling in the next one
 * is predicted as the mean of what it was in the window just over and in the long run; a node above
 * `p_b` gets no new attempts for one window and is then tried again. A node without attempts in a
 * window keeps its long-term average. Never more than half of the nodes are avoided. */
#include "base/vec.h"
#include "brain/decider.h"
#include "policy/parts.h"

struct blacklist_params {
    double p_b;
    int64_t window_us, samples_min;
};

#define AT(field) offsetof(struct blacklist_params, field)
static const struct param params[] = {
    {"p_b", PARAM_REAL, AT(p_b), "0.3", 0, 1, NULL,
     "avoid a node predicted to straggle more often"},
    {"window", PARAM_TIME, AT(window_us), "1h", 1, 1e7, NULL, "how long a prediction holds"},
    {"samples_min", PARAM_INT, AT(samples_min), "3", 1, 1e6, NULL,
     "fewer attempts than this in a window say nothing"},
    {0},
};

struct record {
    uint32_t seen, slow;         /* in this window */
    uint64_t seen_all, slow_all; /* ever */
};

struct blacklist {
    VEC(struct record) nodes;
};

static const struct blacklist_params *par(const struct seat *s)
{
    return s->params;
}

static void blacklist_phase_finished(const struct seat *s, struct phase *p)
{
    struct blacklist *d = s->state;
    if (p->count < 2 || p->median <= 0)
        return;
    while (d->nodes.count < s->world->nodes.count)
        vec_push(&d->nodes, ((struct record){0}));
    for (uint32_t i = 0; i < p->samples.count; i++) {
        double per_byte = (double)p->samples.at[i].per_byte;
        bool finished = per_byte >= 0;
        bool slow = (finished ? per_byte : -per_byte) > 2 * p->median;
        if (!finished && !slow)
            continue; /* stopped before it could show */
        struct record *r = &d->nodes.at[p->samples.at[i].node.v];
        r->seen++;
        r->slow += slow;
    }
}

static void blacklist_tick(const struct seat *s)
{
    struct blacklist *d = s->state;
    const struct world *w = s->world;
    uint32_t avoided = 0;
    for (uint32_t i = 0; i < d->nodes.count; i++) {
        struct record *r = &d->nodes.at[i];
        r->seen_all += r->seen;
        r->slow_all += r->slow;
        double long_term = r->seen_all ? (double)r->slow_all / (double)r->seen_all : 0;
        bool enough = r->seen >= par(s)->samples_min;
        double last = enough ? (double)r->slow / r->seen : long_term;
        double p = (last + long_term) / 2;
        r->seen = r->slow = 0;
        if (p > par(s)->p_b && w->nodes.at[i].state == NODE_UP &&
            2 * (avoided + 1) <= w->nodes.count) {
            avoided++;
            decider_avoid(s->brain, (struct node_id){i}, w->now_us + par(s)->window_us,
                          &REASON(WHY_BAD_NODE, p, par(s)->p_b, last, long_term));
        }
    }
}

static int64_t blacklist_tick_us(const struct seat *s)
{
    return par(s)->window_us;
}

static void blacklist_fini(const struct seat *s)
{
    struct blacklist *d = s->state;
    vec_free(&d->nodes);
}

const struct screen_ops screen_blacklist = {
    .part = {"blacklist", "avoids nodes that have made stragglers, a window at a time", params,
             sizeof(struct blacklist_params), sizeof(struct blacklist)},
    .fini = blacklist_fini,
    .phase_finished = blacklist_phase_finished,
    .tick_us = blacklist_tick_us,
    .tick = blacklist_tick,
};
