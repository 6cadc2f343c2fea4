/* cmd_run.c - `dolly run`: a data-parallel job from a file. */
#include "jobs/run/cmd_run.h"

#include "base/mem.h"
#include "jobs/run/job_end.h"
#include "jobs/run/job_file.h"
#include "remote/coordinator/where_fields.h"
#include "ui/cli.h"
#include "ui/opt.h"
#include "ui/settings.h"

struct run_args {
    const char *file, *output, *journal;
    struct assembly_options run;
    bool json;
};

#define OPTIONS struct run_args

static const struct field options[] = {
    {OPTION("output", "DIR", FIELD_TEXT, output,
            "folder for the results, instead of the one in "
            "the file; must not exist")},
    {OPTION("policy", "P", FIELD_TEXT, run.policy,
            "instead of the one in the file, see `dolly policies`; default " SETTINGS_POLICY)},
    {OPTION("set", "KEY=VALUE", FIELD_LIST, run.settings,
            "a parameter of the policy; may be repeated")},
    {OPTION("slots", "N", FIELD_COUNT, run.slots,
            "attempts at once, with --on per node; default one per core"),
     .min = 1, .max = 100000},
    {OPTION("nodes", "NxM", FIELD_TEXT, run.nodes,
            "N virtual nodes of M slots each; a node that fails loses its outputs")},
    WHERE_FIELDS(struct run_args, run.where),
    {FLAG("pull", run.where.pull,
          "with --on: nodes do not see the folder of the results; outputs for other tasks are "
          "kept on the node of their task")},
    {OPTION("chaos", "SPEC", FIELD_TEXT, run.chaos,
            "cause failures and slow tasks on purpose, as "
            "in `dolly map`")},
    {OPTION("seed", "N", FIELD_INT, run.seed,
            "seed of the random numbers, also those of --chaos; "
            "default 1"),
     .min = 1, .max = 1e15},
    {OPTION("journal", "FILE", FIELD_TEXT, journal,
            "also write the journal of the run to FILE; must not exist")},
    {FLAG("json", json, "print the result and the counters as one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "run",
    .usage =
        "usage: dolly run JOB.yaml [OPTIONS]\n\n"
        "Runs a data-parallel job: phases of commands that read lines and print lines, with a\n"
        "real shuffle between them. docs/reference/job-file.md has the keys of a job file, which\n"
        "may also be written in lines, as a workload file.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly run examples/jobs/wordcount.yaml --output /tmp/counts",
    .has_operand = true,
    .operand_at = offsetof(struct run_args, file),
    .absent = "dir",
    .instead = "--output DIR names the folder of the results, and --journal FILE keeps the journal",
};

/* What stands on the command line wins over the file. */
static void override(char **text, const char *with)
{
    if (with)
        mem_replace(text, with);
}

static void apply(const struct run_args *a, struct datajob *j)
{
    struct assembly_options run = a->run;

    override(&j->output, a->output);
    override(&j->journal, a->journal);
    j->json = a->json;
    if (!run.policy)
        run.policy = j->run.policy;
    if (!run.nodes)
        run.nodes = j->run.nodes;
    if (run.slots == 0)
        run.slots = j->run.slots;
    run.where.slots = run.slots;
    run.settings = j->run.settings;
    for (uint32_t i = 0; i < a->run.settings.texts.count; i++)
        vec_push(&run.settings.texts, a->run.settings.texts.at[i]);
    j->run = run;
}

static int sorted_file(const struct run_args *a)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct err err;
    int status;

    if (job_file_read(&job, &lines, a->file, &err) < 0) {
        status = cli_fail(&err);
    } else {
        apply(a, &job);
        status = job_end_run(&job);
    }
    datajob_fini(&job);
    job_lines_fini(&lines);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct run_args a = {.run = {.where = WHERE_UNSAID}};
    struct err err;
    int status;

    if (opt_parse(&command, argc, argv, &a, &status)) {
        if (!a.file)
            status = cli_usage("run", "the job file is missing");
        else if (a.run.where.spec && a.run.nodes)
            status = cli_usage("run", "--on and --nodes exclude each other");
        else if (where_check(&a.run.where, &err) < 0)
            status = cli_usage("run", "%s", err.text);
        else
            status = sorted_file(&a);
    }
    vec_free(&a.run.settings.texts);
    return status;
}
