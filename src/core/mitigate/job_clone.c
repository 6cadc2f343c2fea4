/* job_clone.c - run the whole job several times and take the first copy that ends (HotCloud'12,
 * section 3.3; NSDI'13, section 3.1).
 *
 * The simple form of cloning: nothing inside a job has to change, and one straggler anywhere spoils
 * a whole copy, so it takes many more copies than cloning each task. It is here to be compared
 * with.
 *
 *   paper            here
 *   n                struct job.tasks: the tasks of all phases
 *   p, eps, tau      straggle_p(), parameters of these names
 *   c                at least log eps / log(1 - (1 - p)^n), and no more than fit below tau, the
 *                    first one included: floor((tau C - U) / n)
 *
 * Changed: the printed bound, floor((tau - U + c n) / n), counts U after the copies were started;
 * ours counts it before, when the job's first task is about to run. Everything holds per resource
 * dimension, and a job's own limit of running attempts bounds its copies too. When utilisation
 * crosses tau whole copies go, newest first. `tasks_max` restricts it to small jobs, as in the
 * paper's first experiment (section 2.3). */
#include "core/brain/decider.h"
#include "core/estimate/clone_math.h"
#include "core/estimate/straggle.h"
#include "core/mitigate/bill.h"
#include "core/parts/parts.h"

#define PARAMS struct job_clone_params
struct job_clone_params {
    double eps, tau, p_prior;
    int64_t p_window_us, copies_max, tasks_max;
};

static const struct field params[] = {
    PARAM_REAL("eps", eps, "0.05", 1e-9, 1,
               "accepted probability that every copy of the job straggles"),
    PARAM_REAL("tau", tau, "0.7", 0, 1, "no copies above this utilisation"),
    PARAM_INT("copies_max", copies_max, "16", 1, 100, "most copies of one job"),
    PARAM_INT("tasks_max", tasks_max, "0", 0, 1e9, "only jobs with so few tasks; 0: all jobs"),
    PARAM_REAL("p_prior", p_prior, "0.15", 0, 1,
               "probability of straggling until it has been measured"),
    PARAM_TIME("p_window", p_window_us, "1h", 1, 1e7, "how often it is measured anew"),
    {0},
};

struct job_clone {
    struct straggle straggle;
};

static struct res_sum job_demand(const struct job *j)
{
    struct res_sum sum = {{0}};
    for (uint16_t k = 0; k < j->phase_count; k++)
        res_sum_add(&sum, &j->phases[k].demand, j->phases[k].count);
    return sum;
}

/* How many copies of the job, the first one included, fit below the ceiling now. */
static uint32_t copies_that_fit(const struct part_ctx *s, const struct job *j)
{
    const struct world *w = s->world;
    struct res_sum all = job_demand(j);
    double most = CLONE_MATH_COPIES_MAX;
    for (int i = 0; i < RES_COUNT; i++) {
        double room = par(s)->tau * (double)w->capacity.v[i] - (double)w->used.v[i];
        if (w->capacity.v[i] > 0 && room + 1e-6 < 0)
            return 0; /* the cluster is busy, whether the job needs this or not */
        if (all.v[i] > 0 && room + 1e-6 < most * (double)all.v[i])
            most = (room + 1e-6) / (double)all.v[i];
    }
    if (j->running_max > 0 && j->running_max < most * (double)j->tasks)
        most = (double)j->running_max / (double)j->tasks;
    return (uint32_t)most;
}

static bool job_says_never(const struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        if (j->phases[k].clone_never)
            return true;
    return false;
}

static bool is_first_phase(const struct phase *p)
{
    for (uint16_t k = 0; k < p->job->phase_count; k++)
        if (&p->job->phases[k] != p && p->job->phases[k].started)
            return false;
    return true;
}

/* What is decided about a job is said about each of its phases. */
static void say(const struct part_ctx *s, const struct job *j, const struct reason *why)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        decider_verdict(s->brain, &j->phases[k], why);
}

static void job_clone_phase_started(const struct part_ctx *s, struct phase *p)
{
    const struct job_clone *d = s->state;
    struct job *j = p->job;
    if (j->copy > 0 || !is_first_phase(p))
        return; /* decided when the job began */
    if (job_says_never(j)) {
        say(s, j, &REASON_PLAIN(WHY_SIDE_EFFECTS));
        return;
    }
    double chance = straggle_p(&d->straggle, straggle_prior(&j->phases[0], par(s)->p_prior)),
           n = (double)j->tasks;
    uint32_t wanted = clone_math_job_copies(j->tasks, chance, par(s)->eps);
    if (par(s)->tasks_max > 0 && j->tasks > (uint64_t)par(s)->tasks_max)
        wanted = 1;
    uint32_t most = (uint32_t)par(s)->copies_max, fit = copies_that_fit(s, j);
    uint32_t copies = wanted < most ? wanted : most;
    copies = copies < fit ? copies : fit;
    struct res_sum more = job_demand(j);
    struct reason capped;
    for (int i = 0; i < RES_COUNT && copies > 1; i++)
        more.v[i] *= copies - 1;
    struct bill bill = bill_make(&more, &s->world->used, &s->world->capacity, par(s)->tau);
    if (copies > 1 && decider_capped(s->brain, &more, &capped)) {
        say(s, j, &capped);
    } else if (copies > 1) {
        say(s, j, &REASON(WHY_CLONED, copies, n, chance, bill.charge, bill.used, bill.limit));
        decider_clone_job(s->brain, j, (uint16_t)copies);
    } else if (wanted > 1 && most > 1) {
        say(s, j, &REASON(WHY_OVER_TAU, wanted, n, chance, bill.charge, bill.used, bill.limit));
    } else {
        say(s, j, &REASON(WHY_NO_NEED, 1, n, chance));
    }
}

static bool below_tau(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct res_sum stay = w->used, nothing = {{0}};
    for (int i = 0; i < RES_COUNT; i++)
        stay.v[i] -= w->clone_dying.v[i];
    return bill_make(&nothing, &stay, &w->capacity, par(s)->tau).fits;
}

/* The cluster got busy: the copy of the newest clone goes, and so on; those on their way out count
 * as gone. */
static void job_clone_before(const struct part_ctx *s)
{
    const struct world *w = s->world;
    FOR_CLONES (a, w) {
        if (below_tau(s))
            return;
        if (!a->unwanted && a->job->lead)
            decider_drop_copy(s->brain, a->job, &REASON_PLAIN(WHY_YIELD));
    }
}

static void job_clone_attempt_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct job_clone *d = s->state;
    if (attempt_phase(a)->measured)
        straggle_late(&d->straggle, s->world, a, type == EV_ATTEMPT_FINISHED, par(s)->p_prior,
                      par(s)->p_window_us);
}

static void job_clone_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct job_clone *d = s->state;
    straggle_phase(&d->straggle, p, par(s)->p_prior, s->world->now_us, par(s)->p_window_us);
}

const struct mitigate_ops job_clone_mitigate = {
    .part = {.name = "job-clone",
             .help = "runs whole jobs several times and takes the first copy to end",
             PART_PARAMS(params),
             .state_size = sizeof(struct job_clone),
             .attempt_ended = job_clone_attempt_ended,
             .phase_finished = job_clone_phase_finished,
             .before = job_clone_before},
    .phase_started = job_clone_phase_started,
};
