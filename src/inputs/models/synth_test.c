#include "inputs/models/synth.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "inputs/models/profile.h"
#include "inputs/models/synth_job.h"
#include "inputs/workload/job_equal_test.h"
#include "tests/unit/test.h"

static double stat_of(const struct profile_table *t, const char *id)
{
    for (uint32_t i = 0; i < t->rows.count; i++)
        if (!strcmp(t->rows.at[i].id, id))
            return t->rows.at[i].ours;
    return NAN;
}

/* What docs/reference/workload-models.md promises of 10 000 jobs, whatever the seed. */
static const struct {
    const char *id;
    double within, paper[SYNTH_MODELS]; /* NAN: no promise */
} promises[] = {
    {"single_task_jobs_pct", 2, {NAN, NAN, 78.1}},
    {"small_jobs_pct", 2, {82, 61, 85.5}},
    {"tasks_p99", 350, {NAN, NAN, 837}},
    {"smallest_90_resources_pct", 3, {6, 11, NAN}},
    {"resources_exponent", 0.3, {1.9, 1.8, NAN}},
    {"equal_phases_pct", 3, {91, 91, NAN}},
    {"phases_p50", 0, {2, 2, NAN}},
    {"phases_max", 0, {2, 6, NAN}},
};

TEST(synth_keeps_its_promises)
{
    for (int m = 0; m < SYNTH_MODELS; m++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct workload *w = synth_create(&synth_model_table[m], seed);
            struct profile *p = profile_create(&synth_model_table[m].luck);
            struct profile_table t = {0};
            for (int i = 0; i < 10000; i++) {
                struct workload_job *job = w->next(w);
                profile_add(p, job);
                workload_job_free(job);
            }
            profile_rows(p, &synth_model_table[m], &t);
            for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
                expect(isnan(promises[i].paper[m]) ||
                       fabs(stat_of(&t, promises[i].id) - promises[i].paper[m]) <=
                           promises[i].within);
            vec_free(&t.rows);
            profile_destroy(p);
            w->destroy(w);
        }
}

/* What a run of each measures, unless it is told otherwise: jobs, from when on, and whether others
 * come after them. Numbers that were published are of such runs. */
TEST(synth_models_have_runs_of_their_own)
{
    static const struct {
        const char *name;
        uint64_t jobs;
        int64_t warmup_s;
        bool drains;
        double arrivals_per_s;
    } rows[SYNTH_MODELS] = {
        [SYNTH_FACEBOOK] = {"facebook", 0, 0, false, 0.23},
        [SYNTH_BING] = {"bing", 0, 0, false, 0.17},
        [SYNTH_GOOGLE] = {"google", 2000, 1800, true, 0.75},
    };
    for (int i = 0; i < SYNTH_MODELS; i++) {
        const struct synth_model *m = &synth_model_table[i];
        expect(strcmp(m->name, rows[i].name) == 0 && m->drains == rows[i].drains);
        expect(m->jobs == rows[i].jobs && m->warmup_us == rows[i].warmup_s * 1000000);
        expect(m->arrivals_per_s == rows[i].arrivals_per_s);
    }
}

TEST(synth_gives_the_same_jobs_for_the_same_seed)
{
    for (int m = 0; m < SYNTH_MODELS; m++) {
        struct workload *a = synth_create(&synth_model_table[m], 7);
        struct workload *b = synth_create(&synth_model_table[m], 7);
        struct workload *c = synth_create(&synth_model_table[m], 8);
        int other = 0;
        for (int i = 0; i < 500; i++) {
            struct workload_job *x = a->next(a), *y = b->next(b), *z = c->next(c);
            expect(job_equal(x, y));
            other += !job_equal(x, z);
            workload_job_free(x);
            workload_job_free(y);
            workload_job_free(z);
        }
        expect(other == 500);
        a->destroy(a);
        b->destroy(b);
        c->destroy(c);
    }
}

/* Jobs come by time of submission, and job k, counted by arrival, is what its index says, although
 * nothing else was drawn. */
TEST(synth_jobs_depend_only_on_their_index)
{
    enum { JOBS = 2000, SURE = 1900 }; /* of the last ones, some that arrived have not come out */
    const struct synth_model *m = &synth_model_table[SYNTH_BING];
    struct workload *w = synth_create(m, 3);
    struct workload_job *jobs[JOBS];
    int64_t last_us = 0;
    int overtaken = 0;
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = w->next(w);
        expect(jobs[i]->submit_us >= last_us);
        expect(jobs[i]->spec.arrived_us + jobs[i]->spec.wrapup_us == jobs[i]->submit_us);
        last_us = jobs[i]->submit_us;
        overtaken += i > 0 && jobs[i]->spec.arrived_us < jobs[i - 1]->spec.arrived_us;
    }
    expect(overtaken > JOBS / 10);
    for (int i = 0; i < SURE; i += 7) {
        uint64_t index = 0;
        for (int k = 0; k < JOBS; k++)
            index += jobs[k]->spec.arrived_us < jobs[i]->spec.arrived_us;
        struct workload_job *alone = synth_job_draw(m, 3, index, jobs[i]->spec.arrived_us);
        expect(job_equal(alone, jobs[i]));
        workload_job_free(alone);
    }
    for (int i = 0; i < JOBS; i++)
        workload_job_free(jobs[i]);
    w->destroy(w);
}

