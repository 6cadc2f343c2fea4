/* What is told of times, by hand and against what the simulator draws. */
#include "inputs/workload/tell.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "sim/luck.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static bool near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

static struct tell_time of(const struct cluster *c, uint32_t tasks, const struct phase_truth *truth)
{
    struct tell_luck l = tell_luck(c);
    struct phase_spec spec = {.tasks = tasks};
    return tell_phase(&l, &spec, truth);
}

/* 2 and 4 s: 3 s, and 1 s off. Half of the nodes at half speed: 1.5 times as long on average. */
TEST(tell_sizes_speeds_and_given_times)
{
    static const int64_t sizes[] = {2 * S, 4 * S}, given[] = {9 * S, 1 * S};
    static const uint32_t from[] = {0, 2, 2};
    struct phase_truth plain = {.size_us = 5 * S}, two = {.size_each = sizes};
    struct cluster *c = cluster_plain(2, 1);
    struct tell_time t = of(c, 7, &plain);
    expect(t.mean_us == 5 * S && t.dev_us == 0);
    t = of(c, 2, &two);
    expect(t.mean_us == 3 * S && t.dev_us == 1 * S);
    c->luck.startup_us = S;
    two.attempt_from =
        from; /* the first attempt of the first task takes 9 s, the other task 1 + 4 */
    two.attempts = given;
    t = of(c, 2, &two);
    expect(t.mean_us == 7 * S && t.dev_us == 2 * S);
    c->nodes[1].speed = 0.5;
    t = of(c, 3, &plain); /* 1 + 5 and 1 + 10 */
    expect(near(t.mean_us, 8.5 * S, 1e-12) && near(t.dev_us, 2.5 * S, 1e-12));
    plain.size_us = 0;
    t = of(c, 3, &plain);
    expect(t.mean_us == S && t.dev_us == 0);
    cluster_destroy(c);
}

/* Draws the attempts of a phase on all nodes at many times. */
static void expect_drawn(struct cluster *c, const int64_t *sizes, uint32_t tasks)
{
    enum { DRAWS = 400000 };
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct attempt_ref at = {{i}, i % tasks, 0, 0};
        uint32_t node = i / tasks % c->node_count;
        struct luck_plan plan =
            luck_plan(&c->luck, 1, at, (struct node_id){node}, c->nodes[node].speed,
                      sizes[i % tasks], (int64_t)i * 61 * S);
        double off = (double)luck_life_us(&plan) - mean;
        mean += off / (i + 1);
        square += off * ((double)luck_life_us(&plan) - mean);
    }
    struct tell_time t = of(c, tasks, &(struct phase_truth){.size_each = sizes});
    bool same = near(t.mean_us, mean, 0.01) && near(t.dev_us, sqrt(square / DRAWS), 0.02);
    if (!same)
        printf("told %g and %g, drawn %g and %g\n", t.mean_us, t.dev_us, mean,
               sqrt(square / DRAWS));
    expect(same);
}

TEST(tell_what_the_simulator_draws)
{
    static const int64_t sizes[] = {3 * S, 5 * S, 20 * S};
    static const struct luck lucks[] = {
        {.noise = 0.5},
        {.slow_p = 0.2, .slow_factor = 3},
        {.slow_p = 0.2, .slow_factor = 2, .slow_max = 4, .slow_tail = 0.1, .slow_tail_max = 10},
        {.stall_p = 0.1, .stall_us = 30 * S, .stall_noise = 0.3, .stall_at = 1},
        {.pareto = 5},
        {.slow_p = 0.1, /* they come together, mostly */
         .slow_factor = 10,
         .stall_p = 0.1,
         .stall_us = 50 * S,
         .stall_at = 1,
         .bad_share = 0.1,
         .bad_factor = 9,
         .good_factor = 0.1,
         .window_us = 60 * S},
        {.startup_us = S,
         .noise = 0.2,
         .slow_p = 0.1,
         .slow_factor = 4,
         .stall_p = 0.1,
         .stall_us = 20 * S,
         .stall_at = 1,
         .bad_share = 0.25,
         .bad_factor = 3,
         .good_factor = 1.0 / 3,
         .window_us = 60 * S,
         .busy_share = 0.3,
         .busy_factor = 2,
         .busy_window_us = 600 * S},
    };
    struct cluster *c = cluster_plain(8, 1);
    for (uint32_t i = 0; i < c->node_count; i++)
        c->nodes[i].speed = i % 2 ? 0.8 : 1.25;
    for (size_t i = 0; i < sizeof lucks / sizeof *lucks; i++) {
        c->luck = lucks[i];
        expect_drawn(c, sizes, 3);
    }
    /* What passes depends on the size: exact where all tasks are alike. */
    c->luck = (struct luck){
        .slow_p = 0.3, .slow_factor = 2, .slow_max = 9, .slow_for_us = 10 * S, .startup_us = S};
    for (uint32_t i = 0; i < c->node_count; i++)
        c->nodes[i].speed = 1;
    expect_drawn(c, (const int64_t[]){5 * S, 5 * S}, 2);
    cluster_destroy(c);
}

