/* sim_run.c - joins a brain, the simulated body, the journal and the statistics for one run.
 *
 * Nothing is kept from one run to the next: the workload is read again and the brain is a new one,
 * so a policy's numbers do not depend on which others are compared with it. The journal is always
 * there, for its digest; without --journal it just has no file. */
#include "commands/sim/sim_run.h"

#include <stdbool.h>
#include <sys/resource.h>

#include "base/os/clock.h"
#include "commands/sim/estimate_watch.h"
#include "core/policy/policy.h"
#include "inputs/cluster/about.h"
#include "record/run/run.h"
#include "record/stats/detail.h"
#include "record/stats/phase_times.h"
#include "record/stats/summary.h"
#include "sim/sim.h"
#include "ui/cli.h"

/* Mantri's Delta, by default. */
#define ESTIMATES_DELTA_US INT64_C(10000000)

/* The pieces of a run; each is NULL until made. */
struct sim_pieces {
    struct workload *workload;
    struct run *run;
    struct sim *sim;
    struct follow *follow;
    struct summary *summary;
    struct estimate_watch *estimates;
    struct phase_times *phases; /* only where they are asked for */
    struct detail *detail;      /* only with --detail */
    bool drains;                /* no jobs come after the measured ones */
};

/* Those that were asked for: others run before and after them. */
static uint64_t jobs_over(const void *ctx)
{
    return ((const struct sim_pieces *)ctx)->follow->measured_over;
}

static uint64_t events(const void *ctx)
{
    return sim_event_count(((const struct sim_pieces *)ctx)->sim);
}

static void tell_about(const struct sim_args *a, struct str *to)
{
    const char *workload = a->workload ? a->workload : a->named.name;
    struct about_hash jobs = about_hash(a->workload), machines = about_hash(a->cluster_name);
    struct str options = {0};

    str_addf(&options, "jobs=%llu warmup=%lldus load=", (unsigned long long)a->jobs,
             (long long)a->warmup_us);
    str_add_real(&options, a->scale.load);
    if (a->trace.import) {
        str_add(&options, " time=");
        str_add_real(&options, a->scale.time);
        str_addf(&options, " variation=%s", sim_trace_reading(a->trace.view.vary));
    }
    if (a->trace.window)
        str_addf(&options, " window=%s", a->trace.window);
    str_add(&options, " expect_error=");
    str_add_real(&options, a->expect_error);
    if (a->said.expect)
        str_addf(&options, " expect=%s", a->said.expect);
    about_write(&(struct about){.program = "dolly " DOLLY_VERSION,
                                .workload = workload,
                                .workload_hash = jobs.text,
                                .cluster_name = a->cluster_name,
                                .cluster_hash = machines.text,
                                .options = options.text},
                a->cluster, to);
    str_free(&options);
}

/* A yardstick leaves no journal. */
static struct run *open_run(const struct sim_args *a, uint32_t p, uint32_t k, struct err *err)
{
    struct path path = {0};
    struct str about = {0};
    bool yardstick = p >= a->count, kept = a->journal && !yardstick;

    if (kept) {
        path = sim_args_journal(a, p, k);
        tell_about(a, &about);
    }
    struct journal_options journal = {.path = kept ? path.text : NULL, .about = about.text};
    struct run *r =
        run_create(&(struct run_options){.policy = a->policies[yardstick ? a->baseline : p],
                                         .seed = a->seed + k,
                                         .journal = &journal,
                                         .body = "sim"},
                   err);
    str_free(&about);
    return r;
}

static int make_pieces(struct sim_pieces *x, const struct sim_args *a, uint32_t p, uint32_t k,
                       struct err *err)
{
    uint64_t seed = a->seed + k;
    enum ideal ideal = p < a->count ? IDEAL_NONE : a->yardsticks[p - a->count];

    const struct sim_recorded *recorded = a->recorded;

