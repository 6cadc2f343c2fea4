/* blacklist.c - avoid nodes that have made stragglers (NSDI'13, section 2.1.2).
 *
 * Time is cut into windows. At the end of each, a node's probability of straggling in the next one
 * is predicted as the mean of its share in the window just over and in the long run. A node above
 * `p_b` is convicted: it gets no new attempts for a term of one window. Then it is on trial: it
 * takes attempts again, and is convicted again only on the evidence of `samples_min` attempts since
 * its return. A conviction out of its trial has a term twice as long, up to TERM_MAX windows; a
 * node that passes its trial starts again with terms of one window.
 *
 * Capacity comes first. At the end of each window the convicted are avoided for the next one, the
 * worst first, and only while the nodes that remain can carry the larger of the window's mean use
 * and the use of this instant, at a load of LOAD_MAX at most. Never more than half of the nodes are
 * avoided, and none without another of at least its capacity: a task that fits on it alone would
 * wait for ever.
 *
 *     paper                                 here
 *     window W                              window
 *     threshold of the probability          p_b
 *     average of last window and long run   blacklist_judge
 *
 * What was changed, and why. The paper says that a node is "considered again" in the next window,
 * and not by which evidence: a node that was avoided has shown nothing since, so its record alone
 * would convict it for ever. The long run fades (half of it counts after FADE_WINDOWS) and needs
 * `samples_min` attempts like a window does: one slow attempt long ago is no verdict. The paper's
 * clusters had room to spare; on a full one an avoided node costs more than its stragglers. Terms
 * of one window throughout were tried: bad nodes then return every second window, which gives away
 * a third of what the screen gains on the workload `facebook`. */
#include "base/sort.h"
#include "core/brain/decider.h"
#include "core/estimate/node_luck.h"
#include "core/parts/parts.h"

#define LOAD_MAX 0.8
enum { TERM_MAX = 8, FADE_WINDOWS = 8 };

#define PARAMS struct blacklist_params
struct blacklist_params {
    double p_b;
    int64_t window_us, samples_min;
};

static const struct field params[] = {
    PARAM_REAL("p_b", p_b, "0.3", 0, 1, "avoid a node predicted to straggle more often"),
    PARAM_TIME("window", window_us, "1h", 1, 1e7, "how long a prediction holds"),
    PARAM_INT("samples_min", samples_min, "3", 1, 1e6,
              "minimum number of attempts that a judgement of a node needs"),
    {0},
};

/* What the screen knows of a node beside its luck. */
struct inmate {
    uint32_t term, left; /* windows of its last conviction, and how many of them are to come */
    uint64_t shown;      /* attempts that showed something since its last term ended */
    double p, last, long_term; /* on which it was convicted */
};

struct convict {
    uint32_t node;
    double p;
};

struct blacklist {
    struct node_luck luck;
    VEC(struct inmate) inmates;
    VEC(struct convict) convicts;
    double use, use_us;        /* share of the cluster in use now; its integral over the window */
    int64_t since_us, from_us; /* when `use` was looked at last, and when the window began */
};

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

/* Takes in how much was in use since it was asked last. */
static void blacklist_before(const struct part_ctx *s)
{
    struct blacklist *d = s->state;
    const struct world *w = s->world;
    d->use_us += d->use * (double)(w->now_us - d->since_us);
    d->since_us = w->now_us;
    d->use = res_sum_dominant(&w->used, &w->capacity);
}

/* The share of the cluster that the window's attempts need: its mean, or what they have now. */
static double window_use(struct blacklist *d, int64_t now_us)
{
    double span_us = (double)(now_us - d->from_us);
    double mean = span_us > 0 ? d->use_us / span_us : 0;
    d->use_us = 0;
    d->from_us = now_us;
    return mean > d->use ? mean : d->use;
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

/* The window is over for this node: serves a window of its term, or judges what it has shown. */
static void blacklist_judge(const struct part_ctx *s, uint32_t node)
{
    struct blacklist *d = s->state;
    struct inmate *m = &d->inmates.at[node];
    uint64_t shown_min = (uint64_t)par(s)->samples_min;
    uint64_t shown = d->luck.nodes.at[node].seen.known;
    double last = node_luck_roll(&d->luck, node, shown_min);
    node_luck_fade(&d->luck, node, FADE_WINDOWS);
    if (m->left > 0 && --m->left > 0)
        return;
    m->shown += shown;
    double long_term = node_luck_long_term(&d->luck, node, shown_min);
    if (m->shown < shown_min || (last < 0 && long_term < 0))
        return;
    last = last < 0 ? long_term : last;
    long_term = long_term < 0 ? last : long_term;
    m->p = (last + long_term) / 2;
    m->last = last;
    m->long_term = long_term;
    m->shown = 0;
    m->term = m->p <= par(s)->p_b ? 0 : m->term == 0 ? 1 : m->term * 2;
    m->term = m->term > TERM_MAX ? TERM_MAX : m->term;
    m->left = m->term;
}

static bool is_worse(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const struct convict *)a)->p > ((const struct convict *)b)->p;
}

static void blacklist_tick(const struct part_ctx *s)
{
    struct blacklist *d = s->state;
    const struct world *w = s->world;
    blacklist_before(s);
    double use = window_use(d, w->now_us);
    vec_clear(&d->convicts);
    for (uint32_t i = 0; i < d->luck.nodes.count; i++) {
        if (i == d->inmates.count)
            vec_push(&d->inmates, (struct inmate){0});
        blacklist_judge(s, i);
        if (d->inmates.at[i].left > 0 && w->nodes.at[i].state == NODE_UP)
            vec_push(&d->convicts, ((struct convict){i, d->inmates.at[i].p}));
    }
    sort_stable(d->convicts.at, d->convicts.count, sizeof *d->convicts.at, is_worse, NULL);
    struct res_sum gone = {{0}};
    uint32_t avoided = 0, stand_in = 0;
    for (uint32_t k = 0; k < d->convicts.count && 2 * (avoided + 1) <= w->nodes.count; k++) {
        uint32_t i = d->convicts.at[k].node;
        const struct inmate *m = &d->inmates.at[i];
        struct res_sum more = gone;
        res_sum_plus(&more, &w->nodes.at[i].capacity);
        if ((1 - res_sum_dominant(&more, &w->capacity)) * LOAD_MAX < use ||
            !has_stand_in(w, i, &stand_in))
            continue;
        gone = more;
        avoided++;
        decider_avoid(s->brain, (struct node_id){i}, w->now_us + par(s)->window_us,
                      &REASON(WHY_BAD_NODE, m->p, par(s)->p_b, m->last, m->long_term));
    }
}

static void blacklist_fini(const struct part_ctx *s)
{
    struct blacklist *d = s->state;
    node_luck_fini(&d->luck);
    vec_free(&d->inmates);
    vec_free(&d->convicts);
}

const struct screen_ops blacklist_screen = {
    .part = {.name = "blacklist",
             .help = "avoids nodes that have made stragglers, a window at a time",
             PART_PARAMS(params),
             .state_size = sizeof(struct blacklist),
             .fini = blacklist_fini,
             .attempt_ended = blacklist_attempt_ended,
             .phase_finished = blacklist_phase_finished,
             .before = blacklist_before,
             PART_TICK(blacklist_tick, window_us)},
};
