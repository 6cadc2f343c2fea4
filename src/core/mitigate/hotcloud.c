/* hotcloud.c - Dolly's first form: clone on nodes until the task is safe (HotCloud'12, section 3).
 *
 * Each node has its own probability p_m of making a straggler. A task is cloned onto more nodes
 * until the probability that all of them straggle is small enough for the whole phase to be safe,
 * or the cluster is busy. There is no budget: clones take idle slots only, give them up to any
 * first attempt, and go, newest first, when utilisation crosses the ceiling.
 *
 *   paper                      here
 *   c_o                        only through p^c_o = 1 - (1 - eps)^(1/n), the target; the printed
 *                              1 - eps^(1/t) is a misprint
 *   p_m, EWMA                  node_luck.h; a node never seen counts as p_prior
 *   tau = 70 %                 tau
 *   order of the machines      walk: ascending takes the fewest clones, as the prose asks;
 *                              descending is as printed
 *
 * Changed: taken literally the printed loop stops one clone too early; ours ends when the product
 * has reached the target. The paper clones a task when it is launched; ours is also cloned later,
 * when there is room that was not there then. */
#include "base/sort.h"
#include "base/vec.h"
#include "core/brain/decider.h"
#include "core/estimate/node_luck.h"
#include "core/mitigate/bill.h"
#include "core/parts/parts.h"

#include <math.h>

#define PARAMS struct hotcloud_params
struct hotcloud_params {
    double eps, tau, p_prior;
    int64_t window_us, copies_max, tasks_max;
    int walk;
};

enum { WALK_ASCENDING, WALK_DESCENDING };

static const struct field params[] = {
    PARAM_REAL("eps", eps, "0.05", 1e-9, 1, "accepted probability that a phase straggles"),
    PARAM_REAL("tau", tau, "0.7", 0, 1, "no clones above this utilisation"),
    PARAM_REAL("p_prior", p_prior, "0.15", 0, 1, "for nodes that were never seen"),
    PARAM_TIME("window", window_us, "1h", 1, 1e7, "how often nodes are judged anew"),
    PARAM_INT("copies_max", copies_max, "16", 1, 100, "most attempts of one task"),
    PARAM_INT("tasks_max", tasks_max, "0", 0, 1e9, "only jobs with so few tasks; 0: all jobs"),
    PARAM_CHOICE("walk", walk, "ascending", "ascending|descending",
                 "safest nodes first (fewest clones), or last, as printed"),
    {0},
};

/* A task that runs, and how many of its attempts had ended when it was launched. */
struct unsafe {
    struct task_ref at;
    uint32_t ended;
};

struct hotcloud {
    struct node_luck luck;
    VEC(uint32_t) order;       /* nodes as they are to be tried */
    VEC(struct unsafe) fresh;  /* launched in this decide */
    VEC(struct unsafe) unsafe; /* launched before, too few clones for want of room; newest last */
    uint32_t swept;            /* how many of these there were after the last look at all */
};

enum { VAIN_MAX = 8 }; /* tasks launched before that a decide tries to clone in vain */

static double node_p(const struct part_ctx *s, uint32_t node)
{
    const struct hotcloud *d = s->state;
    return node_luck_p(&d->luck, node, par(s)->p_prior);
}

/* By (p_m, id). */
static bool walk_before(const void *a, const void *b, const void *ctx)
{
    const struct part_ctx *s = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double px = node_p(s, x), py = node_p(s, y);
    bool down = par(s)->walk == WALK_DESCENDING;
    return px == py ? x < y : down ? px > py : px < py;
}

static void sort_nodes(const struct part_ctx *s)
{
    struct hotcloud *d = s->state;
    for (uint32_t i = d->order.count; i < s->world->nodes.count; i++)
        vec_push(&d->order, i);
    sort_stable(d->order.at, d->order.count, sizeof *d->order.at, walk_before, s);
}

static bool below_tau(const struct part_ctx *s, const struct res_sum *used)
{
    static const struct res_sum nothing;
    return bill_make(&nothing, used, &s->world->capacity, par(s)->tau).fits;
}

/* One more attempt of the phase, against the ceiling. */
static struct bill bill_of_one(const struct part_ctx *s, const struct phase *p)
{
    struct res_sum one = {{0}};
    res_sum_plus(&one, &p->demand);
    return bill_make(&one, &s->world->used, &s->world->capacity, par(s)->tau);
}

