#include "inputs/models/synth_job.h"

#include <math.h>
#include <stdio.h>

#include "inputs/config/key.h"
#include "tests/unit/test.h"

enum { JOBS = 20000 };

/* What holds for every job of a model. */
static void expect_shape(const struct synth_model *m, const struct workload_job *job)
{
    const struct job_spec *spec = &job->spec;
    uint64_t total = job_tasks(spec);
    expect(spec->phase_count >= 1 && spec->phase_count <= SYNTH_PHASES_MAX);
    expect(total >= (m->later_share > 0 ? 1 : 2) && total < m->large_max + SYNTH_PHASES_MAX);
    expect(spec->running_max == m->running_max && spec->weight == JOB_WEIGHT_ONE);
    expect(field_name_ok(spec->name) && (spec->wrapup_us > 0) == (m->overhead_s > 0));
    for (uint16_t k = 0; k < spec->phase_count; k++) {
        const struct phase_spec *p = &spec->phases[k];
        const struct phase_truth *truth = &job->truth[k];
        expect(p->tasks >= 1 && p->tasks <= spec->phases[0].tasks);
        expect(m->demand.cpu > 0 ? res_equal(&p->demand, &spec->phases[0].demand)
                                 : p->demand.v[RES_CPU] == RES_SLOT && p->demand.v[RES_MEM] == 0);
        expect(p->edge_count == (k > 0));
        expect(k == 0 || (p->edges[0].from == k - 1 && p->edges[0].slowstart == 0));
        bool even = true;
        double inputs = 0;
        for (uint32_t t = 0; t < p->tasks; t++) {
            even &= truth->size_each[t] > 0 &&
                    p->input_each[t] * 1000 == truth->size_each[t] * m->bytes_per_ms;
            inputs += (double)p->input_each[t];
        }
        expect(even);
        expect(fabs((double)truth->output_bytes - 0.25 * inputs / p->tasks) <= 512);
    }
}

TEST(synth_job_has_its_shape)
{
    for (int m = 0; m < SYNTH_MODELS; m++)
        for (uint64_t i = 0; i < 3000; i++) {
            struct workload_job *job = synth_job_draw(&synth_model_table[m], 1, i, 1000);
            expect_shape(&synth_model_table[m], job);
            workload_job_free(job);
        }
}

/* Both classes on their own: neither reaches into the other. */
TEST(synth_job_classes_do_not_overlap)
{
    for (int i = 0; i < SYNTH_MODELS; i++) {
        const struct synth_model *m = &synth_model_table[i];
        struct synth_model small = synth_model_table[i], large = small;
        small.small_p = 1;
        large.small_p = 0;
        uint64_t most = 0;
        for (uint64_t k = 0; k < 3000; k++) {
            struct workload_job *a = synth_job_draw(&small, 2, k, 0);
            struct workload_job *b = synth_job_draw(&large, 2, k, 0);
            expect(job_tasks(&a->spec) <= 10);
            expect(job_tasks(&b->spec) >= 11);
            most = job_tasks(&b->spec) > most ? job_tasks(&b->spec) : most;
            workload_job_free(a);
            workload_job_free(b);
        }
        expect(most > m->large_max / 2);
    }
}

/* Small jobs of two equal phases: totals 6, 8 and 10, as probable as the numbers that they stand
 * for: 6; 7 and 8; 9 and 10. */
TEST(synth_job_sizes_have_their_weights)
{
    struct synth_model m = synth_model_table[SYNTH_FACEBOOK];
    m.small_p = m.small_equal = 1;
    double weight[3] = {0}, sum = 0, count[11] = {0};
    for (int t = 6; t <= 10; t++) {
        weight[(t - 5) / 2] += pow(t, 0.9);
        sum += pow(t, 0.9);
    }
    for (uint64_t i = 0; i < JOBS; i++) {
        struct workload_job *job = synth_job_draw(&m, 4, i, 0);
        count[job_tasks(&job->spec)]++;
        workload_job_free(job);
    }
    for (int k = 0; k < 3; k++)
        expect(fabs(count[6 + 2 * k] / JOBS - weight[k] / sum) < 0.01);
    expect(count[6] + count[8] + count[10] == JOBS);
}

/* How many jobs have more than x tasks, against the law they are drawn from. */
TEST(synth_job_tail_is_bounded_pareto)
{
    struct synth_model m = synth_model_table[SYNTH_FACEBOOK];
    m.small_p = 0;
    m.large_equal = 1;
    static const double limits[] = {20, 100, 1000, 5000};
    double above[4] = {0};
    for (uint64_t i = 0; i < JOBS; i++) {
        struct workload_job *job = synth_job_draw(&m, 5, i, 0);
        for (int k = 0; k < 4; k++)
            above[k] += (double)job_tasks(&job->spec) > limits[k];
        workload_job_free(job);
    }
    for (int k = 0; k < 4; k++) {
        double cut = sqrt(11 / 10000.0), law = (sqrt(11 / (limits[k] + 1)) - cut) / (1 - cut);
        expect(fabs(above[k] / JOBS - law) < 0.02); /* totals are rounded up to even ones */
    }
}

/* Mean and spread of the logarithm of task lengths, without what depends on the width of the job,
 * and the mean of the overhead's. */
