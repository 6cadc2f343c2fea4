/* Jobs that cannot begin, or go on, leave nothing and are told why. */
#include "jobs/run/datajob.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/run/job_sim.h"
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
    datajob_fini(&none);
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
    command_begin(&f);
    command_file("in", "a\n");
    command_file("w", "job one\n  phase only command=\"exit 3\"\n");
    expect(drive_run(&options, &result, &err) == 0 && result.failure);
    mem_free(result.failure);
    expect(has_no_times("only", "run/journal: no task of a phase 'only' has finished there"));
    expect(has_no_times("other", "run/journal: no job there has a phase 'other'"));
    command_end(&f);
}
