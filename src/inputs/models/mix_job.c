/* mix_job.c - a job from a template, a little different each time.
 *
 * Benchmarks such as WordCount are known phase by phase, so their jobs are templates of the format
 * of workload files. Such a file lacks variety: no two real jobs have the same demands and times.
 * Each job therefore has its own factors on the values of its template.
 *
 * Jobs alternate instead of being drawn: a hundred jobs then have the shares of the file, whatever
 * the seed. Normal numbers are cut off at 2, because a job that fits no server of the cluster would
 * wait for ever. */
#include "inputs/models/mix_job.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

/* Steps of the drawing; part of what a seed means. Those of other models end below them. */
enum { STEP_JOB = 32, STEP_TASKS };

static double factor(struct rng *r, double noise)
{
    return exp(noise * fmax(-2, fmin(2, rng_normal(r))));
}

static int32_t scaled(int32_t need, double by)
{
    double value = round(need * by);
    return need == 0 ? 0 : value < 1 ? 1 : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* Lengths in whole milliseconds, one at least. */
static void draw_sizes(const struct phase_truth *truth, uint32_t tasks, double by, double noise,
                       struct rng *r, int64_t *sizes)
{
    for (uint32_t i = 0; i < tasks; i++) {
        int64_t us = truth->size_each ? truth->size_each[i] : truth->size_us;
        double ms = round((double)us / 1000 * by * factor(r, noise));
        sizes[i] = ms < 1 ? 1000 : (int64_t)ms * 1000;
    }
}

struct workload_job *mix_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                  int64_t arrived_us)
{
    const struct mix_model *mix = m->mix;
    uint32_t which = (uint32_t)(index % mix->templates.jobs.count);
    const struct span *phases = &mix->templates.jobs.at[which].phases;
    uint64_t tasks = 0;
    for (uint32_t k = 0; k < phases->count; k++)
        tasks += mix->templates.phases.at[phases->from + k].tasks;
    int64_t *sizes;
    struct workload_job *job =
        job_template_make_with(&mix->templates, which, 0, mem_size(tasks * sizeof *sizes),
                               (void **)&sizes);
    job->submit_us = job->spec.arrived_us = arrived_us;
    job->line = 0;

    struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_JOB, 0, 0);
    double cpu = factor(&r, mix->cpu_noise), mem = factor(&r, mix->mem_noise);
    double length = factor(&r, mix->size_noise);
    for (uint16_t k = 0; k < job->spec.phase_count; k++) {
        struct phase_spec *spec = (struct phase_spec *)&job->spec.phases[k]; /* all in our block */
        struct phase_truth *truth = (struct phase_truth *)&job->truth[k];
        struct rng own = rng_stream(seed, RNG_WORKLOAD, index, STEP_TASKS, k, 0);
        spec->demand.v[RES_CPU] = scaled(spec->demand.v[RES_CPU], cpu);
        spec->demand.v[RES_MEM] = scaled(spec->demand.v[RES_MEM], mem);
        draw_sizes(truth, spec->tasks, length, mix->task_noise, &own, sizes);
        truth->size_each = sizes;
        sizes += spec->tasks;
    }
    return job;
}