TEST(synth_job_times_have_their_laws)
{
    for (int i = 0; i < SYNTH_MODELS; i++) {
        const struct synth_model *m = &synth_model_table[i];
        double sum = 0, squares = 0, tasks = 0, overhead = 0;
        for (uint64_t k = 0; k < JOBS; k++) {
            struct workload_job *job = synth_job_draw(m, 6, k, 0);
            const struct job_spec *spec = &job->spec;
            double width = spec->phases[0].tasks;
            overhead += spec->wrapup_us > 0 ? log(2 * (double)spec->wrapup_us / 1e6) : 0;
            for (uint16_t p = 0; p < spec->phase_count; p++) {
                double off = log((double)job->truth[p].size_each[0] / 1e6 / m->task_s) -
                             m->growth * log(width > 3 ? width / 3 : 1);
                sum += off;
                squares += off * off;
                tasks++;
            }
            workload_job_free(job);
        }
        double variance = m->task_noise * m->task_noise + m->job_noise * m->job_noise +
                          m->phase_noise * m->phase_noise;
        expect(fabs(sum / tasks) < 0.02 * m->job_noise / 0.2);
        expect(fabs(squares / tasks / variance - 1) < 0.04);
        expect(m->overhead_s <= 0 || fabs(overhead / JOBS - log(m->overhead_s)) < 0.01);
    }
}

/* Three tenths of the tasks reduce, but at least one where there are two. */
TEST(synth_job_divides_by_fixed_portions)
{
    struct synth_model m = synth_model_table[SYNTH_GOOGLE];
    m.small_p = 1;
    for (uint32_t total = 1; total <= 10; total++) {
        m.small_min = m.small_max = total;
        struct workload_job *job = synth_job_draw(&m, 1, total, 0);
        uint32_t reduces = total < 4 ? 1 : 3 * total / 10;
        expect(job->spec.phase_count == (total > 1 ? 2 : 1) && job_tasks(&job->spec) == total);
        expect(total == 1 || job->spec.phases[1].tasks == reduces);
        workload_job_free(job);
    }
}

/* Medians, spreads, their correlation and the limits of what jobs need. */
TEST(synth_job_demands_have_their_law)
{
    const struct synth_model *m = &synth_model_table[SYNTH_GOOGLE];
    double cpu = 0, mem = 0, cpu2 = 0, mem2 = 0, both = 0;
    for (uint64_t i = 0; i < JOBS; i++) {
        struct workload_job *job = synth_job_draw(m, 3, i, 0);
        const struct res *need = &job->spec.phases[0].demand;
        expect(need->v[RES_CPU] >= 10 && need->v[RES_CPU] <= 12 * RES_SLOT);
        expect(need->v[RES_MEM] >= 1 && need->v[RES_MEM] <= 24 * 1024);
        expect(need->v[RES_X] == 0 && need->v[RES_Y] == 0);
        double x = log(need->v[RES_CPU] / 300.0), y = log(need->v[RES_MEM] / 384.0);
        cpu += x / JOBS;
        mem += y / JOBS;
        cpu2 += x * x / JOBS;
        mem2 += y * y / JOBS;
        both += x * y / JOBS;
        workload_job_free(job);
    }
    expect(fabs(cpu) < 0.03 && fabs(mem) < 0.03);
    expect(fabs(cpu2 - 0.64) < 0.04 && fabs(mem2 - 1.25 * 1.25) < 0.1);
    expect(fabs(both / sqrt(cpu2 * mem2) - 0.4) < 0.03);
}

/* Tasks of different phases share what belongs to their job, and nothing else. */
TEST(synth_job_phases_differ)
{
    struct synth_model m = synth_model_table[SYNTH_FACEBOOK];
    m.small_p = m.small_equal = 1;
    double sum[2] = {0}, products = 0;
    for (uint64_t i = 0; i < JOBS; i++) {
        struct workload_job *job = synth_job_draw(&m, 8, i, 0);
        double x = log((double)job->truth[0].size_each[0] / 5e6);
        double y = log((double)job->truth[1].size_each[0] / 5e6);
        sum[0] += x;
        sum[1] += y;
        products += x * y;
        workload_job_free(job);
    }
    double covariance = products / JOBS - sum[0] / JOBS * (sum[1] / JOBS);
    expect(fabs(covariance - m.job_noise * m.job_noise) < 0.01);
}

/* Sixteen names in a bin, each about as frequent, and a higher number means longer tasks. */
TEST(synth_job_names_recur)
{
    struct synth_model m = synth_model_table[SYNTH_BING];
    m.small_p = 1;
    double count[16] = {0}, length[16] = {0};
    for (uint64_t i = 0; i < JOBS; i++) {
        struct workload_job *job = synth_job_draw(&m, 7, i, 0);
        int kind = -1;
        expect(sscanf(job->spec.name, "bing-bin1-%d", &kind) == 1 && kind >= 0 && kind < 16);
        count[kind & 15]++;
        length[kind & 15] += log((double)job->truth[0].size_each[0]);
        workload_job_free(job);
    }
    for (int k = 0; k < 16; k++)
        expect(fabs(count[k] / JOBS - 1 / 16.0) < 0.01);
    expect(length[15] / count[15] - length[0] / count[0] > 0.5);
}