/* Whether it keeps the cluster below that. */
static bool has_room(const struct part_ctx *s, const struct phase *p)
{
    return bill_of_one(s, p).fits;
}

static double target_of(const struct part_ctx *s, const struct phase *p)
{
    return -expm1(log1p(-par(s)->eps) / p->count); /* 1 - (1 - eps)^(1/n) */
}

static bool too_large(const struct part_ctx *s, const struct job *j)
{
    return par(s)->tasks_max > 0 && j->tasks > (uint64_t)par(s)->tasks_max;
}

static uint32_t ended(const struct task *t)
{
    return (uint32_t)t->launches - t->live;
}

/* Clones wait until every first attempt has its place: see hotcloud_pass. */
static void hotcloud_launched(const struct part_ctx *s, struct attempt *a)
{
    struct hotcloud *d = s->state;
    const struct phase *p = attempt_phase(a);
    if (p->clone_never || too_large(s, a->job))
        return;
    struct unsafe u = {{a->job->id, a->task, a->phase}, ended(&p->tasks[a->task])};
    vec_push(&d->fresh, u);
}

/* The phase of a task that still may be cloned, or NULL. One that has lost an attempt may not: the
 * clones that a busy cluster took away would come and go around the ceiling. */
static struct phase *phase_of(const struct part_ctx *s, const struct unsafe *u)
{
    struct job *j = world_job(s->world, u->at.job);
    if (!j || j->state != JOB_LIVE)
        return NULL;
    struct phase *p = &j->phases[u->at.phase];
    const struct task *t = &p->tasks[u->at.task];
    if (!task_is_open(t) || t->spent || t->live == 0 || ended(t) != u->ended)
        return NULL;
    FOR_ATTEMPTS (a, s->world, t)
        if (a->unwanted)
            return NULL;
    return p;
}

/* How likely it is that all attempts of the task straggle. */
static double together_p(const struct part_ctx *s, const struct task *t)
{
    double together = 1;
    FOR_ATTEMPTS (a, s->world, t)
        together *= node_p(s, a->node.v);
    return together;
}

/* Whether anything but the nodes forbids one more attempt of a task of the phase. */
static bool may_clone(const struct part_ctx *s, const struct phase *p)
{
    struct reason why;
    struct res_sum one = {{0}};
    res_sum_plus(&one, &p->demand);
    return p->open && has_room(s, p) && !job_is_full(p->job) &&
           !decider_capped(s->brain, &one, &why) && decider_core_is_idle(s->brain, p) &&
           decider_group_allows(s->brain, p);
}

enum cloned { CLONED_ENOUGH, CLONED_SOME, CLONED_NONE };

/* Clones the task until it is safe or has as many copies as it may, or there is no room. */
static enum cloned clone_task(const struct part_ctx *s, struct phase *p, uint32_t task)
{
    struct hotcloud *d = s->state;
    const struct task *t = &p->tasks[task];
    if (!may_clone(s, p))
        return CLONED_NONE; /* the most frequent case, before anything is computed */
    enum cloned cloned = CLONED_NONE;
    double together = together_p(s, t), target = target_of(s, p) * (1 + 1e-12);
    if (d->order.count != s->world->nodes.count)
        sort_nodes(s);
    for (uint32_t i = 0; i < d->order.count && together > target; i++) {
        struct node_id node = {d->order.at[i]};
        if (t->live >= par(s)->copies_max)
            return CLONED_ENOUGH;
        if (!may_clone(s, p))
            return cloned;
        if (!fit_index_fits(&s->world->fit, node.v, &p->demand) ||
            task_is_on(s->world, t, node.v) || decider_node_is_pressed(s->brain, p, node))
            continue;
        decider_clone(s->brain, p, task, node,
                      &REASON(WHY_UNSAFE_NODES, together, target_of(s, p), t->live));
        together *= node_p(s, node.v);
        cloned = CLONED_SOME;
    }
    return together > target ? cloned : CLONED_ENOUGH;
}

