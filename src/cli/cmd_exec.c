/* cmd_exec.c - `dolly exec`: a workload of commands on this machine (internal for now).
 *
 * Everything that can be wrong with the request is found before the folder of the run is made, so
 * that a typing error leaves nothing behind. The guardian is forked before the brain grows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "cluster/about.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "folder/run_dir.h"
#include "on/on.h"
#include "policy/policy.h"
#include "run/run.h"
#include "stats/summary.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/settings.h"
#include "workload/format.h"

struct exec_args {
    const char *workload, *dir, *cluster, *policy, *chaos;
    struct on_options on;
    struct field_list settings;
    uint64_t seed;
    int64_t grace_us;
    bool json;
};

#define OPTION(name, value, type, member, help)                                                    \
    FIELD_OPTION(name, value, type, struct exec_args, member, help)

static const struct field options[] = {
    {OPTION("dir", "DIR", FIELD_TEXT, dir,
            "folder for this run: outputs, journal; must be absent or empty")},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, cluster,
            "virtual nodes (docs/CLUSTER.md); default one with a slot per core")},
    {OPTION("policy", "P", FIELD_TEXT, policy,
            "recipe and parts, see `dolly policies`; default none")},
    {OPTION("set", "KEY=VALUE", FIELD_LIST, settings,
            "a parameter of the policy; may be repeated")},
    {OPTION("seed", "S", FIELD_INT, seed,
            "for chaos and the few random choices, 0 or more; default 1")},
    {OPTION("grace", "TIME", FIELD_TIME, grace_us,
            "between TERM and KILL when interrupted; default 5s")},
    {OPTION("chaos", "SPEC", FIELD_TEXT, chaos,
            "trouble on purpose, as in `dolly map`: slow=SHARExFACTOR,kill=SHARE,...")},
    {OPTION("on", "WAY:SPEC", FIELD_TEXT, on.on,
            "run on nodes with agents instead of this machine: slurm:N, ssh:FILE, local:N")},
    {OPTION("pull", NULL, FIELD_FLAG, on.pull,
            "with --on: attempts work in scratch of their nodes; outputs are fetched")},
    {OPTION("scratch", "DIR", FIELD_TEXT, on.scratch,
            "with --on: folder on nodes for private files")},
    {OPTION("linger", "TIME", FIELD_TEXT, on.linger,
            "with --on: agents look so long for a coordinator; default 60s")},
    {OPTION("slurm", "OPTIONS", FIELD_TEXT, on.slurm,
            "with --on slurm: options of sbatch; default '--exclusive --mem=0'")},
    {OPTION("idle", "TIME", FIELD_TIME, on.idle_us,
            "with --on slurm: nodes idle for so long are given back; default 2m")},
    {OPTION("drain", "TIME", FIELD_TIME, on.drain_us,
            "with --on slurm: nodes get nothing new so long before their time limit; default 1m")},
    {OPTION("json", NULL, FIELD_FLAG, json, "print one JSON object")},
    {0},
};

static int take_workload(void *args, const char *text)
{
    struct exec_args *a = args;

    if (a->workload)
        return cli_usage("exec", "unexpected argument '%s'", text);
    a->workload = text;
    return 0;
}

static const struct opt_command command = {
    .name = "exec",
    .usage =
        "usage: dolly exec WORKLOAD --dir DIR [OPTIONS]\n\n"
        "Runs the commands of a workload as processes on this machine. docs/EXEC.md describes\n"
        "the environment of a command and the files of a run.\n",
    .options = options,
    .notes = "\nExample:\n"
             "  dolly exec examples/commands.workload --dir /tmp/run1 --cluster 20x2 --policy "
             "dolly",
    .operand = take_workload,
};

/* The pieces of a run; each is NULL until made. */
struct exec_run {
    struct chaos chaos;
    struct cluster *cluster;
    struct format_source source;
    struct workload *workload;
    struct policy *policy;
    struct run *run;
    struct on on;
    struct exec *exec;
    struct follow *follow;
    struct summary *summary;
};

static struct cluster *open_cluster(const char *name, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (name)
        return cluster_open(name, err);
    struct cluster *machine = cluster_plain(1, cores > 1 ? (uint32_t)cores : 1);
    cluster_share_memory(machine);
    return machine;
}

static int open_policy(struct exec_run *r, const struct exec_args *a, struct err *err)
{
    r->policy = settings_policy(a->policy, a->settings.texts.at, a->settings.texts.count, err);
    if (r->policy && a->on.on && policy_set(r->policy, "disks", "own", err) < 0)
        return -1;
    return r->policy ? 0 : -1;
}

static int open_run(struct exec_run *r, const struct exec_args *a, struct err *err)
{
    struct str path = {0}, about = {0};
    struct about_hash jobs = about_hash(a->workload), machines = about_hash(a->cluster);
    struct about_time now = about_now();

    str_addf(&path, "%s/journal", a->dir);
    about_write(&(struct about){.program = "dolly " DOLLY_VERSION,
                                .began = now.text,
                                .workload = a->workload,
                                .workload_hash = jobs.text,
                                .cluster_name = a->cluster,
                                .cluster_hash = machines.text,
                                .chaos = a->chaos},
                r->cluster, &about);
    struct journal_options journal = {.path = path.text, .about = about.text};
    r->run = run_create(
        &(struct run_options){
            .policy = r->policy, .seed = a->seed, .journal = &journal, .body = "exec"},
        err);
    str_free(&path);
    str_free(&about);
    return r->run ? 0 : -1;
}

