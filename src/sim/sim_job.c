/* sim_job.c - jobs come one at a time and go when nothing needs them.
 *
 * Ids are given in order of submission, so the jobs alive are a window of the ids; an array of
 * pointers that slides along finds a job without hashing. One old job keeps the window open, at 8
 * bytes for each job after it: cheap enough.
 *
 * A job is one block: its phases and 8 bytes for each task. Together with the workload's own block
 * it is freed when the brain has said that the job is over and its last attempt has ended. */
#include "base/rng.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

void sim_job_draw(struct sim *s)
{
    s->next_job = s->workload->next(s->workload);
    if (!s->next_job)
        return;
    check(s->next_job->submit_us >= s->now_us); /* the workload is in order */
    sim_push(s, s->next_job->submit_us - s->now_us, ENTRY_OUTSIDE, 0, 0);
}

static struct sim_job *job_create(struct workload_job *source, uint64_t seed)
{
    const struct job_spec *spec = &source->spec;
    size_t head = sizeof(struct sim_job) + spec->phase_count * sizeof(struct sim_phase);
    struct sim_job *job = mem_zalloc(1, head + (size_t)job_tasks(spec) * sizeof(struct sim_task));
    job->work = source;

    struct sim_task *tasks = (struct sim_task *)((char *)job + head);
    for (size_t p = 0; p < spec->phase_count; p++) {
        const struct phase_spec *phase = &spec->phases[p];
        job->phases[p] = (struct sim_phase){.spec = phase,
                                            .truth = &source->truth[p],
                                            .tasks = tasks,
                                            .luck = luck_trunks(seed, spec->id, (uint16_t)p),
                                            /* Content has nothing to do with the seed. */
                                            .content = rng_trunk(0, RNG_OUTPUT, spec->id.v, p),
                                            .leaf = true,
                                            .read_wake = UINT32_MAX};
        tasks += phase->tasks;
        for (uint16_t e = 0; e < phase->edge_count; e++) {
            check(phase->edges[e].from < p);
            job->phases[phase->edges[e].from].leaf = false;
        }
    }
    return job;
}

/* Without a network an attempt that reads a whole phase does not wait in its slot for the rest of
 * it: it would end with what there is. So it starts when all is there. */
static void make_barriers(struct workload_job *job)
{
    for (uint16_t p = 0; p < job->spec.phase_count; p++) {
        /* Edges that are the same in all jobs of a model have no slow start, and may be constants;
         * others are in the job's block, which is the simulator's. */
        struct edge_spec *edges = (struct edge_spec *)(uintptr_t)job->spec.phases[p].edges;
        for (uint16_t e = 0; e < job->spec.phases[p].edge_count; e++)
            if (edges[e].pattern == EDGE_ALL_TO_ALL && edges[e].slowstart)
                edges[e].slowstart = 0;
    }
}

void sim_job_submit(struct sim *s)
{
    struct workload_job *source = s->next_job;
    if (!s->reads)
        make_barriers(source);
    source->spec.id.v = window_next(&s->jobs);
    if (source->spec.arrived_us < 0)
        source->spec.arrived_us = source->submit_us;
    window_put(&s->jobs, source->spec.id.v, job_create(source, s->seed));
    s->job_open++;
    struct attempt_ref at = {.job = source->spec.id};
    sim_emit(s, EV_JOB_SUBMITTED, CAUSE_NONE, at, NODE_NONE.v)->u.job = &source->spec;
    sim_job_draw(s);
}

static void job_destroy(struct sim *s, struct sim_job *job)
{
    for (uint16_t p = 0; p < job->work->spec.phase_count; p++) {
        sim_source_forget(s, &job->phases[p]);
        mem_free(job->phases[p].commit_fails);
    }
    workload_job_free(job->work);
    mem_free(job);
}

static void job_free(struct sim *s, struct sim_job *job)
{
    window_drop(&s->jobs, job->work->spec.id.v);
    job_destroy(s, job);
    s->job_open--;
}

void sim_job_attempt_ended(struct sim *s, struct sim_job *job)
{
    job->live--;
    if (job->over && job->live == 0)
        job_free(s, job);
}

void sim_job_over(struct sim *s, struct sim_job *job)
{
    job->over = true;
    if (job->live == 0)
        job_free(s, job);
}

/* Tasks of the phase that are not done and not being worked on; waiting for input is not work. */
static uint32_t phase_waiting(const struct sim *s, const struct sim_phase *phase)
{
    uint32_t waiting = 0;
    for (uint32_t t = 0; t < phase->spec->tasks; t++) {
        bool busy = phase->tasks[t].mark == TASK_COMMITTED;
        for (uint32_t i = phase->tasks[t].first; i != NO_ATTEMPT; i = s->attempts.at[i].task_next)
            busy |= sim_attempt_lives(&s->attempts.at[i]) &&
                    !(sim_reader_of(s, i) && sim_reader_of(s, i)->starved);
        waiting += !busy;
    }
    return waiting;
}

static int job_stalled(const struct sim *s, const struct sim_job *job, struct err *err)
{
    const struct job_spec *spec = &job->work->spec;
    const char *name = spec->name ? spec->name : "?";
    for (uint16_t p = 0; p < spec->phase_count; p++) {
        const struct phase_spec *phase = &spec->phases[p];
        uint32_t waiting = phase_waiting(s, &job->phases[p]);
        if (waiting > 0)
            return err_set(err,
                           "stalled: job %u (%s), phase %u (%s): %u of %u tasks are waiting and "
                           "no event is pending",
                           spec->id.v, name, (unsigned)p, phase->name ? phase->name : "?", waiting,
                           phase->tasks);
    }
    return err_set(err, "stalled: job %u (%s): all tasks are committed but it does not end",
                   spec->id.v, name);
}

int sim_job_stalled(const struct sim *s, struct err *err)
{
    for (uint32_t j = s->jobs.gone; j < s->jobs.count; j++)
        if (s->jobs.at[j] && !s->jobs.at[j]->over)
            return job_stalled(s, s->jobs.at[j], err);
    return err_set(err, "the simulation is stuck: jobs are waiting and no event is pending");
}

void sim_job_fini(struct sim *s)
{
    for (uint32_t j = s->jobs.gone; j < s->jobs.count; j++)
        if (s->jobs.at[j])
            job_destroy(s, s->jobs.at[j]);
    vec_free(&s->jobs);
    workload_job_free(s->next_job);
}
