/* cmd_exec.c - `dolly exec`: a workload of commands as real processes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "commands/commands.h"
#include "jobs/drive/drive.h"
#include "remote/coordinator/where_fields.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/settings.h"

struct exec_args {
    struct drive_options drive;
    bool json;
};

#define OPTIONS struct exec_args

static const struct field options[] = {
    {OPTION("dir", "DIR", FIELD_TEXT, drive.run.exec.dir,
            "folder for this run: outputs, journal; must be absent or empty")},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, drive.run.cluster,
            "virtual nodes (docs/reference/cluster-file.md); default one with a slot per core")},
    {OPTION("policy", "P", FIELD_TEXT, drive.run.policy,
            "recipe and parts, see `dolly policies`; default " SETTINGS_POLICY)},
    {OPTION("set", "KEY=VALUE", FIELD_LIST, drive.run.settings,
            "a parameter of the policy; may be repeated")},
    {OPTION("seed", "S", FIELD_INT, drive.run.seed,
            "seed of the random numbers, also those of --chaos, 0 or more; default 1")},
    {OPTION("grace", "TIME", FIELD_TIME, drive.run.exec.grace_us,
            "time between TERM and KILL when interrupted; default 5s")},
    {OPTION("chaos", "SPEC", FIELD_TEXT, drive.run.chaos,
            "cause failures and slow tasks on purpose, as in `dolly map`: "
            "slow=SHARExFACTOR,kill=SHARE,...")},
    WHERE_FIELDS(struct exec_args, drive.run.where),
    {FLAG("pull", drive.run.where.pull,
          "with --on: attempts work in scratch of their nodes; outputs are fetched")},
    {FLAG("json", json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "exec",
    .usage = "usage: dolly exec WORKLOAD --dir DIR [OPTIONS]\n\n"
             "Runs the commands of a workload as processes on this machine.\n"
             "docs/reference/environment.md describes the environment of a command,\n"
             "docs/inside/executor.md the files of a run.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly exec examples/commands.workload --dir run1 --cluster 20x2 --policy "
             "dolly",
    .has_operand = true,
    .operand_at = offsetof(struct exec_args, drive.workload),
    .absent = "workload",
    .instead = "the workload is the first argument: dolly exec FILE --dir DIR",
};

static void note(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "dolly: %s\n", text);
}

static void print_summary(const struct summary_result *s, const char *dir)
{
    printf("jobs     %" PRIu64 " (%" PRIu64 " failed)\n", s->jobs, s->jobs_failed);
    printf("tasks    %" PRIu64 "\n", s->tasks);
    printf("attempts %" PRIu64 " (%" PRIu64 " clones, %" PRIu64 " restarts, %" PRIu64 " killed)\n",
           s->attempts, s->clones, s->restarts, s->killed);
    printf("time     %.3f s\n", s->makespan_s);
    printf("outputs  %s/out\n", dir);
}

static void print_json(const struct summary_result *s, const struct exec_args *a,
                       const char *failure, uint64_t digest)
{
    json_t *o = json_object();

    json_out_put(o, "workload", a->drive.workload);
    json_out_put(o, "policy", a->drive.run.policy);
    json_out_put(o, "dir", a->drive.run.exec.dir);
    json_out_members(o, s, jobs, jobs_failed, tasks, attempts, clones, restarts, killed, makespan_s,
                     mean_jct_s);
    json_out_put(o, "failure", failure);
    json_out_set(o, "digest", json_out_hex(digest));
    json_out_print(o);
}

static int run_args(const struct exec_args *a)
{
    struct drive_result result;
    struct err err;

    if (drive_run(&a->drive, &result, &err) < 0) {
        int status = cli_fail(&err);
        return result.interrupted ? EXIT_INTERRUPTED : status;
    }
    if (a->json)
        print_json(&result.summary, a, result.failure, result.digest);
    else
        print_summary(&result.summary, a->drive.run.exec.dir);
    if (result.failure)
        fprintf(stderr, "dolly: %s\n", result.failure);
    int status = result.failure ? EXIT_JOB_FAILED : EXIT_DONE;
    mem_free(result.failure);
    return status;
}

int cmd_exec(int argc, char **argv)
{
    struct exec_args a = {.drive.run = {.seed = 1,
                                        .where = WHERE_UNSAID,
                                        .exec = {.grace_us = 5000000},
                                        .hooks = {.warn = note}}};
    struct err err;
    int status;

    if (opt_parse(&command, argc, argv, &a, &status)) {
        if (!a.drive.run.policy)
            a.drive.run.policy = SETTINGS_POLICY;
        /* Whether or not it is named, the default is the same. */
        a.drive.run.spares = strcmp(a.drive.run.policy, SETTINGS_POLICY) == 0;
        if (!a.drive.workload)
            status = cli_usage("exec", "the workload is missing");
        else if (!a.drive.run.exec.dir)
            status = cli_usage("exec", "--dir is missing");
        else if (a.drive.run.where.spec && a.drive.run.cluster)
            status = cli_usage("exec", "--on and --cluster exclude each other");
        else if (where_check(&a.drive.run.where, &err) < 0)
            status = cli_usage("exec", "%s", err.text);
        else
            status = run_args(&a);
    }
    vec_free(&a.drive.run.settings.texts);
    return status;
}
