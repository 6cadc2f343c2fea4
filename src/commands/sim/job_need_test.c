#include "commands/sim/job_need.h"

#include <math.h>

#include "base/text.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

/* Mean cores that the jobs of this file need, with this luck. */
static double cores(const char *text, struct luck luck)
{
    struct err err = {.text = ""};
    struct cluster *c = cluster_create();
    c->luck = luck;
    struct scratch s = scratch_write(text, strlen(text));
    struct workload *w = workload_file_read(s.path, NULL, &err);
    scratch_remove(&s);
    if (!w)
        printf("%s\n", err.text);
    check(w);
    struct job_need need = job_need_of(w, c);
    w->destroy(w);
    cluster_destroy(c);
    expect(need.v[RES_X] == 0);
    return need.v[RES_CPU] / RES_SLOT;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * b;
}

/* More of them than are kept before those that have ended are added up. */
TEST(job_need_of_jobs_that_keep_coming)
{
    struct str text = {0};
    for (int i = 0; i < 20000; i++)
        str_addf(&text, "job j%d at=%ds\n  phase p tasks=1 cpu=2 size=30s\n", i, 10 * i);
    double all = 20000 * 30 * 2, span = 19999 * 10;
    /* Three run at once; at the beginning fewer do, and of the last three 60 s come too late. */
    expect(near(cores(text.text, (struct luck){0}), (all - 2 * (30 + 20 + 10)) / span));
    str_free(&text);
}

/* 4 cores for 5 s, then nothing for 5 s; a task that arrives then runs for long, but alone. */
TEST(job_need_is_that_while_jobs_arrive_where_few_tasks_run_on)
{
    const char *text = "job a at=0s\n  phase p tasks=4 cpu=1 size=5s\n"
                       "job b at=10s\n  phase p tasks=1 cpu=1 size=1000s\n";
    expect(near(cores(text, (struct luck){0}), 2));
}

/* The second arrives when hardly anything has run: what comes after that counts. */
TEST(job_need_is_that_until_the_end_where_most_runs_then)
{
    const char *text = "job a at=0s\n  phase p tasks=1 cpu=1 size=10s\n"
                       "job b at=1s\n  phase p tasks=100 cpu=1 size=10s\n";
    expect(near(cores(text, (struct luck){0}), 1010 / 11.0));
}

/* 3 cores for 10 s and then one for 20 s, in each of two jobs. */
TEST(job_need_of_jobs_that_arrive_at_once)
{
    const char *job = "  phase p tasks=3 cpu=1 size=10s\n"
                      "  phase q tasks=1 cpu=1 size=20s after=p\n";
    struct str text = {0};
    str_addf(&text, "job a at=7s\n%sjob b at=7s\n%s", job, job);
    expect(near(cores(text.text, (struct luck){0}), 100 / 30.0));
    str_free(&text);
}

TEST(job_need_has_the_luck_of_the_cluster)
{
    const char *text = "job a at=0s\n  phase p tasks=1000 cpu=1 size=10s\n"
                       "job b at=30s\n  phase p tasks=1 cpu=1\n    task 0 attempts=10s\n";
    struct luck stalls = {.stall_p = 1, .stall_us = 10000000, .stall_at = 1};
    struct luck half = {.stall_p = 0.5, .stall_us = 10000000, .stall_at = 1};
    expect(near(cores(text, (struct luck){0}), 1000 * 10 / 30.0));
    expect(near(cores(text, stalls), 1000 * 20 / 30.0));
    expect(fabs(cores(text, half) * 30 / 1000 - 15) < 1);
}

static struct workload_job *no_job(struct workload *w)
{
    (void)w;
    return NULL;
}

TEST(job_need_of_no_jobs_is_nothing)
{
    struct workload none = {.next = no_job};
    struct cluster *c = cluster_create();
    expect(job_need_of(&none, c).v[RES_CPU] == 0);
    cluster_destroy(c);
}
