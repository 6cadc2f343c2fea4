#include "inputs/workload/workload.h"

#include "inputs/models/synth.h"
#include "inputs/workload/job_equal_test.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static struct workload *read_text(const char *text, const struct cluster *c)
{
    struct err err = {.text = ""};
    struct scratch s = scratch_write(text, strlen(text));
    struct workload *w = workload_file_read(s.path, c, &err);
    scratch_remove(&s);
    if (!w)
        printf("%s\n", err.text);
    check(w);
    return w;
}

TEST(workload_write_is_read_back)
{
    static const char whole[] =
        "job late at=10s setup=1500ms wrapup=1us user=ann queue=prod weight=2.5 "
        "running_max=200 app=sort\n"
        "  phase map tasks=5 cpu=1.5 mem=512M sizes=4s,5s inputs=64M,1K output=8M "
        "expect=5.5s expect_dev=1us vary=bytes\n"
        "    task 4 size=9s input=1G on=n3,n1 attempts=5s,12s command=\"echo \\\"four\\\\\"\n"
        "    task 1 attempts=7s on=n0\n"
        "  phase other size=250ms command=\"echo other\"\n"
        "  phase reduce cpu=0 x=2 y=3 tasks=2 after=map,other slowstart=5% size=3s clone=never "
        "input=1025\n"
        "job early at=1m\n"
        "  phase one tasks=2 vary=luck\n"
        "  phase two tasks=2 after=one pattern=one-to-one\n"
        "  phase three after=two pattern=many-to-one\n"
        "job many at=90s repeat=3 every=1h\n  phase p\n";
    struct cluster *c = cluster_plain(4, 1);
    struct workload *w = read_text(whole, c), *again;
    struct str text = {0};
    struct workload_job *jobs[5];
    for (int i = 0; i < 5; i++) {
        jobs[i] = w->next(w);
        workload_write(jobs[i], c, &text);
    }
    expect(w->next(w) == NULL);
    again = read_text(text.text, c);
    for (int i = 0; i < 5; i++) {
        struct workload_job *job = again->next(again);
        expect(job_equal(job, jobs[i]));
        workload_job_free(job);
        workload_job_free(jobs[i]);
    }
    expect(again->next(again) == NULL);
    w->destroy(w);
    again->destroy(again);
    str_free(&text);
    cluster_destroy(c);
}

/* What people see. */
TEST(workload_write_is_short)
{
    static const char text[] =
        "job a at=0.000001s setup=1.5s wrapup=3600s running_max=7 app=a.b weight=0.500\n"
        "  phase p tasks=2 cpu=0.250 sizes=1s,2.05s input=1025K output=3T\n"
        "    task 1 attempts=0.1s,20s command=\"a \\\"b\\\"\"\n"
        "  phase q tasks=1 after=p slowstart=7% size=1s expect=12s expect_dev=0.004s clone=never\n";
    struct workload *w = read_text(text, NULL);
    struct workload_job *job = w->next(w);
    struct str s = {0};
    workload_write(job, NULL, &s);
    expect(!strcmp(s.text, text));
    if (strcmp(s.text, text))
        printf("%s", s.text);
    str_free(&s);
    workload_job_free(job);
    w->destroy(w);
}

TEST(workload_write_keeps_generated_jobs)
{
    enum { JOBS = 300 };
    for (int m = 0; m < SYNTH_MODELS; m++) {
        struct workload *w = synth_create(&synth_model_table[m], 9);
        struct workload_job *jobs[JOBS];
        struct str text = {0};
        for (int i = 0; i < JOBS; i++) {
            jobs[i] = w->next(w);
            workload_write(jobs[i], NULL, &text);
        }
        struct workload *again = read_text(text.text, NULL);
        for (int i = 0; i < JOBS; i++) {
            struct workload_job *job = again->next(again);
            expect(job_equal(job, jobs[i]));
            workload_job_free(job);
            workload_job_free(jobs[i]);
        }
        expect(again->next(again) == NULL);
        again->destroy(again);
        w->destroy(w);
        str_free(&text);
    }
}
