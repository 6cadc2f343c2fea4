/* late.c - LATE: back up the task that will end last (Zaharia et al., OSDI'08, section 4).
 *
 * Looks at the cluster once a second. Among running tasks that have run for at least a minute and
 * are slower than most of their phase, those with the longest time to go get a backup, one each, on
 * a node that is not slow itself, as long as backups hold less than a tenth of the cluster.
 *
 *   paper                here
 *   SpeculativeCap       cap: backup_share, of the slots of all kinds
 *   SlowTaskThreshold    slow_task: quantile of the phase's progress rates, running and finished
 *   SlowNodeThreshold    slow_node: quantile of the nodes' progress per slot and second
 *   one minute           floor
 *   progress score       estimate.h; tasks that report nothing are judged by their siblings
 *
 * Changed: who reads more of other tasks' outputs than the average of its phase is as much slower
 * by right, so its rate counts for more; the paper adds up a node's progress since the cluster
 * began, so that a node that was repaired or is small counts as slow for good; we divide by the
 * slots it had and how long it has been up, which is the same where all nodes are alike. The paper
 * acts when a node asks for work; we look at all nodes at once, every `scan`. `early` lets it act
 * while tasks of the phase still wait, as the variant in Mantri's Figure 17. Ours: `careful`, see
 * speculate.h. */
#include "base/stat.h"
#include "core/brain/decider.h"
#include "core/mitigate/speculate.h"
#include "core/parts/parts.h"

#define PARAMS struct late_params
struct late_params {
    double backup_share, slow_task, slow_node;
    int64_t floor_us, scan_us;
    int early, careful;
};

static const struct field params[] = {
    PARAM_REAL("cap", backup_share, "0.1", 0, 1, "backups hold at most this share of the cluster"),
    PARAM_REAL("slow_task", slow_task, "0.25", 0, 1,
               "quantile of progress rates below which a task is slow"),
    PARAM_REAL("slow_node", slow_node, "0.25", 0, 1,
               "quantile of nodes' progress below which a node gets no backups"),
    PARAM_TIME("floor", floor_us, "60s", 0, 1e6, "how long a task runs before it is judged"),
    SPECULATE_SCAN,
    PARAM_CHOICE("early", early, "no", "no|yes", "may act while tasks of the phase wait"),
    SPECULATE_CAREFUL,
    {0},
};

/* A task that deserves a backup. There may be many, of which few get one: the rest of what was
 * found out about it is found out again. */
struct slow {
    uint32_t index, order; /* order: of its start */
    double left_s;
};

/* Memory for more is given back after a look. */
enum { SLOW_KEPT_MAX = 4096 };

struct late {
    POOL(struct slow) slow; /* during a look */
    VEC(double) scratch;
    bool capped; /* the cap stopped us and we have said so */
};

static double phase_threshold(const struct part_ctx *s, struct phase_look *l)
{
    struct late *d = s->state;
    vec_reserve(&d->scratch, speculate_samples(l->phase));
    uint32_t n = speculate_rates(s, l, d->scratch.at);
    return n ? stat_quantile(d->scratch.at, n, par(s)->slow_task) : 0;
}

static void slow_add(struct late *d, struct slow one)
{
    pool_add(&d->slow);
    d->slow.at[d->slow.count - 1] = one;
}

static void find_slow(const struct part_ctx *s, struct cluster_look *look)
{
    struct late *d = s->state;
    const struct world *w = s->world;
    d->slow.count = 0;
    if (!speculate_may_anywhere(w, par(s)->early))
        return;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *a = world_attempt(w, i);
        if (w->now_us - a->started_us < par(s)->floor_us)
            break; /* all others started later */
        if (!speculate_may(w, a, par(s)->early))
            continue;
        bool is_new;
        struct phase_look *l = speculate_phase(look, attempt_phase(a), &is_new);
        if (is_new)
            l->threshold = phase_threshold(s, l);
        double load = phase_read_load(l->phase, a->task);
        bool alone = l->phase->tasks[a->task].live <= 1;
        if (alone && !(speculate_rate(w, a, l) * load < l->threshold))
            continue; /* as most are, without the rest of an estimate */
        struct estimate est = speculate_best(w, a, l);
        uint32_t order = d->slow.count;
        if (est.rate * load < l->threshold)
            slow_add(d, (struct slow){i, order, est.left_s});
    }
}

static bool ends_later(const struct slow *a, const struct slow *b)
{
    return a->left_s != b->left_s ? a->left_s > b->left_s : a->order < b->order;
}

/* Moves the one that ends last to the front of a heap; its order is total, so how the heap was
 * built does not show. Taking them out one by one costs only as much as backups are launched. */
static void slow_sink(struct late *d, uint32_t i)
{
    for (;;) {
        uint32_t last = i, l = 2 * i + 1, r = l + 1;
        if (l < d->slow.count && ends_later(&d->slow.at[l], &d->slow.at[last]))
            last = l;
        if (r < d->slow.count && ends_later(&d->slow.at[r], &d->slow.at[last]))
            last = r;
        if (last == i)
            return;
        struct slow swap = d->slow.at[i];
        d->slow.at[i] = d->slow.at[last];
        d->slow.at[last] = swap;
        i = last;
    }
}

static struct slow slow_take(struct late *d)
{
    struct slow top = d->slow.at[0];
    d->slow.at[0] = d->slow.at[--d->slow.count];
    slow_sink(d, 0);
    return top;
}

