#include "inputs/models/profile.h"

#include <math.h>
#include <string.h>

#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static const struct luck no_luck = {.slow_factor = 1, .good_factor = 1, .bad_factor = 1};

static struct profile_table table_of(const char *text, const struct luck *luck,
                                     const struct synth_model *m)
{
    struct err err = {.text = ""};
    struct scratch s = scratch_write(text, strlen(text));
    struct workload *w = workload_file_read(s.path, NULL, &err);
    check(w);
    struct profile *p = profile_create(luck);
    for (struct workload_job *job; (job = w->next(w)); workload_job_free(job))
        profile_add(p, job);
    struct profile_table t = {0};
    profile_rows(p, m, &t);
    profile_destroy(p);
    w->destroy(w);
    scratch_remove(&s);
    return t;
}

static const struct profile_row *row_of(const struct profile_table *t, const char *id)
{
    for (uint32_t i = 0; i < t->rows.count; i++)
        if (!strcmp(t->rows.at[i].id, id))
            return &t->rows.at[i];
    check(false);
    return NULL;
}

static bool ours_is(const struct profile_table *t, const char *id, double want)
{
    double ours = row_of(t, id)->ours;
    if (fabs(ours - want) < 1e-9)
        return true;
    printf("%s is %.12g, not %.12g\n", id, ours, want);
    return false;
}

TEST(profile_counts_jobs_and_phases)
{
    struct profile_table t = table_of("job ten\n phase a tasks=5\n phase b tasks=5\n"
                                      "job eleven\n phase a tasks=6\n phase b tasks=5\n"
                                      "job odd\n phase a tasks=4\n phase b tasks=3\n phase c\n"
                                      "job one\n phase a tasks=10\n",
                                      &no_luck, &synth_model_table[SYNTH_BING]);
    expect(ours_is(&t, "small_jobs_pct", 75));
    expect(ours_is(&t, "equal_phases_pct", 50)); /* `one` has no second phase to compare */
    expect(ours_is(&t, "phases_p50", 2));
    expect(ours_is(&t, "phases_max", 3));
    vec_free(&t.rows);
}

TEST(profile_measures_the_smallest_jobs)
{
    /* Nine jobs of one second each and one of 91. */
    struct profile_table t = table_of("job big\n phase a tasks=91\n"
                                      "job small repeat=9 every=1s\n phase a\n",
                                      &no_luck, &synth_model_table[0]);
    expect(ours_is(&t, "smallest_90_resources_pct", 9));
    vec_free(&t.rows);
    /* All alike: 90 % of the jobs are 90 % of the resources. */
    t = table_of("job a repeat=20 every=1s\n phase a\n", &no_luck, &synth_model_table[0]);
    expect(ours_is(&t, "smallest_90_resources_pct", 90));
    vec_free(&t.rows);
}

/* An attempt takes 1 s to start, e^(0.1^2 / 2) of its size, and every fifth one stalls for 10 s:
 * with a size of 3 s that is 1 + 3.015 + 2. */
TEST(profile_resources_contain_luck)
{
    struct luck luck = no_luck;
    luck.startup_us = 1000000;
    luck.noise = 0.1;
    luck.stall_p = 0.1;
    luck.stall_us = 10000000;
    luck.bad_share = 0.5;
    luck.bad_factor = 3;
    luck.slow_p = 0.05;
    luck.slow_factor = 2;
    luck.slow_max = 4; /* 3 in the mean, and the mood doubles the chance: 1 + 0.05 * 2 * 2 */
    struct profile_table t = table_of("job big\n phase a size=91s\n phase b size=3s cpu=2\n"
                                      "job small repeat=9 every=1s\n phase a size=3s\n",
                                      &luck, &synth_model_table[0]);
    double small = 1 + 3 * exp(0.005) * 1.2 + 2, big = 1 + 91 * exp(0.005) * 1.2 + 2;
    expect(ours_is(&t, "smallest_90_resources_pct", 100 * 9 * small / (11 * small + big)));
    vec_free(&t.rows);
}

