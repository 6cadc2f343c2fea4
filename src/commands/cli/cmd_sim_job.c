/* cmd_sim_job.c - `dolly sim JOB.yaml`: a data-parallel job in the simulator.
 *
 * The job becomes a workload in memory, and all else is what `dolly sim` does with any workload. */
#include <string.h>

#include "commands/commands.h"
#include "commands/sim/sim_args.h"
#include "jobs/run/job_file.h"
#include "jobs/run/job_sim.h"
#include "ui/cli.h"
#include "ui/settings.h"

/* The options of `dolly sim` that the job stands for; behind them come those of the user. */
static int simulate(const struct datajob *j, const struct str *text, int argc, char **argv)
{
    struct str cluster = {0};
    struct sim_given given = {.name = argv[1],
                              .text = text->text,
                              .policies = j->run.policy ? j->run.policy : SETTINGS_POLICY_HERE,
                              .settings = j->run.settings};

    str_addf(&cluster, "1x%u", datajob_slots(j));
    given.cluster = j->run.nodes ? j->run.nodes : cluster.text;
    argv[1] = argv[0];
    int status = cmd_sim_of(&given, argc - 1, argv + 1);
    str_free(&cluster);
    return status;
}

static int run_job(int argc, char **argv)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct str text = {0};
    struct err err;
    int status;

    if (job_file_read(&job, &lines, argv[1], &err) < 0 || job_sim_workload(&job, &text, &err) < 0)
        status = cli_fail(&err);
    else
        status = simulate(&job, &text, argc, argv);
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
