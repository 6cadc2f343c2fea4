/* hotcloud.c - Dolly's first form: clone on nodes until the task is safe (HotCloud'12, section 3).
 *
 * Each node has its own probability p_m of making a straggler. A task is cloned onto more nodes
 * until the probability that all of them straggle is small enough for the whole phase to be safe,
 * or the cluster is busy. There is no budget: clones take idle slots only, give them up to any
 * first attempt, and go, newest first, when utilisation crosses the ceiling.
 *
 *   paper                      here
 *   c_o                        only through p^c_o = 1 - (1 - eps)^(1/n), the target (the printed 1
 * - eps^(1/t) is a misprint) p_m, EWMA                  node_luck.h; a node never seen counts as
 * p_prior tau = 70 %                 tau order of the machines      walk: ascending takes the
 * fewest clones, as the prose asks; descending is as printed
 *
 * Changed: taken literally the printed loop stops one clone too early; ours ends when the product
 * has reached the target. */
#include "base/vec.h"
#include "brain/decider.h"
#include "policy/node_luck.h"
#include "policy/parts.h"
#include "policy/place.h"

#include <math.h>

struct hotcloud_params {
    double eps, tau, p_prior;
    int64_t window_us, copies_max, tasks_max;
    int walk;
};

enum { WALK_ASCENDING, WALK_DESCENDING };

#define AT(field) offsetof(struct hotcloud_params, field)
static const struct param params[] = {
    {"eps", PARAM_REAL, AT(eps), "0.05", 1e-9, 1, NULL,
     "accepted probability that a phase straggles"},
    {"tau", PARAM_REAL, AT(tau), "0.7", 0, 1, NULL, "no clones above this utilisation"},
    {"p_prior", PARAM_REAL, AT(p_prior), "0.15", 0, 1, NULL, "for nodes that were never seen"},
    {"window", PARAM_TIME, AT(window_us), "1h", 1, 1e7, NULL, "how often nodes are judged anew"},
    {"copies_max", PARAM_INT, AT(copies_max), "16", 1, 100, NULL, "most attempts of one task"},
    {"tasks_max", PARAM_INT, AT(tasks_max), "0", 0, 1e9, NULL,
     "only jobs with so few tasks; 0: all jobs"},
    {"walk", PARAM_CHOICE, AT(walk), "ascending", 0, 0, "ascending|descending",
     "safest nodes first (fewest clones), or last, as printed"},
    {0},
};

struct hotcloud {
    struct node_luck luck;
    VEC(uint32_t) order;        /* nodes as they are to be tried */
    VEC(struct task_ref) fresh; /* launched in this decide */
};

static const struct hotcloud_params *par(const struct seat *s)
{
    return s->params;
}

static double node_p(const struct seat *s, uint32_t node)
{
    const struct hotcloud *d = s->state;
    return node_luck_p(&d->luck, node, par(s)->p_prior);
}

/* Insertion sort by (p_m, id): the order hardly changes from window to window, and then it is
 * linear. */
static void sort_nodes(const struct seat *s)
{
    struct hotcloud *d = s->state;
    bool down = par(s)->walk == WALK_DESCENDING;
    for (uint32_t i = d->order.count; i < s->world->nodes.count; i++)
        vec_push(&d->order, i);
    for (uint32_t i = 1; i < d->order.count; i++) {
        uint32_t node = d->order.at[i], k = i;
        double p = node_p(s, node);
        for (; k > 0; k--) {
            double before = node_p(s, d->order.at[k - 1]);
            bool wrong = before == p ? d->order.at[k - 1] > node : down ? before < p : before > p;
            if (!wrong)
                break;
            d->order.at[k] = d->order.at[k - 1];
        }
        d->order.at[k] = node;
    }
}

static bool below_tau(const struct seat *s, const struct res_sum *used)
{
    const struct res_sum *capacity = &s->world->capacity;
    for (int i = 0; i < RES_COUNT; i++)
        if (capacity->v[i] > 0 && (double)used->v[i] > par(s)->tau * (double)capacity->v[i] + 1e-6)
            return false;
    return true;
}

/* Whether one more attempt of the phase keeps the cluster below the ceiling. */
static bool has_room(const struct seat *s, const struct phase *p)
{
    struct res_sum used = s->world->used;
    res_sum_add(&used, &p->demand, 1);
    return below_tau(s, &used);
}

static double target_of(const struct seat *s, const struct phase *p)
{
    return -expm1(log1p(-par(s)->eps) / p->count); /* 1 - (1 - eps)^(1/n) */
}

static bool too_large(const struct seat *s, const struct job *j)
{
    return par(s)->tasks_max > 0 && j->tasks > (uint64_t)par(s)->tasks_max;
}

/* Clones wait until every first attempt has its place: see hotcloud_pass. */
static void hotcloud_launched(const struct seat *s, struct attempt *a)
{
    struct hotcloud *d = s->state;
    if (!attempt_phase(a)->clone_never && !too_large(s, a->job))
        vec_push(&d->fresh, ((struct task_ref){a->job->id, a->task, a->phase}));
}