/* 64 jobs of 1 s, 32 of 2 s, 16 of 4 s, ...: the density falls by four where the size doubles. The
 * one below the densest bin does not count. */
TEST(profile_fits_the_power_law)
{
    struct profile_table t = table_of("job a repeat=64 every=0s\n phase a size=1s\n"
                                      "job b repeat=32 every=0s\n phase a size=2s\n"
                                      "job c repeat=16 every=0s\n phase a size=4s\n"
                                      "job d repeat=8 every=0s\n phase a size=8s\n"
                                      "job e repeat=4 every=0s\n phase a size=16s\n"
                                      "job f\n phase a size=500ms\n",
                                      &no_luck, &synth_model_table[0]);
    expect(ours_is(&t, "resources_exponent", 2));
    vec_free(&t.rows);
    t = table_of("job a\n phase a\n", &no_luck, &synth_model_table[0]);
    expect(isnan(row_of(&t, "resources_exponent")->ours)); /* no line through one point */
    vec_free(&t.rows);
}

/* A job of 7 slot-seconds and one of 9, on the cores of the cluster of Google's model. */
TEST(profile_offers_a_share_of_the_cores)
{
    const struct synth_model *m = &synth_model_table[SYNTH_GOOGLE];
    double cores = 0;
    for (int k = 0; k < SYNTH_SERVERS_MAX; k++)
        cores += (double)m->servers[k].count * m->servers[k].cores;
    struct profile_table t = table_of("job a\n phase a size=7s\n"
                                      "job b\n phase a size=3s tasks=3\n",
                                      &no_luck, m);
    expect(cores > 0 && ours_is(&t, "offered_cpu_pct", 100 * 8 * m->arrivals_per_s / cores));
    vec_free(&t.rows);
}

TEST(profile_measures_the_variation_of_input)
{
    /* Standard deviations 0, sqrt(2) and 10 of means 5, 5 and 20. */
    struct profile_table t = table_of("job a\n phase a tasks=2 inputs=5,5\n"
                                      " phase b tasks=2 inputs=4,6\n"
                                      " phase c tasks=3 inputs=10,20,30\n phase d input=9\n",
                                      &no_luck, &synth_model_table[0]);
    expect(ours_is(&t, "input_cv_p50", sqrt(2) / 5));
    expect(ours_is(&t, "input_cv_p90", 0.5));
    vec_free(&t.rows);
}

TEST(profile_shows_what_was_published)
{
    enum { MISSING = -1 }; /* no row; NAN: a row of ours alone */
    static const struct {
        const char *id;
        double paper[SYNTH_MODELS];
    } published[] = {
        {"single_task_jobs_pct", {MISSING, MISSING, 78.1}},
        {"small_jobs_pct", {82, 61, 85.5}},
        {"tasks_p99", {MISSING, MISSING, 837}},
        {"offered_cpu_pct", {MISSING, MISSING, 50}},
        {"smallest_90_resources_pct", {6, 11, MISSING}},
        {"resources_exponent", {1.9, 1.8, MISSING}},
        {"equal_phases_pct", {91, 91, MISSING}},
        {"phases_p50", {2, 8, MISSING}},
        {"phases_max", {2, 6, MISSING}},
        {"input_cv_p50", {NAN, 0.34, MISSING}},
        {"input_cv_p90", {NAN, 3.1, MISSING}},
    };
    for (int m = 0; m < SYNTH_MODELS; m++) {
        struct profile *p = profile_create(&no_luck);
        struct profile_table t = {0};
        profile_rows(p, &synth_model_table[m], &t);
        profile_destroy(p);
        uint32_t rows = 0;
        for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
            double paper = published[i].paper[m];
            if (paper == MISSING)
                continue;
            rows++;
            const struct profile_row *row = row_of(&t, published[i].id);
            expect(isnan(paper) ? isnan(row->paper) : row->paper == paper);
            expect(isnan(paper) == !row->citation[0]);
            expect(isnan(row->ours)); /* there are no jobs */
        }
        expect(t.rows.count == rows);
        vec_free(&t.rows);
    }
}