/* The jobs of a model with other sizes and without overhead arrive at the same times. */
TEST(synth_arrivals_depend_only_on_the_seed_and_the_rate)
{
    enum { JOBS = 500 };
    struct synth_model plain = synth_model_table[SYNTH_FACEBOOK], other = plain;
    plain.overhead_s = other.overhead_s = 0;
    other.small_p = 0.1;
    struct workload *a = synth_create(&plain, 5), *b = synth_create(&other, 5);
    for (int i = 0; i < JOBS; i++) {
        struct workload_job *x = a->next(a), *y = b->next(b);
        expect(x->submit_us == y->submit_us && x->spec.arrived_us == x->submit_us);
        workload_job_free(x);
        workload_job_free(y);
    }
    a->destroy(a);
    b->destroy(b);
}

/* The number of jobs in each window: its mean and variance are those of a Poisson number whose rate
 * is itself log-normal. */
TEST(synth_arrivals_have_their_rate)
{
    enum { WINDOWS = 2000 };
    for (int k = 0; k < SYNTH_MODELS; k++) {
        struct synth_model m = synth_model_table[k];
        m.overhead_s = 0;
        m.small_p = 1;
        m.surge = 0.3;
        struct workload *w = synth_create(&m, 11);
        double count[WINDOWS] = {0}, sum = 0, squares = 0;
        for (bool more = true; more;) {
            struct workload_job *job = w->next(w);
            int64_t window = job->spec.arrived_us / m.surge_window_us;
            more = window < WINDOWS;
            if (more)
                count[window]++;
            workload_job_free(job);
        }
        w->destroy(w);
        for (int i = 0; i < WINDOWS; i++)
            sum += count[i];
        double mean = sum / WINDOWS;
        for (int i = 0; i < WINDOWS; i++)
            squares += (count[i] - mean) * (count[i] - mean);
        double rate = m.arrivals_per_s * 600, factor = exp(0.09 / 2);
        double variance = rate * factor + rate * rate * (exp(0.09) - 1) * exp(0.09);
        expect(fabs(mean / (rate * factor) - 1) < 0.02);
        expect(fabs(squares / WINDOWS / variance - 1) < 0.1);
    }
}

TEST(synth_ends_when_it_is_closed)
{
    struct workload *w = synth_create(&synth_model_table[SYNTH_FACEBOOK], 1);
    struct workload_job *job = w->next(w);
    expect(job != NULL);
    workload_close(w);
    expect(w->next(w) == NULL && w->next(w) == NULL);
    expect(job->spec.phase_count == 2); /* it stays */
    workload_job_free(job);
    w->destroy(w);
}

TEST(synth_is_found_by_name)
{
    expect(synth_find("facebook") == &synth_model_table[SYNTH_FACEBOOK]);
    expect(synth_find("bing") == &synth_model_table[SYNTH_BING]);
    expect(!strcmp(synth_find("bing")->name, "bing"));
    expect(synth_find("google") == &synth_model_table[SYNTH_GOOGLE]);
    expect(synth_find("yahoo") == NULL && synth_find("") == NULL && synth_find("Bing") == NULL);
}

static bool luck_equal(const struct luck *a, const struct luck *b)
{
    return a->startup_us == b->startup_us && a->noise == b->noise && a->slow_p == b->slow_p &&
           a->slow_factor == b->slow_factor && a->slow_max == b->slow_max &&
           a->slow_tail == b->slow_tail && a->slow_tail_max == b->slow_tail_max &&
           a->pareto == b->pareto && a->stall_p == b->stall_p && a->stall_us == b->stall_us &&
           a->stall_noise == b->stall_noise && a->stall_at == b->stall_at &&
           a->bad_share == b->bad_share && a->bad_factor == b->bad_factor &&
           a->good_factor == b->good_factor && a->window_us == b->window_us &&
           a->busy_share == b->busy_share && a->busy_factor == b->busy_factor &&
           a->busy_window_us == b->busy_window_us && a->slow_for_us == b->slow_for_us;
}

/* The files that stand for the models' clusters say the same. */
TEST(synth_clusters_are_those_of_the_examples)
{
    static const char *const files[SYNTH_MODELS] = {
        "examples/facebook.cluster", "examples/bing.cluster", "examples/google.cluster"};
    static const struct {
        uint32_t nodes, cores;
    } sizes[SYNTH_MODELS] = {{150, 1800}, {150, 1800}, {3000, 32800}};
    if (access("examples", R_OK)) {
        test_skip("no folder examples here");
        return;
    }
    for (int m = 0; m < SYNTH_MODELS; m++) {
        struct err err;
        struct cluster *made = synth_cluster(&synth_model_table[m], NULL);
        struct cluster *read = cluster_file_read(files[m], &err);
        expect(read != NULL);
        expect(made->node_count == sizes[m].nodes &&
               cluster_capacity(made).v[RES_CPU] == sizes[m].cores * RES_SLOT);
        expect(read && read->node_count == made->node_count &&
               luck_equal(&made->luck, &read->luck));
        for (uint32_t i = 0; read && i < made->node_count; i++)
            expect(res_equal(&made->nodes[i].capacity, &read->nodes[i].capacity) &&
                   !strcmp(made->nodes[i].name, read->nodes[i].name));
        cluster_destroy(made);
        cluster_destroy(read);
    }
}