static void clone_task(const struct seat *s, struct phase *p, uint32_t task)
{
    struct hotcloud *d = s->state;
    const struct attempt *first = world_attempt(s->world, p->tasks[task].attempts);
    uint32_t clones = 0;
    double together = node_p(s, first->node.v), target = target_of(s, p);
    if (d->order.count != s->world->nodes.count)
        sort_nodes(s);
    for (uint32_t i = 0; i < d->order.count && together > target * (1 + 1e-12); i++) {
        struct node_id node = {d->order.at[i]};
        struct reason why;
        if (p->tasks[task].live >= par(s)->copies_max || !has_room(s, p) || job_is_full(p->job) ||
            decider_capped(s->brain, &p->demand, 1, &why) || !decider_core_is_idle(s->brain))
            return;
        if (!fit_index_fits(&s->world->fit, node.v, &p->demand) ||
            place_has_sibling(s->world, &p->tasks[task], node.v))
            continue;
        decider_clone(s->brain, p, task, node,
                      &REASON(WHY_UNSAFE_NODES, together, target, ++clones));
        together *= node_p(s, node.v);
    }
}

static void hotcloud_phase_started(const struct seat *s, struct phase *p)
{
    if (p->clone_never)
        decider_verdict(s->brain, p, &REASON_PLAIN(WHY_SIDE_EFFECTS));
    else if (too_large(s, p->job))
        decider_verdict(s->brain, p, &REASON(WHY_NO_NEED, 1, p->count, par(s)->p_prior));
    else if (!has_room(s, p))
        decider_verdict(s->brain, p,
                        &REASON(WHY_OVER_TAU, 1, p->count, par(s)->p_prior, 1,
                                (double)s->world->used.v[RES_CPU] / RES_SLOT,
                                par(s)->tau * (double)s->world->capacity.v[RES_CPU] / RES_SLOT));
    else
        decider_verdict(s->brain, p,
                        &REASON(WHY_UNSAFE_NODES, par(s)->p_prior, target_of(s, p), 0));
}

/* Clones go at once when the cluster gets busy, newest first; those on their way out count as gone.
 */
static void shed(const struct seat *s)
{
    const struct world *w = s->world;
    struct res_sum stay = w->used;
    for (int k = 0; k < RES_COUNT; k++)
        stay.v[k] -= w->clone_dying.v[k];
    for (uint32_t i = w->newest_clone; i != SLOT_NONE && !below_tau(s, &stay);) {
        struct attempt *a = world_attempt(w, i);
        i = world_older_clone(w, i);
        if (a->unwanted || !attempt_is_spare(w, a))
            continue;
        decider_stop(s->brain, a, &REASON_PLAIN(WHY_YIELD));
        res_sum_add(&stay, &attempt_phase(a)->demand, -1);
    }
}

static void hotcloud_pass(const struct seat *s)
{
    struct hotcloud *d = s->state;
    shed(s);
    bool tight = decider_is_tight(s->brain);
    for (uint32_t i = 0; i < d->fresh.count && !tight && !decider_firsts_wait(s->brain); i++) {
        struct task_ref at = d->fresh.at[i];
        struct phase *p = &world_job(s->world, at.job)->phases[at.phase];
        if (task_is_open(&p->tasks[at.task]) && p->tasks[at.task].live > 0)
            clone_task(s, p, at.task);
    }
    vec_clear(&d->fresh);
}

static bool hotcloud_clones_idle(const struct seat *s)
{
    (void)s;
    return true;
}

static void hotcloud_phase_finished(const struct seat *s, struct phase *p)
{
    struct hotcloud *d = s->state;
    node_luck_phase(&d->luck, s->world, p);
}

static void hotcloud_attempt_ended(const struct seat *s, const struct attempt *a, uint8_t type)
{
    struct hotcloud *d = s->state;
    node_luck_late(&d->luck, s->world, a, type);
}

static void hotcloud_tick(const struct seat *s)
{
    struct hotcloud *d = s->state;
    for (uint32_t i = 0; i < d->luck.nodes.count; i++)
        node_luck_roll(&d->luck, i, 1);
    sort_nodes(s);
}

static int64_t hotcloud_tick_us(const struct seat *s)
{
    return par(s)->window_us;
}

static void hotcloud_fini(const struct seat *s)
{
    struct hotcloud *d = s->state;
    node_luck_fini(&d->luck);
    vec_free(&d->order);
    vec_free(&d->fresh);
}

const struct mitigate_ops mitigate_hotcloud = {
    .part = {"dolly-hotcloud",
             "clones a task onto nodes until they are unlikely to straggle together", params,
             sizeof(struct hotcloud_params), sizeof(struct hotcloud)},
    .fini = hotcloud_fini,
    .launched = hotcloud_launched,
    .phase_started = hotcloud_phase_started,
    .clones_idle = hotcloud_clones_idle,
    .pass = hotcloud_pass,
    .attempt_ended = hotcloud_attempt_ended,
    .phase_finished = hotcloud_phase_finished,
    .tick_us = hotcloud_tick_us,
    .tick = hotcloud_tick,
};