TEST(tell_luck_without_mean_or_deviation)
{
    struct phase_truth truth = {.size_us = 2 * S};
    struct cluster *c = cluster_plain(1, 1);
    c->luck.pareto = 3; /* 3 / 2, and sqrt(3 - 9 / 4) */
    struct tell_time t = of(c, 1, &truth);
    expect(near(t.mean_us, 3 * S, 1e-9) && near(t.dev_us, sqrt(0.75) * 2 * S, 1e-9));
    c->luck.pareto = 2;
    t = of(c, 1, &truth);
    expect(near(t.mean_us, 4 * S, 1e-9) && near(t.dev_us, 4 * S, 1e-9));
    c->luck.pareto = 1;
    expect(isinf(of(c, 1, &truth).mean_us));
    cluster_destroy(c);
}

/* ---- jobs ---- */

/* A stream of equal jobs of two phases. */
struct same_job {
    struct workload_job job;
    struct phase_spec specs[2];
    struct phase_truth truths[2];
};

static struct workload_job *same_next(struct workload *w)
{
    struct same_job *j = mem_zalloc(1, sizeof *j);
    (void)w;
    for (int k = 0; k < 2; k++) {
        j->specs[k] = (struct phase_spec){.tasks = 1};
        j->truths[k].size_us = 8 * S;
    }
    j->specs[0].expect_us = 2 * S;
    j->job = (struct workload_job){
        .spec = {.phases = j->specs, .phase_count = 2}, .truth = j->truths, .memory = j};
    return &j->job;
}

static void same_destroy(struct workload *w)
{
    mem_free(w);
}

static struct workload *telling(const struct cluster *c, uint64_t seed, enum tell tell,
                                double error)
{
    struct workload *w = mem_zalloc(1, sizeof *w);
    *w = (struct workload){.name = "same", .next = same_next, .destroy = same_destroy};
    return tell_create(w, c, seed, tell, error);
}

/* What is told of both phases of the job of this index. */
static void told(const struct cluster *c, uint64_t seed, enum tell tell, double error,
                 uint32_t index, int64_t us[2], int64_t dev_us[2])
{
    struct workload *w = telling(c, seed, tell, error);
    for (uint32_t i = 0; i <= index; i++) {
        struct workload_job *job = w->next(w);
        for (int k = 0; k < 2; k++) {
            us[k] = job->spec.phases[k].expect_us;
            dev_us[k] = job->spec.phases[k].expect_dev_us;
        }
        workload_job_free(job);
    }
    workload_close(w);
    expect(!w->next(w));
    w->destroy(w);
}

TEST(tell_the_truth_or_nothing_or_what_was_said)
{
    int64_t us[2], dev[2];
    struct cluster *c = cluster_plain(2, 1);
    c->nodes[1].speed = 0.5; /* 8 and 16 s */
    told(c, 1, TELL_EXACT, 0, 3, us, dev);
    expect(us[0] == 12 * S && us[1] == 12 * S && dev[0] == 4 * S && dev[1] == 4 * S);
    told(c, 1, TELL_NONE, 0, 3, us, dev);
    expect(us[0] == 0 && us[1] == 0 && dev[0] == 0 && dev[1] == 0);
    told(c, 1, TELL_AS_SAID, 0, 3, us, dev);
    expect(us[0] == 2 * S && us[1] == 0 && dev[0] == 0 && dev[1] == 0);
    c->luck.pareto = 0.5;
    told(c, 1, TELL_EXACT, 0, 0, us, dev);
    expect(us[0] == (int64_t)TELL_MAX_US && dev[0] >= 0);
    cluster_destroy(c);
}

/* The errors have their own luck: another for each phase and job, the same every time, mean and
 * deviation by the same factor, and logarithms with deviation E. */
TEST(tell_errors_are_log_normal)
{
    enum { JOBS = 2000 };
    struct cluster *c = cluster_plain(2, 1);
    c->nodes[1].speed = 0.5;
    struct workload *w = telling(c, 5, TELL_EXACT, 0.5), *again = telling(c, 5, TELL_EXACT, 0.5);
    double sum = 0, squares = 0;
    for (int i = 0; i < JOBS; i++) {
        struct workload_job *job = w->next(w), *twin = again->next(again);
        const struct phase_spec *p = job->spec.phases;
        expect(p[0].expect_us == twin->spec.phases[0].expect_us &&
               p[0].expect_us != p[1].expect_us);
        expect(near((double)p[0].expect_dev_us * 3, (double)p[0].expect_us, 1e-5));
        for (int k = 0; k < 2; k++) {
            double log_factor = log((double)p[k].expect_us / (12 * S));
            sum += log_factor;
            squares += log_factor * log_factor;
        }
        workload_job_free(job);
        workload_job_free(twin);
    }
    expect(fabs(sum / (2 * JOBS)) < 0.03 && near(sqrt(squares / (2 * JOBS)), 0.5, 0.05));
    w->destroy(w);
    again->destroy(again);
    cluster_destroy(c);
}

TEST(tell_absurd_errors_saturate)
{
    struct cluster *c = cluster_plain(2, 1);
    int least = 0, most = 0;
    c->nodes[1].speed = 0.5;
    for (uint32_t i = 0; i < 50; i++) {
        int64_t us[2], dev[2];
        told(c, 1, TELL_EXACT, TELL_ERROR_MAX, i, us, dev);
        for (int k = 0; k < 2; k++) {
            least += us[k] == 1 && dev[k] == 0;
            most += us[k] == (int64_t)TELL_MAX_US && dev[k] == (int64_t)TELL_MAX_US;
        }
    }
    expect(least + most == 100 && least > 20 && most > 20);
    cluster_destroy(c);
}
