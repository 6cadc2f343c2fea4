/* Jobs that cannot begin, or go on, leave nothing and are told why. */
#include "jobs/run/datajob.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/run/job_sim.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* A job of one phase that reads a file. */
static struct datajob job_of(const char *phase, const char *input)
{
    struct datajob j = {.output = mem_strdup("out")};

    j.plan.job = mem_strdup("job");
    datajob_add_phase(&j, phase, "cat");
    vec_push(&j.inputs.texts, input);
    return j;
}

/* Returns true if the job cannot be run for a reason that ends with this, and leaves no folder. */
static bool begins_not(struct datajob *j, enum err_kind kind, const char *why)
{
    struct drive_result result = {0};
    struct err err = {0};
    int done = datajob_run(j, &result, &err);
    size_t length = strlen(err.text), end = strlen(why);
    bool same = done == -1 && err.kind == kind && length >= end &&
                strcmp(err.text + length - end, why) == 0 && access("out", F_OK) < 0;

    if (!same)
        printf("%d: %s\n    not\n%s\n", done, err.text, why);
    datajob_fini(j);
    return same;
}

/* Each of the three files is the first that is too long. */
TEST(datajob_that_cannot_be_written_leaves_nothing)
{
    struct command_folder f;
    char blanks[4000];
    command_begin(&f);
    command_file("in", "a\n");
    memset(blanks, ' ', sizeof blanks);
    blanks[sizeof blanks - 1] = 0;
    struct rlimit before = limits_bytes(10);
    struct datajob j = job_of("map", "in");
    expect(begins_not(&j, ERR_SYSTEM, "/out/_temporary/plan: File too large"));
    limits_bytes(3000);
    j = job_of("map", "in");
    str_add(&j.job_keys, blanks);
    expect(begins_not(&j, ERR_SYSTEM, "/out/_temporary/job: File too large"));
    j = job_of("map", "in");
    j.run.where = (struct where_options){.spec = "slurm:2", .slurm = blanks};
    expect(begins_not(&j, ERR_SYSTEM, "/out/_temporary/on: File too large"));
    setrlimit(RLIMIT_FSIZE, &before);
    j = job_of("map", "in");
    j.run.where = (struct where_options){.spec = "slurm:2", .slurm = "two\nlines"};
    expect(begins_not(&j, ERR_INPUT, "--slurm: expected one line"));
    command_end(&f);
}

/* Goes down until the path of the folder is longer than the system takes. */
static void go_deep(void)
{
    char name[251];

    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (size_t length = 0; length <= PATH_MAX; length += sizeof name)
        expect(mkdir(name, 0700) == 0 && chdir(name) == 0);
}

TEST(datajob_whose_folder_has_no_whole_path_is_refused)
{
    struct command_folder f;
    struct drive_result result;
    struct err err;
    char input[TEST_FOLDER + 4];
    command_begin(&f);
    command_file("in", "a\n");
    struct datajob none = {.output = mem_strdup("out")};
    expect(datajob_trust("out", &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "out: No such file or directory") == 0);
    expect(datajob_resume(&none, &result, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "out: No such file or directory") == 0);
    expect(mkdir("out", 0700) == 0 && datajob_resume(&none, &result, &err) == -1);
    expect(strstr(err.text, "/out/_temporary/plan: No such file or directory"));
    datajob_fini(&none);
    expect(rmdir("out") == 0);
    go_deep();
    snprintf(input, sizeof input, "%s/in", f.path);
    struct datajob j = job_of("map", input);
    expect(begins_not(&j, ERR_SYSTEM, "out: File name too long"));
    command_end(&f);
}

/* Returns true if a job with this phase has no times in the journal for this reason. */
static bool has_no_times(const char *phase, const char *why)
{
    struct datajob j = job_of(phase, "in");
    struct str text = {0};
    struct err err = {0};

    j.sims.at[0].journal = mem_strdup("run/journal");
    int result = job_sim_workload(&j, &text, &err);
    bool same = result == -1 && !text.text && err.kind == ERR_INPUT && strcmp(err.text, why) == 0;
    if (!same)
        printf("%d: %s\n    not\n%s\n", result, err.text, why);
    str_free(&text);
    datajob_fini(&j);
    return same;
}