    x->workload = recorded          ? recorded->jobs(recorded->ctx, a->trace.view.vary)
                  : a->trace.import ? import_jobs(a->trace.import, &a->trace.view, err)
                                    : format_open(&a->named, a->cluster, seed, err);
    if (!x->workload)
        return -1;
    if (a->tell != TELL_AS_SAID || a->expect_error > 0)
        x->workload = tell_create(x->workload, a->cluster, seed, a->tell, a->expect_error);
    x->run = open_run(a, p, k, err);
    if (!x->run)
        return -1;
    if (p >= a->count)
        p = a->baseline;
    struct sim_options options = {.cluster = a->cluster,
                                  .workload = x->workload,
                                  .seed = seed,
                                  .ideal = ideal,
                                  .reports = policy_reads_progress(a->policies[p]),
                                  .samples = policy_reads_links(a->policies[p])};
    if (recorded) {
        options.reports &= !recorded->silent;
        options.outside = recorded->outside;
        options.outside_count = recorded->outside_count;
    }
    x->sim = sim_create(&options);
    x->drains = a->named.model && a->named.model->drains;
    x->follow = follow_create(a->warmup_us, a->jobs);
    x->summary = summary_create(x->follow);
    if (a->phases)
        x->phases = phase_times_create(x->follow);
    if (a->estimates)
        x->estimates = estimate_watch_create(x->follow, ESTIMATES_DELTA_US);
    if (a->detail)
        x->detail = detail_create(x->follow);
    return 0;
}

/* Ends the arrivals when the last measured job is over, so that it ends in the same crowd as the
 * first; or, where the workload drains, when it has come. */
static int close_when_settled(void *ctx, const struct turn *turn, struct err *err)
{
    struct sim_pieces *x = ctx;

    (void)turn;
    (void)err;
    if (follow_settled(x->follow) || (x->drains && follow_full(x->follow)))
        workload_close(x->workload);
    return 0;
}

static void measure(struct sim_pieces *x, int64_t begun_us, struct sim_run *run)
{
    struct rusage usage;

    run->summary = summary_result(x->summary);
    sim_numbers_take(run, NUMBER_OF_SUMMARY, &run->summary);
    if (x->estimates) {
        struct estimate_errors errors = estimate_watch_errors(x->estimates);
        sim_numbers_take(run, NUMBER_OF_ESTIMATES, &errors);
    }
    run->digest = run_digest(x->run);
    run->reading_matters = sim_reading_matters(x->sim);
    run->v[NUMBER_EVENTS] = (double)sim_event_count(x->sim);
    run->v[NUMBER_WALL] = (double)(clock_now_us() - begun_us) / 1e6;
    getrusage(RUSAGE_SELF, &usage);
    run->v[NUMBER_RSS] = (double)usage.ru_maxrss;
}

static int run_pieces(struct sim_pieces *x, const struct sim_args *a, struct bar *bar,
                      struct sim_run *run, struct err *err)
{
    struct tap taps[3] = {follow_tap(x->follow), bar_tap(bar)};
    uint32_t tap_count = 2;
    int64_t begun_us = clock_now_us();

    bar->ctx = x;
    bar->jobs_over = jobs_over;
    bar->events = events;
    if (a->jobs > 0)
        bar->jobs_total = (uint64_t)a->jobs;
    bar_restart(bar);
    if (a->jobs > 0)
        taps[tap_count++] = (struct tap){.ctx = x, .turn = close_when_settled};
    int result = run_drive(x->run, (struct body){&sim_body, x->sim}, taps, tap_count, err);
    bar_clear(bar);
    if (result < 0) {
        err->kind = ERR_SYSTEM; /* the request was fine, its run was not */
        return -1;
    }
    bar->jobs_total = jobs_over(x); /* the next run has as many */
    measure(x, begun_us, run);
    run->phases = x->phases;
    x->phases = NULL;
    return 0;
}

int sim_run_once(const struct sim_args *a, uint32_t p, uint32_t k, struct bar *bar,
                 struct sim_run *run, struct err *err)
{
    struct sim_pieces x = {0};
    int result = make_pieces(&x, a, p, k, err);

    if (result == 0)
        result = run_pieces(&x, a, bar, run, err);
    result = run_close(x.run, result, err);
    follow_destroy(x.follow);
    if (result == 0)
        run->detail = x.detail;
    else
        detail_destroy(x.detail);
    summary_destroy(x.summary);
    estimate_watch_destroy(x.estimates);
    phase_times_destroy(x.phases);
    sim_destroy(x.sim);
    if (x.workload)
        x.workload->destroy(x.workload);
    return result;
}
