/* protect.c - replicates outputs that are expensive to make again, and recomputes early those on a
 * machine that has begun to lose outputs (Mantri, OSDI'10, section 5.3).
 *
 * When a task is committed its output has a price: the probability r that its node loses it, times
 * the time to run the task again, plus, since its own input may be lost by then, the worst price of
 * an input by the same rule. A replica costs the time to copy the output within the rack. The
 * output is replicated if its price is higher, and if the job has tokens for it: each task that is
 * done grants a share of the bytes it has read, a replica takes its bytes. So outputs are
 * replicated that are on flaky nodes, are the result of many steps, or are small.
 *
 *   paper                       here
 *   r_i                         redo_r: losses over outputs of the node, halved every `memory`,
 *                               and a prior
 *   t_redo, recursive           guard.cost_s; a replicated output is lost with the product of the
 *                               r's of its nodes
 *   t_rep                       bytes / `rate`, which follows the copies that were measured
 *   tokens, 10 %                `replicate` x bytes read by the job's tasks that are done
 *   pre-computation, its budget `after` losses on a node, each within `quick` of the one before:
 *                               its other outputs that are still needed and have no replica are
 *                               made again elsewhere, as long as that takes no more than
 *                               `precompute` of the cluster's time so far
 *
 * A pre-computed output is a spare: the task stays done, and if its output is lost the spare is
 * committed at once. Losses are noticed when a task reads, one by one, so further losses on the
 * same node are probable but not known.
 *
 * Changed: the paper does not say where pre-computations run; here they are placed like any
 * attempt, but not on the suspect node, and before first attempts, as the budget is small. Tasks
 * with side effects and cloned phases are not pre-computed. Where a body refuses to replicate at
 * all (one machine, one disk) it is not asked again. */
#include "core/brain/decider.h"
#include "core/estimate/racks.h"
#include "core/estimate/redo.h"
#include "core/parts/parts.h"

#define PARAMS struct protect_params
struct protect_params {
    double replicate, precompute, r_prior, r_weight, rate;
    int64_t after, quick_us, memory_us;
};

static const struct field params[] = {
    PARAM_REAL(
        "replicate", replicate, "0.1", 0, 1e6,
        "replicated bytes of a job, at most this share of those its tasks have read; 0: none"),
    PARAM_REAL("precompute", precompute, "0.02", 0, 1,
               "share of the cluster's time that pre-computation may take; 0: none"),
    PARAM_INT("after", after, "1", 1, 100,
              "losses on a node in quick succession that start pre-computation"),
    PARAM_TIME("quick", quick_us, "5m", 0, 1e7,
               "losses within this time of each other are in "
               "quick succession"),
    PARAM_TIME("memory", memory_us, "24h", 1, 1e9, "what a node lost counts half after this time"),
    PARAM_REAL("r_prior", r_prior, "0.001", 0, 1,
               "probability that an unknown node loses an output"),
    PARAM_REAL("r_weight", r_weight, "20", 0.001, 1e6,
               "weight of that probability, as a number "
               "of outputs"),
    PARAM_REAL("rate", rate, "100", 0.001, 1e9,
               "MB per second at which outputs are copied, until copies were measured"),
    {0},
};

enum copy_state { COPY_NONE, COPY_ASKED, COPY_THERE };

/* What is kept about a task. */
struct guarded {
    float base_s;        /* time to make it again: the task and its worst input */
    float cost_s;        /* that x the probability that it is lost */
    struct node_id home; /* where its output is ... */
    struct node_id copy; /* ... and where else, or will be */
    uint8_t state;       /* enum copy_state */
    int64_t asked_us;
};

/* What is kept about a phase: one block. */
struct guard {
    double granted, spent; /* tokens, in bytes */
    double worst_s;        /* greatest cost of a task ... */
    bool stale;            /* ... unless some have fallen since */
    uint32_t replicated, cheap, no_tokens, no_node;
    struct guarded tasks[];
};

struct output_ref {
    struct job_id job;
    uint32_t task;
    uint16_t phase;
};