TEST(datajob_has_no_times_of_tasks_that_failed)
{
    struct command_folder f;
    struct drive_result result;
    struct err err;
    struct drive_options options = {
        .workload = "w", .run = {.slots = 1, .policy = "none", .seed = 1, .exec = {.dir = "run"}}};

    if (test_lacks_subreaper())
        return;
    command_begin(&f);
    command_file("in", "a\n");
    command_file("w", "job one\n  phase only command=\"exit 3\"\n");
    expect(drive_run(&options, &result, &err) == 0 && result.failure);
    mem_free(result.failure);
    expect(has_no_times("only", "run/journal: no task of a phase 'only' has finished there"));
    expect(has_no_times("other", "run/journal: no job there has a phase 'other'"));
    command_end(&f);
}

/* ---- for the simulator ---- */

/* Two phases: one reads four bytes, and two tasks read it. */
static struct datajob job_of_two(const char *first, const char *then)
{
    struct datajob j = job_of("map", "in");
    struct err err;

    struct plan_phase *p = datajob_add_phase(&j, "reduce", "cat");
    p->above = 0;
    p->tasks = 2;
    expect(job_sim_take(&j.sims.at[0], first, &err) == 0);
    expect(job_sim_take(&j.sims.at[1], then, &err) == 0);
    return j;
}

TEST(datajob_is_a_workload_for_the_simulator)
{
    struct command_folder f;
    struct str text = {0};
    struct err err;
    command_begin(&f);
    command_file("in", "a\nb\n");
    struct datajob j = job_of_two("time=3s", "time=1s,2s");
    expect(job_sim_workload(&j, &text, &err) == 0);
    expect(text_was(&text, "job job\n  phase map tasks=1 inputs=4 output=4 sizes=3000000us\n"
                           "  phase reduce tasks=2 after=map sizes=1000000us,2000000us\n"));
    datajob_fini(&j);
    j = job_of_two("time=3s", "time=1s,2s");
    str_add(&j.job_keys, " priority=1");
    str_add(&j.keys.at[1], " cpu=2");
    j.plan.phases.at[1].tasks = 0; /* as many as above */
    expect(job_sim_take(&j.sims.at[0], "output=1K", &err) == 0);
    expect(job_sim_workload(&j, &text, &err) == 0);
    expect(text_was(&text,
                    "job job priority=1\n  phase map tasks=1 inputs=4 output=1024 "
                    "sizes=3000000us\n  phase reduce tasks=1 after=map cpu=2 sizes=1000000us\n"));
    datajob_fini(&j);
    j = job_of_two("time=3s", "time=1s"); /* each of two tasks leaves 1 KiB to a third phase */
    expect(job_sim_take(&j.sims.at[1], "output=1K", &err) == 0);
    struct plan_phase *p = datajob_add_phase(&j, "last", "cat");
    p->above = 1;
    p->tasks = 1;
    expect(job_sim_take(&j.sims.at[2], "time=2s", &err) == 0);
    expect(job_sim_workload(&j, &text, &err) == 0);
    expect(text_was(&text, "job job\n  phase map tasks=1 inputs=4 output=4 sizes=3000000us\n"
                           "  phase reduce tasks=2 after=map output=1024 "
                           "sizes=1000000us,1000000us\n"
                           "  phase last tasks=1 after=reduce sizes=2000000us\n"));
    datajob_fini(&j);
    str_free(&text);
    command_end(&f);
}

TEST(datajob_for_the_simulator_needs_times_from_one_place)
{
    struct command_folder f;
    struct str text = {0};
    struct err err;
    command_begin(&f);
    command_file("in", "a\nb\n");
    struct datajob j = job_of_two("time=3s", "output=1");
    expect(job_sim_workload(&j, &text, &err) == -1 &&
           strcmp(err.text,
                  "phase 'reduce' has no times to simulate; expected `sim: {time: DIST}` "
                  "or `sim: {journal: FILE}`, of a run with `dolly run --journal FILE`") == 0);
    datajob_fini(&j);
    j = job_of_two("time=3s", "time=1s");
    expect(job_sim_take(&j.sims.at[1], "journal=", &err) == -1);
    expect(strcmp(err.text, "sim: 'journal=' is neither time, journal nor output") == 0);
    expect(job_sim_take(&j.sims.at[1], "journal=x", &err) == 0);
    expect(job_sim_workload(&j, &text, &err) == -1 &&
           strncmp(err.text, "phase 'reduce' has two times; expected", 38) == 0);
    datajob_fini(&j);
    expect(!text.text);
    command_end(&f);
}

/* ---- without inputs ---- */

