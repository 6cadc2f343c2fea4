#include "inputs/models/mix_job.h"

#include <math.h>
#include <string.h>

#include "inputs/models/synth_file.h"
#include "inputs/workload/job_equal_test.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

#define HEAD                                                                                       \
    "model m cluster=c.cluster jobs=10 warmup=0s then=nothing\n"                                   \
    "arrivals every=10s surge=0 window=10m\n"
#define JOBS                                                                                       \
    "job a\n phase map tasks=3 cpu=2 mem=1G sizes=4s,8s\n phase reduce after=map size=2s\n"        \
    "job b user=ann\n phase only cpu=0.001 mem=0\n"

static struct synth_model *model_of(const char *text)
{
    struct scratch s = scratch_write(text, strlen(text));
    struct err err;
    struct synth_model *m = synth_file_read(s.path, &err);
    scratch_remove(&s);
    expect(m != NULL);
    return m;
}

TEST(mix_job_without_noise_is_what_is_written)
{
    struct synth_model *m =
        model_of(HEAD "mix cpu_noise=0 mem_noise=0 size_noise=0 task_noise=0\n" JOBS);
    struct workload_job *a = mix_job_draw(m, 1, 4, 7000000), *b = mix_job_draw(m, 1, 5, 8000000);
    expect(!strcmp(a->spec.name, "a") && a->spec.phase_count == 2);
    expect(a->submit_us == 7000000 && a->spec.arrived_us == 7000000);
    const int64_t *sizes = a->truth[0].size_each;
    expect(sizes[0] == 4000000 && sizes[1] == 8000000 && sizes[2] == 4000000);
    expect(a->truth[1].size_each[0] == 2000000);
    expect(a->spec.phases[0].demand.v[RES_CPU] == 2000);
    expect(a->spec.phases[0].demand.v[RES_MEM] == 1024);
    expect(a->spec.phases[1].edge_count == 1 && a->spec.phases[1].edges[0].from == 0);
    expect(!strcmp(b->spec.name, "b") && !strcmp(b->spec.user, "ann"));
    expect(b->spec.phases[0].demand.v[RES_CPU] == 1 && b->spec.phases[0].demand.v[RES_MEM] == 0);
    workload_job_free(a);
    workload_job_free(b);
    synth_file_free(m);
}

/* The logarithms of a job's factors: their spread, and that they are cut off at two sigma. */
TEST(mix_job_factors_have_their_laws)
{
    enum { DRAWN = 4000 };
    struct synth_model *m =
        model_of(HEAD "mix cpu_noise=0.5 mem_noise=0.25 size_noise=0.2 task_noise=0.1\n" JOBS);
    double cpu = 0, mem = 0, length = 0, apart = 0;
    for (uint64_t i = 0; i < DRAWN; i++) {
        struct workload_job *job = mix_job_draw(m, 5, 2 * i, 0);
        const struct phase_spec *p = job->spec.phases;
        double c = log(p->demand.v[RES_CPU] / 2000.0), g = log(p->demand.v[RES_MEM] / 1024.0);
        double s = log((double)job->truth[0].size_each[0] / 4e6);
        double t = log((double)job->truth[0].size_each[2] / 4e6);
        expect(fabs(c) < 1.001 && fabs(g) < 0.501 && fabs(s) < 0.601);
        expect(p[0].demand.v[RES_CPU] >= 2 * p[1].demand.v[RES_CPU] - 1);
        cpu += c * c / DRAWN;
        mem += g * g / DRAWN;
        length += s * s / DRAWN;
        apart += (s - t) * (s - t) / DRAWN;
        workload_job_free(job);
    }
    const double cut = 0.9205; /* what cutting at 2 leaves of the variance of a normal number */
    expect(fabs(cpu / (0.25 * cut) - 1) < 0.06 && fabs(mem / (0.0625 * cut) - 1) < 0.06);
    expect(fabs(length / (0.05 * cut) - 1) < 0.06 && fabs(apart / (0.02 * cut) - 1) < 0.06);
    synth_file_free(m);
}

TEST(mix_job_depends_on_seed_and_index_alone)
{
    struct synth_model *m =
        model_of(HEAD "mix cpu_noise=0.5 mem_noise=0.5 size_noise=0.5 task_noise=0.5\n" JOBS);
    struct workload_job *a = mix_job_draw(m, 1, 6, 5), *b = mix_job_draw(m, 1, 6, 5);
    struct workload_job *c = mix_job_draw(m, 2, 6, 5);
    expect(job_equal(a, b) && !job_equal(a, c));
    workload_job_free(a);
    workload_job_free(b);
    workload_job_free(c);
    synth_file_free(m);
}