/* Outputs committed on a node, some of them long gone. */
struct protect_held {
    VEC(struct output_ref) at;
    uint32_t tidy_at; /* looked through when it has this many entries */
};

/* A node that has begun to lose outputs. */
struct suspect {
    struct node_id node;
    int64_t until_us;
    uint32_t next; /* of its outputs */
    uint32_t losses;
};

struct protect {
    struct racks racks;
    struct redo_nodes nodes;
    VEC(struct protect_held) held; /* by node */
    VEC(struct suspect) suspects;
    double rate;      /* bytes per second; 0: none measured */
    double used_s;    /* slot-seconds of pre-computation */
    bool unsupported; /* the body cannot replicate */
};

static struct redo_belief belief(const struct part_ctx *s)
{
    return (struct redo_belief){par(s)->r_prior, par(s)->r_weight, par(s)->memory_us,
                                par(s)->quick_us};
}

static double node_r(const struct part_ctx *s, struct node_id node)
{
    const struct protect *d = s->state;
    struct redo_belief b = belief(s);
    return redo_r(&d->nodes, &b, node, s->world->now_us);
}

static void *protect_guard(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    struct guard *g = mem_zalloc(1, sizeof *g + p->count * sizeof g->tasks[0]);
    return g;
}

/* ---- the price of an output ---- */

static double phase_worst_s(struct phase *p)
{
    struct guard *g = p->guard;
    if (!g)
        return 0;
    if (g->stale) {
        g->worst_s = 0;
        for (uint32_t t = 0; t < p->count; t++)
            if ((double)g->tasks[t].cost_s > g->worst_s)
                g->worst_s = (double)g->tasks[t].cost_s;
        g->stale = false;
    }
    return g->worst_s;
}

static double edge_worst_s(const struct phase *p, uint16_t e, uint32_t task)
{
    struct phase *above = &p->job->phases[p->edges[e].from];
    const struct guard *g = above->guard;
    if (p->edges[e].pattern == EDGE_ALL_TO_ALL || !g)
        return phase_worst_s(above);
    struct job_span span = job_edge_span(&p->edges[e], above->count, p->count, task);
    double worst = 0;
    for (uint32_t t = span.from; t < span.to; t++)
        if ((double)g->tasks[t].cost_s > worst)
            worst = (double)g->tasks[t].cost_s;
    return worst;
}

/* The price follows from the nodes that have the output. */
static void price(const struct part_ctx *s, struct guard *g, uint32_t task)
{
    struct guarded *x = &g->tasks[task];
    double r = node_r(s, x->home) * (x->state == COPY_THERE ? node_r(s, x->copy) : 1);
    float before = x->cost_s;
    x->cost_s = (float)redo_cost_s(r, (double)x->base_s, 0);
    if ((double)x->cost_s > g->worst_s)
        g->worst_s = (double)x->cost_s;
    g->stale |= x->cost_s < before;
}

/* Bytes that the task has read: of others, its own parts where these were told. */
static double bytes_read(const struct phase *p, uint32_t task)
{
    double bytes = (double)phase_own_bytes(p, task);
    bytes += p->read_bytes ? (double)p->read_bytes[task] : 0;
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *above = &p->job->phases[p->edges[e].from];
        if (!above->outputs)
            continue;
        if (p->edges[e].pattern == EDGE_ALL_TO_ALL && above->partition_count == p->count)
            continue; /* these are counted */
        /* Outputs of a phase are about alike; summing them for every reader costs too much. */
        struct job_span span = job_edge_span(&p->edges[e], above->count, p->count, task);
        double share = p->edges[e].pattern == EDGE_ALL_TO_ALL ? 1.0 / p->count : 1;
        if (span.from < span.to)
            bytes +=
                share * (double)(span.to - span.from) * (double)above->outputs[span.from].bytes;
    }
    return bytes;
}

static double job_tokens(const struct job *j)
{
    double tokens = 0;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct guard *g = j->phases[k].guard;
        tokens += g ? g->granted - g->spent : 0;
    }
    return tokens;
}

