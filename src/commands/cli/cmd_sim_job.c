/* cmd_sim_job.c - `dolly sim JOB.yaml`: a data-parallel job in the simulator.
 *
 * The job becomes a workload in memory, and all else is what `dolly sim` does with any workload. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/write_all.h"
#include "commands/cli/commands.h"
#include "commands/sim/cmd_sim.h"
#include "jobs/run/job_file.h"
#include "jobs/run/job_sim.h"
#include "ui/cli.h"

/* A file in memory that can be opened by name as long as we live. */
static int keep_text(const struct str *text, char path[40], struct err *err)
{
    int fd = memfd_create("workload", MFD_CLOEXEC);

    if (fd < 0 || write_all(fd, text->text, text->length) < 0)
        return err_system(err, "out of memory for the workload");
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return 0;
}

static bool has_option(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);

    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && (argv[i][length] == 0 || argv[i][length] == '='))
            return true;
    return false;
}

/* The options of `dolly sim` that the job stands for, and behind them those of the user. */
static int simulate(const struct datajob *j, const char *workload, int argc, char **argv)
{
    VEC(char *) all = {0};
    struct str cluster = {0};

    vec_push(&all, argv[0]);
    vec_push(&all, (char *)(uintptr_t) "--workload");
    vec_push(&all, (char *)(uintptr_t)workload);
    if (!has_option(argc, argv, "--cluster")) {
        str_addf(&cluster, "1x%u", datajob_slots(j));
        vec_push(&all, (char *)(uintptr_t) "--cluster");
        vec_push(&all, j->nodes ? j->nodes : cluster.text);
    }
    if (!has_option(argc, argv, "--policy")) {
        vec_push(&all, (char *)(uintptr_t) "--policy");
        vec_push(&all, j->policy ? j->policy : (char *)(uintptr_t)DATAJOB_POLICY);
    }
    for (uint32_t i = 0; i < j->settings.texts.count; i++) {
        vec_push(&all, (char *)(uintptr_t) "--set");
        vec_push(&all, (char *)(uintptr_t)j->settings.texts.at[i]);
    }
    for (int i = 2; i < argc; i++)
        vec_push(&all, argv[i]);
    int count = (int)all.count;
    vec_push(&all, NULL);
    int status = cmd_sim_of(argv[1], count, all.at);
    vec_free(&all);
    str_free(&cluster);
    return status;
}

static int run_job(int argc, char **argv)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct str text = {0};
    struct err err;
    char path[40];
    int status;

    if (job_file_read(&job, &lines, argv[1], &err) < 0 || job_sim_workload(&job, &text, &err) < 0 ||
        keep_text(&text, path, &err) < 0)
        status = cli_fail(&err);
    else
        status = simulate(&job, path, argc, argv);
    str_free(&text);
    datajob_fini(&job);
    job_lines_fini(&lines);
    return status;
}

int cmd_sim_job(int argc, char **argv)
{
    static const char *const ends[] = {".yaml", ".yml", ".job"};
    const char *end = argc > 1 && argv[1][0] != '-' ? strrchr(argv[1], '.') : NULL;

    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0)
            return run_job(argc, argv);
    return cmd_sim(argc, argv);
}
