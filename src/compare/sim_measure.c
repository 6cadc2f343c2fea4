#include "compare/sim_measure.h"

#include "policy/policy.h"
#include "run/run.h"
#include "sim/sim.h"

static int close_when_settled(void *ctx, const struct turn *turn, struct err *err)
{
    struct sim_closing *c = ctx;

    (void)turn;
    (void)err;
    if (summary_settled(c->summary) || (c->drains && summary_full(c->summary)))
        workload_close(c->workload);
    return 0;
}

struct tap sim_closing_tap(struct sim_closing *c)
{
    return (struct tap){.ctx = c, .turn = close_when_settled};
}

int sim_measure_run(const struct sim_measure *m, struct phase_times *phases,
                    struct summary_result *out, struct err *err)
{
    struct policy *policy = policy_create(m->policy, err);
    if (!policy)
        return -1;
    struct cluster *own = m->cluster ? NULL : synth_cluster(m->model, err);
    if (!m->cluster && !own) {
        policy_destroy(policy);
        return -1;
    }
    struct workload *workload = synth_create(m->model, m->seed);
    struct summary *summary = summary_create(m->warmup_us, m->jobs);
    struct run *run = run_create(&(struct run_options){.policy = policy, .seed = m->seed}, err);
    struct sim_options options = {.cluster = own ? own : m->cluster,
                                  .workload = workload,
                                  .seed = m->seed,
                                  .reports = policy_reads_progress(policy),
                                  .samples = policy_reads_links(policy)};
    struct sim *sim = sim_create(&options);
    struct sim_closing closing = {summary, workload, m->model->drains};
    struct tap taps[3] = {summary_tap(summary), sim_closing_tap(&closing)};
    uint32_t tap_count = 2;

    if (phases)
        taps[tap_count++] = phase_times_tap(phases);
    int result = run_drive(run, (struct body){&sim_body, sim}, taps, tap_count, err);
    if (result == 0)
        *out = summary_result(summary);
    run_close(run, result, err);
    sim_destroy(sim);
    summary_destroy(summary);
    workload->destroy(workload);
    cluster_destroy(own);
    policy_destroy(policy);
    return result;
}