/* ---- replicas ---- */

/* The node of the rack that loses least, other than this one; NODE_NONE: there is none. */
static struct node_id partner(const struct part_ctx *s, struct node_id node, uint32_t turn)
{
    struct protect *d = s->state;
    const struct world *w = s->world;
    racks_update(&d->racks, w);
    uint32_t rack = w->nodes.at[node.v].rack;
    struct node_id best = NODE_NONE;
    double best_r = 2;
    for (uint32_t i = 0, size = racks_size(&d->racks, rack); i < size; i++) {
        struct node_id other = {racks_node(&d->racks, rack, (uint64_t)turn + i)};
        if (other.v == node.v || w->nodes.at[other.v].state != NODE_UP)
            continue;
        double r = node_r(s, other);
        if (r < best_r) {
            best = other;
            best_r = r;
        }
    }
    return best;
}

static void replicate_if_it_pays(const struct part_ctx *s, struct phase *p, uint32_t task)
{
    struct protect *d = s->state;
    struct guard *g = p->guard;
    struct guarded *x = &g->tasks[task];
    double bytes = p->outputs ? (double)p->outputs[task].bytes : 0;
    double copy_s = bytes / (d->rate > 0 ? d->rate : par(s)->rate * 1e6);
    double tokens = job_tokens(p->job);
    if (bytes <= 0 || !redo_pays((double)x->cost_s, copy_s)) {
        g->cheap++;
        return;
    }
    if (bytes > tokens) {
        g->no_tokens++;
        return;
    }
    struct node_id node = d->unsupported ? NODE_NONE : partner(s, x->home, p->job->id.v + task);
    if (node.v == NODE_NONE.v) {
        g->no_node++;
        return;
    }
    g->spent += bytes;
    g->replicated++;
    x->state = COPY_ASKED;
    x->copy = node;
    x->asked_us = s->world->now_us;
    decider_replicate(s->brain, p, task, node,
                      &REASON(WHY_REDO_COSTS, (double)x->cost_s, copy_s, node_r(s, x->home), bytes,
                              tokens - bytes));
}

static bool output_is_gone(const struct world *w, const struct output_ref *o, uint32_t node)
{
    const struct job *j = world_job(w, o->job);
    if (!j || j->state != JOB_LIVE)
        return true;
    const struct guard *g = j->phases[o->phase].guard;
    return !g || g->tasks[o->task].home.v != node;
}

/* Notes the output as one of its node, and forgets those of jobs that are over. */
static void hold(const struct part_ctx *s, const struct phase *p, uint32_t task,
                 struct node_id node)
{
    struct protect *d = s->state;
    while (d->held.count <= node.v)
        vec_push(&d->held, ((struct protect_held){.tidy_at = 64}));
    struct protect_held *h = &d->held.at[node.v];
    bool walked = false; /* positions in the list are remembered */
    for (uint32_t i = 0; i < d->suspects.count; i++)
        walked |= d->suspects.at[i].node.v == node.v;
    if (h->at.count >= h->tidy_at && !walked) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < h->at.count; i++)
            if (!output_is_gone(s->world, &h->at.at[i], node.v))
                h->at.at[kept++] = h->at.at[i];
        h->at.count = kept;
        h->tidy_at = 2 * kept + 64;
    }
    vec_push(&h->at, ((struct output_ref){p->job->id, task, p->index}));
}

/* A job that was ever cloned as a whole has copies of its outputs anyway. */
static bool is_plain(const struct job *j)
{
    return j->copy == 0 && !j->copies && !j->holds;
}