/* How nodes compare in a look, measured when the first one is asked about. */
struct pace {
    bool measured;
    double *total; /* progress of each node per slot and second that it was up */
    double *up;    /* the same of those that are up, in any order ... */
    uint32_t count;
    uint32_t asked;
    double least; /* ... and from which a node is not slow; once asked often */
};

static void pace_measure(const struct part_ctx *s, struct pace *pace)
{
    struct late *d = s->state;
    const struct world *w = s->world;
    uint32_t n = w->nodes.count;
    vec_reserve(&d->scratch, 2 * n);
    *pace = (struct pace){.measured = true, .total = d->scratch.at, .up = d->scratch.at + n};
    double *total = pace->total;
    for (uint32_t i = 0; i < n; i++)
        total[i] = (double)w->nodes.at[i].finished;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *a = world_attempt(w, i);
        if (a->reported)
            total[a->node.v] += a->score;
    }
    for (uint32_t i = 0; i < n; i++) {
        double offered_s = node_offered_s(w, &w->nodes.at[i]);
        total[i] = offered_s > 0 ? total[i] / offered_s : 0;
        if (w->nodes.at[i].state == NODE_UP)
            pace->up[pace->count++] = total[i];
    }
}

/* Whether the node's progress is at least the quantile. To count how many nodes have no more is
 * faster than to find the quantile, as long as few are asked about. */
static bool is_fast(const struct part_ctx *s, struct pace *pace, struct node_id node)
{
    enum { COUNTED = 4 };
    if (!pace->measured)
        pace_measure(s, pace);
    double mine = pace->total[node.v];
    if (pace->count == 0)
        return mine >= 0;
    if (++pace->asked <= COUNTED) {
        size_t below = 0;
        for (uint32_t i = 0; i < pace->count; i++)
            below += pace->up[i] <= mine;
        return below > stat_rank(pace->count, par(s)->slow_node);
    }
    if (pace->asked == COUNTED + 1)
        pace->least = stat_quantile(pace->up, pace->count, par(s)->slow_node);
    return mine >= pace->least;
}

/* A node with room that is not slow and not the task's own. */
static struct node_id pick_fast(const struct part_ctx *s, const struct attempt *a,
                                struct pace *pace)
{
    enum { TRIES = 64 };
    const struct world *w = s->world;
    const struct phase *p = attempt_phase(a);
    struct node_id node = decider_place(s->brain, p, a->task);
    for (int i = 0; i < TRIES && node.v != NODE_NONE.v; i++) {
        if (node.v != a->node.v && is_fast(s, pace, node))
            return node;
        node.v = fit_index_find(&w->fit, p->fit, node.v + 1);
    }
    return NODE_NONE;
}

/* A verdict says so once, when the cap begins to hold. */
static void say_capped(const struct part_ctx *s, const struct phase *p, double held, double limit)
{
    struct late *d = s->state;
    if (!d->capped)
        decider_verdict(s->brain, p, &REASON(WHY_SPECULATION_CAP, held, limit));
    d->capped = true;
}

/* With `early` they are to come before tasks that wait. */
static bool late_backups_yield(const struct part_ctx *s)
{
    return par(s)->careful && !par(s)->early;
}

static void late_tick(const struct part_ctx *s)
{
    if (late_backups_yield(s) && decider_firsts_wait(s->brain))
        return;
    struct late *d = s->state;
    const struct world *w = s->world;
    struct cluster_look look = {0};
    find_slow(s, &look);
    for (uint32_t i = d->slow.count / 2; i-- > 0;)
        slow_sink(d, i);
    struct pace pace = {0};
    while (d->slow.count > 0) {
        struct slow one = slow_take(d);
        const struct attempt *a = world_attempt(w, one.index);
        struct phase *p = attempt_phase(a);
        double held, limit;
        if (!speculate_allows(w, p, par(s)->backup_share, &held, &limit)) {
            say_capped(s, p, held, limit);
            break; /* the others will not fit either, or end sooner */
        }
        d->capped = false;
        struct node_id node = pick_fast(s, a, &pace);
        if (node.v == NODE_NONE.v)
            continue;
        bool is_new;
        struct phase_look *l = speculate_phase(&look, p, &is_new);
        struct estimate est = speculate_best(w, a, l);
        decider_backup(s->brain, p, a->task, node,
                       &REASON(WHY_SLOWEST_LEFT, est.left_s, est.rate, l->threshold,
                               estimate_elapsed_s(w, a), est.by_elapsed));
    }
    speculate_end(&look);
    if (d->slow.cap > SLOW_KEPT_MAX)
        pool_free(&d->slow);
}

/* early: backups come before tasks that wait, so every free slot is offered to them first. */
static void late_before(const struct part_ctx *s)
{
    if (par(s)->early)
        late_tick(s);
}

static void late_fini(const struct part_ctx *s)
{
    struct late *d = s->state;
    pool_free(&d->slow);
    vec_free(&d->scratch);
}

const struct mitigate_ops late_mitigate = {
    .part = {.name = "late",
             .help = "backs up the slow task with the longest time to go",
             PART_PARAMS(params),
             .state_size = sizeof(struct late),
             .fini = late_fini,
             .before = late_before,
             PART_TICK(late_tick, scan_us)},
    .backups_yield = late_backups_yield,
    .reads_progress = true,
    .backs_up = true,
    .reads_running = true,
};
