/* dolly.c - clone small jobs up front, within a budget (Dolly, NSDI'13, section 3).
 *
 * When a phase's first task is about to run, it gets c attempts per task such that the whole phase
 * straggles with probability eps at most - if all of these clones fit into the budget and the
 * cluster stays below its utilisation ceiling. All or nothing: so small jobs get their clones, and
 * large ones, which would eat the budget, go without (and are left to a reactive partner, if there
 * is one).
 *
 *   paper                   here
 *   p                       straggle_p(): from observed attempts, never from the workload's model
 *   eps, beta, tau          parameters of these names
 *   c                       struct phase.copies: all attempts of a task, the first one included
 *   n                       struct phase.count
 *   C, U                    world.capacity, world.used
 *   B_U                     budget_used()
 *
 * Changed: the pseudocode charges c*n, the prose means the extra attempts, (c-1)*n; `charge`
 * chooses. The paper decides per job; holding the budget for phases that have not begun costs more
 * than it gives, so we decide anew at each phase. Everything holds per resource dimension. Whatever
 * was admitted, no clone is launched that would take extra attempts above beta*C: the budget is a
 * fact at every instant, not a plan. A twentieth of a few nodes is not one attempt; `least` clones
 * fit into any budget. On one machine (`budget=idle`) clones take only what is idle
 * and yield to any first attempt; then neither beta nor tau is needed. */
#include "base/rare.h"
#include "core/brain/decider.h"
#include "core/estimate/clone_math.h"
#include "core/estimate/straggle.h"
#include "core/mitigate/bill.h"
#include "core/parts/parts.h"

enum { BUDGET_CLUSTER, BUDGET_IDLE };
enum { CHARGE_EXTRA, CHARGE_LITERAL };
enum { ADMIT_ALL, ADMIT_PARTIAL, ADMIT_PREEMPT, ADMIT_FCFS };

#define PARAMS struct dolly_params
struct dolly_params {
    double eps, beta, tau, p_prior;
    int64_t p_window_us, copies_max, least;
    int budget, charge, admit;
};

static const struct field params[] = {
    PARAM_REAL("eps", eps, "0.05", 1e-9, 1, "accepted probability that a phase straggles"),
    PARAM_REAL("beta", beta, "0.05", 0, 1, "clone budget as a share of capacity"),
    PARAM_INT("least", least, "0", 0, 1e6,
              "number of clones that the budget allows on the smallest cluster"),
    PARAM_REAL("tau", tau, "0.8", 0, 1, "no clones above this utilisation"),
    PARAM_CHOICE("charge", charge, "extra", "extra|literal",
                 "what cloning costs: (c-1)*n or, as printed, c*n"),
    PARAM_CHOICE(
        "admit", admit, "all", "all|partial|preempt|fcfs",
        "all or nothing; fewer copies; take clones from larger jobs; or no admission at all"),
    PARAM_CHOICE("budget", budget, "cluster", "cluster|idle",
                 "beta of the cluster, or whatever is idle"),
    PARAM_INT("copies_max", copies_max, "16", 1, 100, "most attempts of one task"),
    PARAM_REAL("p_prior", p_prior, "0.15", 0, 1,
               "probability of straggling until it has been measured"),
    PARAM_TIME("p_window", p_window_us, "1h", 1, 1e7, "how often it is measured anew"),
    {0},
};

struct clone_waiting {
    struct job_id job;
    uint16_t phase, copies;
};

struct dolly {
    struct straggle straggle;
    struct res_sum literal;            /* charge=literal: first attempts of cloned phases */
    VEC(struct clone_waiting) waiting; /* admit=preempt: until the killed ones are dead */
};

/* ---- the budget ---- */

/* B_U: what clones hold or will hold, in the way `charge` counts. */
static struct res_sum budget_used(const struct part_ctx *s)
{
    const struct dolly *d = s->state;
    struct res_sum sum;
    for (int i = 0; i < RES_COUNT; i++) {
        sum.v[i] = s->world->clone_held.v[i] + d->literal.v[i];
        if (par(s)->admit != ADMIT_FCFS)
            sum.v[i] += s->world->clone_queued.v[i];
    }
    return sum;
}

