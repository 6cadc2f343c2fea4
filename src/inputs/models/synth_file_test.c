#include "inputs/models/synth_file.h"

#include "inputs/models/mix_job.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

#define HEAD "model m cluster=c.cluster jobs=10 warmup=5m then=nothing\n"
#define ARRIVALS "arrivals every=60s surge=0.3 window=10m\n"
#define JOBS                                                                                       \
    "jobs kinds=5 width=20 width_noise=0.9 width_max=150 waves=2 waves_noise=0.7 overhead=10s "    \
    "overhead_noise=0.3\n"
#define PHASES                                                                                     \
    "phases phases=8 phases_noise=0.8 phases_max=40 source=0.2 join=0.5 barrier=0.5 spread=0.4\n"
#define TASKS "tasks size=40s kind_noise=0.3 run_noise=0.7 phase_noise=0.5\n"
#define DATA                                                                                       \
    "data skew=0.3 skew_noise=0.5 skew_max=1 hot_phases=0.2 hot_tasks=0.02 hot_min=30 "            \
    "hot_max=120 rate=8M output=0.2 output_noise=1\n"
#define ALL HEAD ARRIVALS JOBS PHASES TASKS DATA

TEST(synth_file_reads_a_model)
{
    static const char text[] =
        "# a comment\n\n" ALL "published phases_p50 value=8 source=\"Mantri 3.2\"\n";
    struct scratch s = scratch_write(text, sizeof text - 1);
    struct err err;
    struct synth_model *m = synth_file_read(s.path, &err);
    expect(m != NULL);
    if (m) {
        expect(!strcmp(m->name, "m") && !strcmp(m->cluster_path, "/tmp/c.cluster"));
        expect(m->jobs == 10 && m->warmup_us == 300000000 && m->drains);
        expect(m->flow->kinds == 5 && m->flow->size_us == 40000000 && m->overhead_s == 10);
        expect(m->arrivals_per_s > 0.0166 && m->arrivals_per_s < 0.0167);
        expect(m->published_count == 1 && m->published[0].value == 8);
        expect(!strcmp(m->published[0].citation, "Mantri 3.2"));
    }
    synth_file_free(m);
    scratch_remove(&s);
}

#define MIX "mix cpu_noise=0.1 mem_noise=0 size_noise=0 task_noise=0\n"
#define MIXED HEAD ARRIVALS MIX "job a\n phase p tasks=2 size=4s\njob b\n phase q\n"

TEST(synth_file_reads_a_mix)
{
    struct scratch s = scratch_write(MIXED, sizeof MIXED - 1);
    struct err err;
    struct synth_model *m = synth_file_read(s.path, &err);
    expect(m != NULL && m->mix && !m->flow);
    if (m) {
        expect(m->mix->templates.jobs.count == 2 && m->mix->cpu_noise == 0.1);
        expect(!strcmp(m->mix->templates.jobs.at[1].name, "b"));
    }
    synth_file_free(m);
    scratch_remove(&s);
}

static void expect_blame(const char *text, unsigned line, const char *what)
{
    struct scratch s = scratch_write(text, strlen(text));
    struct err err;
    struct synth_model *m = synth_file_read(s.path, &err);
    expect(m == NULL && scratch_blames(&s, err.text, line, what));
    synth_file_free(m);
    scratch_remove(&s);
}

TEST(synth_file_refuses_what_is_wrong)
{
    expect_blame(HEAD ARRIVALS JOBS PHASES TASKS, 5, "skew= of data is missing");
    expect_blame(ARRIVALS HEAD, 1, "'arrivals' before the model");
    expect_blame(HEAD HEAD, 2, "a second line model");
    expect_blame(HEAD "arrivals every=0s\n", 2, "every");
    expect_blame(HEAD "arrivals evry=1s\n", 2, "did you mean 'every'?");
    expect_blame(HEAD "arrivals every=1s every=2s\n", 2, "every");
    expect_blame(HEAD "job x\n", 2, "did you mean 'jobs'?");
    expect_blame("model a/b cluster=c\n", 1, "not a valid name of a model");
    expect_blame("model a then=later\n", 1, "more or nothing");
    expect_blame(ALL "published a value=1\n", 7, "expected both");
    expect_blame(ALL "published a value=1 source=x\npublished a value=1 source=x\n", 8,
                 "published twice");
    expect_blame(HEAD "data hot_min=5 hot_max=4\n", 2, "missing");
}

TEST(synth_file_refuses_what_is_wrong_in_a_mix)
{
    expect_blame(HEAD ARRIVALS MIX, 3, "no jobs; expected at least: job NAME");
    expect_blame(HEAD ARRIVALS MIX "job a\n", 4, "job 'a' has no phase");
    expect_blame(HEAD MIX "job a\n phase p\n", 4, "every= of arrivals is missing");
    expect_blame(HEAD ARRIVALS "mix cpu_noise=1\njob a\n phase p\n", 5,
                 "mem_noise= of mix is missing");
    expect_blame(HEAD MIX TASKS, 3, "both mix and tasks; expected a mix of jobs or a flow");
    expect_blame(HEAD DATA MIX, 3, "both mix and data");
    expect_blame(HEAD ARRIVALS MIX "job a repeat=2 every=1s\n phase p\n", 4,
                 "expected none of them");
    expect_blame(HEAD ARRIVALS MIX "job a at=5s\n phase p\n", 4, "expected none of them");
    expect_blame(MIXED "published a value=1 source=x\n", 8, "published");
}

TEST(synth_file_wants_hot_tasks_in_order)
{
    static const char text[] = HEAD ARRIVALS JOBS PHASES TASKS
        "data skew=0.3 skew_noise=0.5 skew_max=1 hot_phases=0.2 hot_tasks=0.02 hot_min=30 "
        "hot_max=20 rate=8M output=0.2 output_noise=1\n";
    expect_blame(text, 6, "hot_max of data is below hot_min");
}