static void note(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "dolly: %s\n", text);
}

static int make_run(struct exec_run *r, const struct exec_args *a, struct err *err)
{
    static const struct exec_hooks hooks = {.warn = note};

    r->cluster = a->on.on ? on_cluster(&a->on, err) : open_cluster(a->cluster, err);
    if (!r->cluster || open_policy(r, a, err) < 0 ||
        (a->chaos && chaos_parse(a->chaos, a->seed, &r->chaos, err) < 0))
        return -1;
    if (format_find(&r->source, a->workload, err) < 0)
        return -1;
    r->workload = format_open(&r->source, r->cluster, a->seed, err);
    if (!r->workload || run_dir_create(a->dir, err) < 0 || open_run(r, a, err) < 0)
        return -1;
    if (a->on.on && on_open(&r->on, &a->on, a->dir, r->cluster, NULL, note, err) < 0)
        return -1;
    struct exec_options exec = {.cluster = r->cluster,
                                .workload = r->workload,
                                .dir = a->dir,
                                .journal = run_journal(r->run),
                                .grace_us = a->grace_us,
                                .groups = a->on.on ? &r->on.groups : NULL,
                                .hooks = &hooks,
                                .chaos = a->chaos ? &r->chaos : NULL};
    r->exec = exec_create(&exec, err);
    if (!r->exec)
        return -1;
    r->follow = follow_create(0, 0);
    r->summary = summary_create(r->follow);
    return 0;
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
    char hex[24];
    json_t *o = json_object();

    snprintf(hex, sizeof hex, "%016" PRIx64, digest);
    json_out_set(o, "workload", json_string(a->workload));
    json_out_set(o, "policy", json_string(a->policy));
    json_out_set(o, "dir", json_string(a->dir));
    json_out_set(o, "jobs", json_integer((json_int_t)s->jobs));
    json_out_set(o, "jobs_failed", json_integer((json_int_t)s->jobs_failed));
    json_out_set(o, "tasks", json_integer((json_int_t)s->tasks));
    json_out_set(o, "attempts", json_integer((json_int_t)s->attempts));
    json_out_set(o, "clones", json_integer((json_int_t)s->clones));
    json_out_set(o, "restarts", json_integer((json_int_t)s->restarts));
    json_out_set(o, "killed", json_integer((json_int_t)s->killed));
    json_out_set(o, "makespan_s", json_out_number(s->makespan_s, false));
    json_out_set(o, "mean_jct_s", json_out_number(s->mean_jct_s, false));
    json_out_set(o, "failure", failure ? json_string(failure) : json_null());
    json_out_set(o, "digest", json_string(hex));
    json_out_print(o);
}

/* The run itself; an exit status. */
static int run(struct exec_run *r, const struct exec_args *a, struct err *err)
{
    struct tap tap = follow_tap(r->follow);
    int result = run_drive(r->run, (struct body){&exec_body, r->exec}, &tap, 1, err);
    bool interrupted = exec_interrupted(r->exec);
    uint64_t digest = run_digest(r->run);

    /* No process may be left when the journal ends. */
    char *failure = mem_strdup(exec_failure(r->exec));
    exec_destroy(r->exec);
    r->exec = NULL;
    on_close(&r->on);
    result = run_close(r->run, result, err);
    r->run = NULL;

    int status = EXIT_DONE;
    if (result < 0) {
        status = interrupted ? EXIT_INTERRUPTED : EXIT_JOB_FAILED;
        cli_fail(err);
        if (err->kind == ERR_INPUT && !interrupted)
            status = EXIT_USAGE;
    } else {
        struct summary_result s = summary_result(r->summary);
        if (a->json)
            print_json(&s, a, failure, digest);
        else
            print_summary(&s, a->dir);
        if (failure) {
            fprintf(stderr, "dolly: %s\n", failure);
            status = EXIT_JOB_FAILED;
        }
    }
    mem_free(failure);
    return status;
}

static int run_args(const struct exec_args *a)
{
    struct exec_run r = {0};
    struct err err;
    int status;

    if (make_run(&r, a, &err) < 0)
        status = cli_fail(&err);
    else
        status = run(&r, a, &err);
    exec_destroy(r.exec);
    on_close(&r.on);
    run_close(r.run, -1, &err);
    follow_destroy(r.follow);
    summary_destroy(r.summary);
    policy_destroy(r.policy);
    if (r.workload)
        r.workload->destroy(r.workload);
    format_fini(&r.source);
    cluster_destroy(r.cluster);
    return status;
}

int cmd_exec(int argc, char **argv)
{
    struct exec_args a = {.policy = "none",
                          .seed = 1,
                          .grace_us = 5000000,
                          .on = {.idle_us = ON_IDLE_US, .drain_us = ON_DRAIN_US}};
    int status;

    if (opt_parse(&command, argc, argv, &a, &status)) {
        if (!a.workload)
            status = cli_usage("exec", "the workload is missing");
        else if (!a.dir)
            status = cli_usage("exec", "--dir is missing");
        else if (a.on.on && a.cluster)
            status = cli_usage("exec", "--on and --cluster exclude each other");
        else
            status = run_args(&a);
    }
    vec_free(&a.settings.texts);
    return status;
}