static void protect_won(const struct part_ctx *s, struct phase *p, uint32_t task)
{
    struct protect *d = s->state;
    struct guard *g = p->guard;
    struct redo_belief b = belief(s);
    g->granted += par(s)->replicate * bytes_read(p, task);
    if (p->consumer_count == 0 || !is_plain(p->job))
        return; /* the final result: it is durable */
    const struct task *t = &p->tasks[task];
    struct guarded *x = &g->tasks[task];
    double input_s = 0;
    for (uint16_t e = 0; e < p->edge_count; e++) {
        double worst = edge_worst_s(p, e, task);
        input_s = worst > input_s ? worst : input_s;
    }
    *x = (struct guarded){.base_s = t->took_us / 1e6F + (float)input_s,
                          .home = p->outputs[task].node};
    redo_made(&d->nodes, &b, p->outputs[task].node, s->world->now_us);
    hold(s, p, task, p->outputs[task].node);
    price(s, g, task);
    replicate_if_it_pays(s, p, task);
}

static void protect_phase_finished(const struct part_ctx *s, struct phase *p)
{
    const struct guard *g = p->guard;
    if (g && p->consumer_count > 0 && is_plain(p->job))
        decider_verdict(s->brain, p,
                        &REASON(WHY_PROTECTED, g->replicated, g->cheap, g->no_tokens, g->no_node));
}

/* ---- what becomes of copies ---- */

/* A copy is gone. Where the node itself is, everybody knows what else is. */
static void loss(const struct part_ctx *s, struct node_id node)
{
    struct protect *d = s->state;
    const struct world *w = s->world;
    struct redo_belief b = belief(s);
    uint32_t losses = redo_lost(&d->nodes, &b, node, w->now_us);
    if (losses < par(s)->after || par(s)->precompute <= 0 || node.v >= w->nodes.count ||
        w->nodes.at[node.v].state == NODE_DOWN || node.v >= d->held.count)
        return;
    int64_t until_us = w->now_us + par(s)->quick_us;
    for (uint32_t i = 0; i < d->suspects.count; i++)
        if (d->suspects.at[i].node.v == node.v) {
            d->suspects.at[i].until_us = until_us;
            d->suspects.at[i].losses = losses;
            d->suspects.at[i].next = 0;
            return;
        }
    vec_push(&d->suspects, ((struct suspect){node, until_us, 0, losses}));
}

static void copy_refused(struct guard *g, struct phase *p, uint32_t task)
{
    g->spent -= (double)p->outputs[task].bytes;
    g->replicated--;
    g->no_node++;
    g->tasks[task].state = COPY_NONE;
}

static void protect_output_event(const struct part_ctx *s, struct phase *p, uint32_t task,
                                 const struct event *e)
{
    struct protect *d = s->state;
    struct guard *g = p->guard;
    struct guarded *x = &g->tasks[task];
    bool asked = x->state == COPY_ASKED;
    if (e->type == EV_REFUSED) {
        if (asked)
            copy_refused(g, p, task);
        d->unsupported |= e->cause == CAUSE_SYSTEM;
        return;
    }
    if (e->type == EV_REPLICA_DONE && asked && e->node.v == x->copy.v) {
        x->state = COPY_THERE;
        double took_s = (double)(s->world->now_us - x->asked_us) / 1e6;
        double rate = took_s > 0 ? (double)p->outputs[task].bytes / took_s : 0;
        if (rate > 0)
            d->rate = d->rate > 0 ? 0.8 * d->rate + 0.2 * rate : rate;
        price(s, g, task);
        return;
    }
    if (e->type == EV_REPLICA_FAILED && asked && e->node.v == x->copy.v) {
        copy_refused(g, p, task);
        return;
    }
    if (e->type == EV_REPLICA_FAILED && x->state == COPY_THERE) {
        if (e->node.v == x->home.v) {
            x->home = x->copy;
            hold(s, p, task, x->home);
        }
        x->state = COPY_NONE;
        price(s, g, task);
        loss(s, e->node);
    }
    if (e->type == EV_OUTPUT_LOST) {
        x->state = COPY_NONE;
        x->cost_s = 0;
        g->stale = true;
        loss(s, e->node);
        x->home = NODE_NONE;
    }
}

/* ---- pre-computation ---- */

/* Outputs above that are lost come first: an early reader would have to make room for them. */
static bool inputs_are_whole(const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (up->done < up->count)
            return false;
    }
    return true;
}