/* The budget that the phase with this demand sees, with so much of it used. */
static struct bill budget_bill(const struct part_ctx *s, const struct res_sum *charge,
                               const struct res_sum *used, const struct res *demand)
{
    struct res_sum least = {{0}};
    res_sum_add(&least, demand, par(s)->least);
    return bill_make_least(charge, used, &s->world->capacity, par(s)->beta, &least);
}

static int64_t phase_charged(const struct part_ctx *s, const struct phase *p, uint32_t copies)
{
    return copies <= 1
               ? 0
               : (int64_t)p->count * (par(s)->charge == CHARGE_LITERAL ? copies : copies - 1);
}

/* ---- how many copies ---- */

/* How likely an attempt of the phase is to straggle. */
static double p_of(const struct part_ctx *s, const struct phase *p)
{
    const struct dolly *d = s->state;
    return straggle_p(&d->straggle, straggle_prior(p, par(s)->p_prior));
}

static uint16_t copies_wanted(const struct part_ctx *s, const struct phase *p, uint16_t *upstream)
{
    uint32_t c = clone_math_copies(p->count, p_of(s, p), par(s)->eps);
    if (c > par(s)->copies_max)
        c = (uint32_t)par(s)->copies_max;
    *upstream = UINT16_MAX;
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        uint16_t above = up->cloned || up->clones_queued > 0 ? up->copies : 1;
        *upstream = above < *upstream ? above : *upstream;
    }
    return (uint16_t)c;
}

/* ---- admission ---- */

struct clone_plan {
    const struct part_ctx *s;
    struct phase *p;
    double p_straggle;
    uint16_t copies;
};

static void say(const struct clone_plan *plan, enum reason_code code, const struct bill *bill)
{
    decider_verdict(plan->s->brain, plan->p,
                    &REASON((uint16_t)code, plan->copies, plan->p->count, plan->p_straggle,
                            bill->charge, bill->used, bill->limit));
}

/* charge=literal: the first attempts of a cloned phase count too, until the phase is finished. */
static void literal_charge(const struct part_ctx *s, const struct phase *p, int sign)
{
    struct dolly *d = s->state;
    if (par(s)->charge == CHARGE_LITERAL)
        res_sum_add(&d->literal, &p->demand, (int64_t)sign * p->count);
}

static void clone_phase(const struct clone_plan *plan, const struct bill *bill)
{
    literal_charge(plan->s, plan->p, 1);
    say(plan, WHY_CLONED, bill);
    decider_clone_phase(plan->s->brain, plan->p, plan->copies);
}

static struct bill plan_budget(const struct clone_plan *plan, uint32_t copies)
{
    struct res_sum charge = {{0}}, used = budget_used(plan->s);
    res_sum_add(&charge, &plan->p->demand, phase_charged(plan->s, plan->p, copies));
    return budget_bill(plan->s, &charge, &used, &plan->p->demand);
}

static struct bill plan_ceiling(const struct clone_plan *plan, uint32_t copies)
{
    struct res_sum charge = {{0}};
    res_sum_add(&charge, &plan->p->demand, phase_charged(plan->s, plan->p, copies));
    return bill_make(&charge, &plan->s->world->used, &plan->s->world->capacity, par(plan->s)->tau);
}

/* The largest number of copies that fits; 1 when not even one clone per task does. */
static bool admit_partial(struct clone_plan *plan)
{
    uint16_t wanted = plan->copies;
    while (--plan->copies > 1) {
        struct bill bill = plan_budget(plan, plan->copies);
        if (bill.fits && plan_ceiling(plan, plan->copies).fits) {
            decider_verdict(plan->s->brain, plan->p,
                            &REASON(WHY_PARTIAL, plan->copies, wanted, plan->p->count, bill.charge,
                                    bill.used, bill.limit));
            literal_charge(plan->s, plan->p, 1);
            decider_clone_phase(plan->s->brain, plan->p, plan->copies);
            return true;
        }
    }
    plan->copies = wanted;
    return false;
}