static void hotcloud_phase_started(const struct part_ctx *s, struct phase *p)
{
    struct bill bill = bill_of_one(s, p);
    if (p->clone_never)
        decider_verdict(s->brain, p, &REASON_PLAIN(WHY_SIDE_EFFECTS));
    else if (too_large(s, p->job))
        decider_verdict(s->brain, p, &REASON(WHY_NO_NEED, 1, p->count, par(s)->p_prior));
    else if (!bill.fits)
        decider_verdict(s->brain, p,
                        &REASON(WHY_OVER_TAU, 1, p->count, par(s)->p_prior, bill.charge, bill.used,
                                bill.limit));
    else
        decider_verdict(s->brain, p,
                        &REASON(WHY_UNSAFE_NODES, par(s)->p_prior, target_of(s, p), 0));
}

/* Clones go at once when the cluster gets busy, newest first; those on their way out count as gone.
 */
static void shed(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct res_sum stay = w->used;
    for (int k = 0; k < RES_COUNT; k++)
        stay.v[k] -= w->clone_dying.v[k];
    FOR_CLONES (a, w) {
        if (below_tau(s, &stay))
            return;
        if (a->unwanted || !attempt_is_spare(w, a))
            continue;
        decider_stop(s->brain, a, &REASON_PLAIN(WHY_YIELD));
        res_sum_add(&stay, &attempt_phase(a)->demand, -1);
    }
}

/* Drops tasks that may not be cloned any more whenever twice as many have gathered. */
static void sweep(const struct part_ctx *s)
{
    struct hotcloud *d = s->state;
    if (d->unsafe.count < 2 * d->swept + 64)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->unsafe.count; i++)
        if (phase_of(s, &d->unsafe.at[i]))
            d->unsafe.at[kept++] = d->unsafe.at[i];
    d->unsafe.count = d->swept = kept;
}

/* The first of the fresh is the last then, and the first to be looked at. */
static void keep_fresh(struct hotcloud *d)
{
    while (d->fresh.count > 0)
        vec_push(&d->unsafe, d->fresh.at[--d->fresh.count]);
}

/* Tasks launched in this decide come first, in that order; then the `old` ones, newest first: these
 * have the most left to do. */
static void clone_unsafe(const struct part_ctx *s, uint32_t old)
{
    struct hotcloud *d = s->state;
    uint32_t vain = 0;
    while (d->unsafe.count > 0 && vain < VAIN_MAX) {
        struct unsafe u = d->unsafe.at[--d->unsafe.count];
        struct phase *p = phase_of(s, &u);
        enum cloned cloned = p ? clone_task(s, p, u.at.task) : CLONED_ENOUGH;
        vain += cloned == CLONED_NONE && d->unsafe.count < old;
        if (cloned != CLONED_ENOUGH)
            vec_push(&d->fresh, u);
    }
    keep_fresh(d);
}

static void hotcloud_pass(const struct part_ctx *s)
{
    struct hotcloud *d = s->state;
    uint32_t old = d->unsafe.count;
    shed(s);
    keep_fresh(d);
    if (!decider_holds_extras(s->brain) && !decider_firsts_wait(s->brain))
        clone_unsafe(s, old);
    sweep(s);
}

static enum clones_when hotcloud_clones_when(const struct part_ctx *s)
{
    (void)s;
    return CLONES_IDLE;
}

static void hotcloud_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct hotcloud *d = s->state;
    node_luck_phase(&d->luck, s->world, p);
}

static void hotcloud_attempt_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct hotcloud *d = s->state;
    node_luck_late(&d->luck, s->world, a, type);
}

static void hotcloud_tick(const struct part_ctx *s)
{
    struct hotcloud *d = s->state;
    for (uint32_t i = 0; i < d->luck.nodes.count; i++)
        node_luck_roll(&d->luck, i, 1);
    sort_nodes(s);
}

static void hotcloud_fini(const struct part_ctx *s)
{
    struct hotcloud *d = s->state;
    node_luck_fini(&d->luck);
    vec_free(&d->order);
    vec_free(&d->fresh);
    vec_free(&d->unsafe);
}

const struct mitigate_ops hotcloud_mitigate = {
    .part = {.name = "dolly-hotcloud",
             .help = "clones a task onto nodes until they are unlikely to straggle together",
             PART_PARAMS(params),
             .state_size = sizeof(struct hotcloud),
             .fini = hotcloud_fini,
             .attempt_ended = hotcloud_attempt_ended,
             .phase_finished = hotcloud_phase_finished,
             PART_TICK(hotcloud_tick, window_us)},
    .launched = hotcloud_launched,
    .phase_started = hotcloud_phase_started,
    .clones_when = hotcloud_clones_when,
    .pass = hotcloud_pass,
};