/* Whether the output should be made again in time; its phase in *p. */
static bool wants_spare(const struct part_ctx *s, const struct output_ref *o, struct node_id node,
                        struct phase **p)
{
    struct job *j = world_job(s->world, o->job);
    if (!j || j->state != JOB_LIVE || !is_plain(j))
        return false;
    *p = &j->phases[o->phase];
    const struct task *t = &(*p)->tasks[o->task];
    const struct guard *g = (*p)->guard;
    return g && g->tasks[o->task].home.v == node.v && g->tasks[o->task].state != COPY_THERE &&
           t->state == TASK_DONE && t->live == 0 && t->finished == 0 && !(*p)->cloned &&
           !(*p)->clone_never && phase_has_readers_left(*p) && inputs_are_whole(*p);
}

/* Another node than the suspect one. */
static struct node_id place_elsewhere(const struct part_ctx *s, const struct phase *p,
                                      uint32_t task, struct node_id suspect)
{
    struct node_id node = decider_place(s->brain, p, task);
    if (node.v == suspect.v)
        node.v = fit_index_find(&s->world->fit, p->fit, suspect.v + 1);
    return node.v == suspect.v || node.v == FIT_NONE ? NODE_NONE : node;
}

/* Goes on with the outputs of a suspect node; false when it is to be looked at again. */
static bool precompute(const struct part_ctx *s, struct suspect *x)
{
    struct protect *d = s->state;
    const struct world *w = s->world;
    const struct protect_held *h = &d->held.at[x->node.v];
    if (w->now_us > x->until_us || w->nodes.at[x->node.v].state == NODE_DOWN)
        return true;
    for (; x->next < h->at.count; x->next++) {
        struct output_ref o = h->at.at[x->next];
        struct phase *p;
        if (!wants_spare(s, &o, x->node, &p))
            continue;
        struct res_sum one = {{0}};
        res_sum_add(&one, &p->demand, 1);
        double cost_s = (double)p->tasks[o.task].took_us / 1e6 * res_sum_slots(&w->kinds, &one);
        double budget_s =
            par(s)->precompute * res_sum_slots(&w->kinds, &w->capacity) * (double)w->now_us / 1e6;
        if (d->used_s + cost_s > budget_s)
            return false;
        if (!fit_index_any(&w->fit, p->fit))
            return false;
        struct node_id node = place_elsewhere(s, p, o.task, x->node);
        if (node.v == NODE_NONE.v)
            continue; /* its input is lost, or its job may not */
        d->used_s += cost_s;
        decider_precompute(s->brain, p, o.task, node,
                           &REASON(WHY_PRECOMPUTE, x->losses, x->node.v, d->used_s, budget_s));
    }
    return true;
}

static void protect_before(const struct part_ctx *s)
{
    struct protect *d = s->state;
    uint32_t kept = 0;
    if (decider_holds_extras(s->brain))
        return; /* they are looked at again */
    for (uint32_t i = 0; i < d->suspects.count; i++) {
        struct suspect x = d->suspects.at[i];
        if (!precompute(s, &x))
            d->suspects.at[kept++] = x;
    }
    d->suspects.count = kept;
}

static void protect_fini(const struct part_ctx *s)
{
    struct protect *d = s->state;
    racks_fini(&d->racks);
    redo_nodes_fini(&d->nodes);
    for (uint32_t i = 0; i < d->held.count; i++)
        vec_free(&d->held.at[i].at);
    vec_free(&d->held);
    vec_free(&d->suspects);
}

const struct protect_ops protect_mantri = {
    .part = {.name = "mantri",
             .help = "replicates outputs that are expensive to lose, and recomputes lost ones "
                     "early",
             PART_PARAMS(params),
             .state_size = sizeof(struct protect),
             .fini = protect_fini,
             .phase_finished = protect_phase_finished,
             .before = protect_before,
             .reads_outputs = true},
    .guard = protect_guard,
    .won = protect_won,
    .output_event = protect_output_event,
};