/* Ends clones of larger jobs, newest first, until the plan will fit once they are dead. Nothing is
 * done when even all of them would not be enough. */
static bool admit_preempt(const struct clone_plan *plan)
{
    const struct world *w = plan->s->world;
    struct dolly *d = plan->s->state;
    struct res_sum charge = {{0}}, used = budget_used(plan->s);
    res_sum_add(&charge, &plan->p->demand, phase_charged(plan->s, plan->p, plan->copies));
    for (int act = 0; act < 2; act++) {
        struct res_sum left = used;
        FOR_CLONES (a, w) {
            if (budget_bill(plan->s, &charge, &left, &plan->p->demand).fits)
                break;
            if (!a->unwanted && (a->job->tasks <= plan->p->job->tasks || attempt_is_new(w, a) ||
                                 !attempt_is_spare(w, a)))
                continue;
            res_sum_add(&left, &attempt_phase(a)->demand, -1);
            if (!act)
                continue;
            decider_cancel_clones(plan->s->brain, attempt_phase(a));
            decider_stop(plan->s->brain, a,
                         &REASON(WHY_PREEMPTED, plan->p->job->id.v, (double)plan->p->job->tasks,
                                 (double)a->job->tasks));
        }
        struct bill bill = budget_bill(plan->s, &charge, &left, &plan->p->demand);
        if (!bill.fits)
            return false;
    }
    struct bill now = plan_budget(plan, plan->copies);
    say(plan, WHY_WAIT_PREEMPT, &now);
    vec_push(&d->waiting, ((struct clone_waiting){plan->p->job->id, plan->p->index, plan->copies}));
    return true;
}

static bool admits_freely(const struct part_ctx *s)
{
    return par(s)->budget == BUDGET_IDLE || par(s)->admit == ADMIT_FCFS;
}

static void dolly_phase_started(const struct part_ctx *s, struct phase *p)
{
    uint16_t upstream;
    struct clone_plan plan = {s, p, p_of(s, p), 1};
    plan.copies = copies_wanted(s, p, &upstream);
    struct bill bill = {true, 0, 0, 0};

    if (p->clone_never) {
        decider_verdict(s->brain, p, &REASON_PLAIN(WHY_SIDE_EFFECTS));
        return;
    }
    if (plan.copies > 1 && upstream <= 1) {
        decider_verdict(
            s->brain, p,
            &REASON(WHY_UPSTREAM_COPIES, plan.copies, p->count, plan.p_straggle, upstream));
        return;
    }
    if (plan.copies > upstream)
        plan.copies = upstream;
    if (plan.copies <= 1) {
        say(&plan, WHY_NO_NEED, &bill);
        return;
    }
    bill = plan_budget(&plan, plan.copies);
    struct bill ceiling = plan_ceiling(&plan, plan.copies);
    if (admits_freely(s) || (bill.fits && ceiling.fits))
        clone_phase(&plan, &bill);
    else if (par(s)->admit == ADMIT_PARTIAL && admit_partial(&plan))
        return;
    else if (par(s)->admit == ADMIT_PREEMPT && ceiling.fits && admit_preempt(&plan))
        return;
    else
        say(&plan, bill.fits ? WHY_OVER_TAU : WHY_OVER_BUDGET, bill.fits ? &ceiling : &bill);
}

/* ---- while it runs ---- */

static enum clone_leave dolly_clone_may_start(const struct part_ctx *s, const struct phase *p)
{
    if (par(s)->budget == BUDGET_IDLE)
        return CLONE_MAY_START;
    const struct world *w = s->world;
    struct res_sum one = {{0}};
    res_sum_add(&one, &p->demand, 1);
    bool fits = budget_bill(s, &one, &w->clone_held, &p->demand).fits &&
                bill_make(&one, &w->used, &w->capacity, par(s)->tau).fits;
    return fits ? CLONE_MAY_START : CLONES_ALIKE_MUST_WAIT;
}

