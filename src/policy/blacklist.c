/* blacklist.c - avoid nodes that have made stragglers (NSDI'13, section 2.1.2).
 *
 * Time is cut into windows. At the end of each, a node's probability of straggling in the next one
 * is predicted as the mean of what it was in the window just over and in the long run; a node above
 * `p_b` gets no new attempts for one window and is then tried again. A node without attempts in a
 * window keeps its long-term average. Never more than half of the nodes are avoided, and none
 * without another that has as much of everything: what fits on it alone would wait for ever. */
#include "brain/decider.h"
#include "estimate/node_luck.h"
#include "policy/parts.h"

struct blacklist_params {
    double p_b;
    int64_t window_us, samples_min;
};

#define AT(field) offsetof(struct blacklist_params, field)
static const struct field params[] = {
    PARAM("p_b", FIELD_REAL, AT(p_b), "0.3", 0, 1, NULL,
          "avoid a node predicted to straggle more often"),
    PARAM("window", FIELD_TIME, AT(window_us), "1h", 1, 1e7, NULL, "how long a prediction holds"),
    PARAM("samples_min", FIELD_INT, AT(samples_min), "3", 1, 1e6, NULL,
          "a window with fewer attempts that show something says nothing"),
    {0},
};

struct blacklist {
    struct node_luck luck;
};

PARAM_STRUCT(blacklist_params)

static void blacklist_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct blacklist *d = s->state;
    node_luck_phase(&d->luck, s->world, p);
}

static void blacklist_attempt_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct blacklist *d = s->state;
    node_luck_late(&d->luck, s->world, a, type);
}

/* Whether another node takes attempts and has as much of everything. The search begins where the
 * last one ended: on most clusters that node is as good for the next. */
static bool has_stand_in(const struct world *w, uint32_t node, uint32_t *from)
{
    for (uint32_t n = 0; n < w->nodes.count; n++) {
        uint32_t i = (*from + n) % w->nodes.count;
        const struct node *other = &w->nodes.at[i];
        if (i == node || other->state != NODE_UP || other->avoid_until_us > w->now_us ||
            !res_fits(&w->nodes.at[node].capacity, &other->capacity))
            continue;
        *from = i;
        return true;
    }
    return false;
}

static void blacklist_tick(const struct part_ctx *s)
{
    struct blacklist *d = s->state;
    const struct world *w = s->world;
    uint32_t avoided = 0, stand_in = 0;
    for (uint32_t i = 0; i < d->luck.nodes.count; i++) {
        double last = node_luck_roll(&d->luck, i, (uint64_t)par(s)->samples_min);
        double long_term = node_luck_long_term(&d->luck, i);
        if (last < 0)
            last = long_term;
        double p = (last + long_term) / 2;
        if (p > par(s)->p_b && w->nodes.at[i].state == NODE_UP &&
            2 * (avoided + 1) <= w->nodes.count && has_stand_in(w, i, &stand_in)) {
            avoided++;
            decider_avoid(s->brain, (struct node_id){i}, w->now_us + par(s)->window_us,
                          &REASON(WHY_BAD_NODE, p, par(s)->p_b, last, long_term));
        }
    }
}

static void blacklist_fini(const struct part_ctx *s)
{
    struct blacklist *d = s->state;
    node_luck_fini(&d->luck);
}

const struct screen_ops blacklist_screen = {
    .part = {.name = "blacklist",
             .help = "avoids nodes that have made stragglers, a window at a time",
             .params = params,
             .params_size = sizeof(struct blacklist_params),
             .state_size = sizeof(struct blacklist),
             .fini = blacklist_fini,
             .attempt_ended = blacklist_attempt_ended,
             .phase_finished = blacklist_phase_finished,
             .tick = blacklist_tick,
             .tick_at = AT(window_us)},
};
