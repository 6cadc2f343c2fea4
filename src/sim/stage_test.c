#include "sim/stage_test.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "sim/sim_state.h"

/* What workload_job.memory points to. */
struct stage_memory {
    struct workload_job job;
    struct phase_spec specs[STAGE_PHASES_MAX];
    struct phase_truth truths[STAGE_PHASES_MAX];
    struct edge_spec edges[STAGE_PHASES_MAX];
};

static struct workload_job *stage_next(struct workload *w)
{
    struct sim_stage *st = (struct sim_stage *)((char *)w - offsetof(struct sim_stage, workload));
    return st->job_next < st->job_count ? st->jobs[st->job_next++] : NULL;
}

void stage_init(struct sim_stage *st, uint32_t nodes, uint32_t cores)
{
    *st = (struct sim_stage){.cluster = cluster_plain(nodes, cores)};
    st->workload.name = "stage";
    st->workload.next = stage_next;
    st->seed = 1;
}

void stage_fini(struct sim_stage *st)
{
    sim_destroy(st->sim);
    while (st->job_next < st->job_count)
        workload_job_free(st->jobs[st->job_next++]);
    cluster_destroy(st->cluster);
}

void stage_job(struct sim_stage *st, int64_t submit_us, const struct stage_phase *phases,
               uint16_t count)
{
    check(count <= STAGE_PHASES_MAX && st->job_count < STAGE_JOBS_MAX);
    struct stage_memory *m = mem_zalloc(1, sizeof *m);
    for (uint16_t p = 0; p < count; p++) {
        const struct stage_phase *is = &phases[p];
        m->edges[p] = is->edge;
        m->edges[p].from = (uint16_t)(p - 1);
        m->specs[p] = (struct phase_spec){
            .name = "phase",
            .tasks = is->tasks,
            .demand = {{RES_SLOT}},
            .edges = is->reads ? &m->edges[p] : NULL,
            .edge_count = is->reads,
            .input_bytes = is->input_bytes,
            .replica_from = is->replica_from,
            .replicas = is->replicas,
        };
        m->truths[p] = (struct phase_truth){
            .size_us = is->size_us,
            .attempt_from = is->attempt_from,
            .attempts = is->attempts,
            .attempt_fails = is->attempt_fails,
            .attempt_lags = is->attempt_lags,
            .output_bytes = is->output_bytes,
            .skew = is->skew,
        };
    }
    m->job.spec = (struct job_spec){
        .name = "job", .weight = JOB_WEIGHT_ONE, .phases = m->specs, .phase_count = count};
    m->job.submit_us = submit_us;
    m->job.spec.arrived_us = -1;
    m->job.truth = m->truths;
    m->job.memory = m;
    st->jobs[st->job_count++] = &m->job;
}

void stage_start(struct sim_stage *st)
{
    st->sim = sim_create(&(struct sim_options){.cluster = st->cluster,
                                               .workload = &st->workload,
                                               .seed = st->seed,
                                               .reports = st->reports,
                                               .ideal = st->ideal,
                                               .outside = st->outside,
                                               .outside_count = st->outside_count,
                                               .samples = st->samples});
    st->sim->nodes_fail = true; /* tests make them fail by hand */
    check(stage_wait(st) == 1);
}

int stage_wait(struct sim_stage *st)
{
    st->batch = (struct batch){0};
    return sim_body.wait(st->sim, &st->batch, &st->err);
}

const struct attempt_ref stage_all = {.task = TASK_ALL};

struct attempt_ref stage_ref(uint32_t job, uint16_t phase, uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){.job = {job}, .task = task, .phase = phase, .attempt = attempt};
}

void stage_do(struct sim_stage *st, struct decision d)
{
    d.id = ++st->decisions;
    sim_body.perform(st->sim, &d, 1);
}

void stage_launch(struct sim_stage *st, struct attempt_ref at, uint32_t node)
{
    stage_do(st, (struct decision){.type = DO_LAUNCH, .at = at, .node = {node}});
}

void stage_ask(struct sim_stage *st, uint8_t type, struct attempt_ref at)
{
    stage_do(st, (struct decision){.type = type, .at = at, .node = NODE_NONE});
}

void stage_read(struct sim_stage *st, struct attempt_ref reader, struct attempt_ref source)
{
    stage_do(st, (struct decision){.type = DO_ASSIGN_READ, .at = reader, .u.read.source = source});
}

void stage_replicate(struct sim_stage *st, struct attempt_ref at, uint32_t node)
{
    stage_do(st, (struct decision){.type = DO_REPLICATE, .at = at, .node = {node}});
}

void stage_timer(struct sim_stage *st, uint32_t id, int64_t at_us)
{
    stage_do(st, (struct decision){.type = DO_SET_TIMER, .u.timer = {.id = id, .at_us = at_us}});
}

void stage_run(struct sim_stage *st, struct attempt_ref at, uint32_t node)
{
    stage_launch(st, at, node);
    do
        check(stage_wait(st) == 1);
    while (!stage_saw(st, st->batch.count - 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, at));
    stage_ask(st, DO_COMMIT, at);
    check(stage_wait(st) == 1 && stage_saw(st, 0, EV_COMMITTED, CAUSE_NONE, at));
}

bool stage_saw(const struct sim_stage *st, uint32_t i, uint8_t type, uint8_t cause,
               struct attempt_ref at)
{
    return i < st->batch.count && st->batch.at[i].type == type && st->batch.at[i].cause == cause &&
           attempt_equal(st->batch.at[i].at, at);
}

bool stage_only(const struct sim_stage *st, int64_t now_us, uint8_t type, uint8_t cause,
                struct attempt_ref at)
{
    return st->batch.count == 1 && st->batch.now_us == now_us && stage_saw(st, 0, type, cause, at);
}

bool stage_aborts(struct sim_stage *st, struct decision d)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        stage_do(st, d);
        _exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}