static enum clones_when dolly_clones_when(const struct part_ctx *s)
{
    return par(s)->budget == BUDGET_IDLE ? CLONES_IDLE : CLONES_AMONG;
}

/* First come, first served: a large job that came first keeps the budget to itself. */
static enum clones_order dolly_clones_order(const struct part_ctx *s)
{
    return par(s)->budget == BUDGET_CLUSTER && par(s)->admit == ADMIT_FCFS ? CLONES_BY_ARRIVAL
                                                                           : CLONES_IN_ORDER;
}

static void dolly_attempt_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct dolly *d = s->state;
    if (attempt_phase(a)->measured)
        straggle_late(&d->straggle, s->world, a, type == EV_ATTEMPT_FINISHED, par(s)->p_prior,
                      par(s)->p_window_us);
}

static void dolly_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct dolly *d = s->state;
    straggle_phase(&d->straggle, p, par(s)->p_prior, s->world->now_us, par(s)->p_window_us);
    if (p->copies > 1)
        literal_charge(s, p, -1);
}

static void dolly_job_over(const struct part_ctx *s, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (j->phases[k].copies > 1 && !j->phases[k].measured)
            literal_charge(s, &j->phases[k], -1);
}

/* Capacity was taken away: the newest clones go until the rest fits again. */
RARE static void shrink(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct res_sum none = {{0}}, held = w->clone_held;
    FOR_CLONES (a, w) {
        struct bill bill = budget_bill(s, &none, &held, &attempt_phase(a)->demand);
        if (bill.fits)
            return;
        if (!a->unwanted && !attempt_is_spare(w, a))
            continue;
        decider_stop(s->brain, a, &REASON(WHY_BUDGET_SHRANK, bill.used, bill.limit));
        res_sum_add(&held, &attempt_phase(a)->demand, -1);
    }
}

/* Jobs for which others were preempted get their clones once there is room. */
RARE static void admit_waiting(const struct part_ctx *s)
{
    struct dolly *d = s->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->waiting.count; i++) {
        struct clone_waiting wait = d->waiting.at[i];
        struct job *j = world_job(s->world, wait.job);
        if (!j || j->state != JOB_LIVE || j->phases[wait.phase].measured)
            continue;
        struct phase *p = &j->phases[wait.phase];
        struct clone_plan plan = {s, p, p_of(s, p), wait.copies};
        struct bill bill = plan_budget(&plan, plan.copies);
        if (bill.fits)
            clone_phase(&plan, &bill);
        else
            d->waiting.at[kept++] = wait;
    }
    d->waiting.count = kept;
}

static void dolly_before(const struct part_ctx *s)
{
    const struct dolly *d = s->state;
    if (d->waiting.count > 0)
        admit_waiting(s);
}

static void dolly_pass(const struct part_ctx *s)
{
    const struct world *w = s->world;
    if (par(s)->budget == BUDGET_CLUSTER &&
        !bill_is_within(&w->clone_held, &w->capacity, par(s)->beta))
        shrink(s);
}

static void dolly_fini(const struct part_ctx *s)
{
    struct dolly *d = s->state;
    vec_free(&d->waiting);
}

const struct mitigate_ops dolly_mitigate = {
    .part = {.name = "dolly",
             .help = "clones every task of small jobs up front, within a budget",
             PART_PARAMS(params),
             .state_size = sizeof(struct dolly),
             .fini = dolly_fini,
             .attempt_ended = dolly_attempt_ended,
             .phase_finished = dolly_phase_finished,
             .before = dolly_before},
    .phase_started = dolly_phase_started,
    .clone_may_start = dolly_clone_may_start,
    .clones_when = dolly_clones_when,
    .clones_order = dolly_clones_order,
    .job_over = dolly_job_over,
    .pass = dolly_pass,
};