TEST(datajob_without_files_has_one_task_that_reads_nothing)
{
    struct command_folder f;
    struct err err = {0};
    command_begin(&f);
    expect(mkdir("empty", 0700) == 0);
    struct datajob j = job_of("map", "empty");
    expect(datajob_cut(&j, &err) == -1 && strcmp(err.text, "empty: this input has no files") == 0);
    j.how.may_be_empty = true;
    expect(datajob_cut(&j, &err) == 0 && j.plan.splits.count == 1 && j.packed_inputs == 0);
    expect(!*j.plan.splits.at[0].path && j.plan.splits.at[0].bytes == 0);
    expect(j.plan.phases.at[0].tasks == 1);
    datajob_fini(&j);
    command_end(&f);
}

/* A packed file, which its first bytes tell, is one piece however large, and is counted. */
TEST(datajob_counts_inputs_that_cannot_be_cut)
{
    static const struct {
        const char *name, *mark;
        bool packed;
    } files[] = {
        {"a", "\x1f\x8b", true},           {"b", "\x28\xb5\x2f\xfd", true},
        {"c", "\xfd\x37zXZ", true},        {"d", "BZh", true},
        {"e", "\x04\x22\x4d\x18", true}, {"f", "PK\x03\x04", true},
        {"g", "\x1f", false},              {"h.gz", "x", false},
    };
    enum { FILES = sizeof files / sizeof *files, PACKED = 6, PLAIN = 2 };
    struct command_folder f;
    struct err err = {0};
    char text[100], path[32];

    command_begin(&f);
    expect(mkdir("in", 0700) == 0);
    for (size_t i = 0; i < FILES; i++) {
        size_t mark = strlen(files[i].mark);
        memcpy(text, files[i].mark, mark);
        memset(text + mark, 'x', sizeof text - 1 - mark);
        text[sizeof text - 1] = 0;
        snprintf(path, sizeof path, "in/%s", files[i].name);
        command_file(path, text);
    }
    struct datajob j = job_of("map", "in");
    j.piece_bytes = 50;
    expect(datajob_cut(&j, &err) == 0 && j.packed_inputs == PACKED);
    expect(j.plan.splits.count == PACKED + 2 * PLAIN);
    expect(j.plan.phases.at[0].tasks == PACKED + 2 * PLAIN);
    for (uint32_t i = 0; i < PACKED; i++)
        expect(j.plan.splits.at[i].packed == files[i].packed);
    datajob_fini(&j);
    command_end(&f);
}

/* ---- a job that was cut short ---- */

TEST(datajob_has_stages)
{
    struct command_folder f;
    command_begin(&f);
    expect(datajob_stage("out") == DATAJOB_NONE && mkdir("out", 0700) == 0);
    expect(datajob_stage("out") == DATAJOB_NONE && mkdir("out/_temporary", 0700) == 0);
    expect(datajob_stage("out") == DATAJOB_NOT_BEGUN && mkdir("out/_temporary/run", 0700) == 0);
    command_file("out/_temporary/run/journal", "");
    expect(datajob_stage("out") == DATAJOB_NOT_BEGUN);
    command_file("out/_temporary/run/journal", "damaged");
    expect(datajob_stage("out") == DATAJOB_CUT);
    command_file("out/_SUCCESS", "");
    expect(datajob_stage("out") == DATAJOB_DONE);
    command_end(&f);
}

TEST(datajob_is_trusted_where_no_other_user_may_write)
{
    static const char *const folders[] = {"out", "out/_temporary", "out/_temporary/run"};
    struct command_folder f;
    struct err err = {0};
    char why[200];
    command_begin(&f);
    umask(022);
    for (size_t i = 0; i < 3; i++)
        expect(mkdir(folders[i], 0755) == 0);
    expect(symlink("/nowhere", "out/_temporary/journal") == 0);
    expect(datajob_trust("out", &err) == 0);
    for (size_t i = 0; i < 3; i++) {
        expect(chmod(folders[i], 0777) == 0 && datajob_trust("out", &err) == -1);
        snprintf(why, sizeof why, "/%s: other users may write to it", folders[i]);
        expect(strstr(err.text, why) && chmod(folders[i], 0755) == 0);
    }
    expect(symlink("/nowhere", "out/_temporary/run/journal") == 0);
    expect(datajob_trust("out", &err) == -1);
    expect(strstr(err.text, "/out/_temporary/run/journal: is a symbolic link"));
    command_end(&f);
}
