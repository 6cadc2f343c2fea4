/* sim_args.c - from words to a checked request.
 *
 * Everything that can be wrong with a request is found here, before the first simulation starts: a
 * typing error in the last option must not cost the minutes that the first policy takes. */
#include "commands/sim/sim_args.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "commands/report/compare_page.h"
#include "core/policy/policy.h"
#include "ui/cli.h"
#include "ui/opt.h"
#include "ui/settings.h"

enum { JOBS_DEFAULT = 5000 };

#define WARMUP_DEFAULT_US (90 * 60 * INT64_C(1000000))

#define OPTIONS struct sim_args

#define POLICIES_DEFAULT "none," SETTINGS_POLICY

static const struct field options[] = {
    {OPTION("workload", "FILE|NAME", FIELD_TEXT, workload,
            "the jobs: a file (docs/reference/workload-file.md), or a model: facebook, bing,\n"
            "google, or a file (docs/reference/workload-models.md)")},
    {OPTION("trace", "FILE", FIELD_LIST, trace.request.files,
            "instead of --workload: a trace of a real cluster (docs/reference/formats), or a "
            "part of one; may be repeated")},
    {OPTION("policy", "A,B,...", FIELD_TEXT, said.policies,
            "policies to compare: recipes and parts, see `dolly "
            "policies`;\ndefault " POLICIES_DEFAULT)},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, cluster_name,
            "the machines (docs/reference/cluster-file.md), or N of M slots; default 100x4, for\n"
            "generated workloads their own, for traces one made for their load")},
    {OPTION("jobs", "N", FIELD_INT, jobs,
            "how many jobs of a generated workload are measured; default 5000"),
     .min = 1, .max = 1e9},
    {OPTION("seeds", "K", FIELD_COUNT, seeds,
            "repeat with seeds S to S+K-1 and print 95 % intervals; default 1"),
     .min = 1, .max = 10000},
    {OPTION("report", "FILE.html", FIELD_TEXT, report,
            "write a page that compares two to six policies, job by job and attempt by attempt")},
    {OPTION("scale", "load=F", FIELD_OWN, scale,
            "jobs of a generated workload arrive F times as often, 0.01 to 100; default 1;\nfor a "
            "trace also time=F (times of tasks) and cluster=F (number of nodes)"),
     .take = sim_trace_take_scale},
    {OPTION("variation", "luck|size|bytes|both", FIELD_TEXT, trace.variation,
            "why tasks of a phase of a trace differ, which decides the times of their copies\n"
            "(docs/reference/workload-file.md, `vary`); default both: luck, then size")},
    {OPTION("window", "FROM-TO", FIELD_TEXT, trace.window,
            "only jobs of the trace that arrive in this time, such as 1h-3h")},
    REQUEST_OPTIONS(struct sim_args, trace.request),
    {OPTION("seed", "S", FIELD_INT, seed, "seed of the random numbers, 0 or more; default 1")},
    {OPTION("parallel", "N", FIELD_COUNT, parallel,
            "simulations at a time; default the number of cores"),
     .min = 1, .max = 10000},
    {OPTION("expect", "exact|none", FIELD_TEXT, said.expect,
            "what policies know about the durations of tasks: the true mean and deviation of\n"
            "each phase, or nothing; default exact, for files as given there")},
    {OPTION("expect-error", "E", FIELD_REAL, expect_error,
            "multiply the known durations by exp(E x N), N standard normal; default 0"),
     .min = 0, .max = TELL_ERROR_MAX},
    {OPTION("set", "KEY=VALUE", FIELD_LIST, said.settings,
            "a parameter of every chosen policy that has it; may be repeated")},
    {OPTION("warmup", "TIME", FIELD_TIME, warmup_us,
            "jobs that arrive before this time run but are not measured; default 0,\nfor "
            "generated workloads 90m"),
     .want = "a time such as 90, 250ms or 2h"},
    {OPTION("baseline", "NAME", FIELD_TEXT, said.baseline,
            "the policy that improvements refer to; default the first")},
    {OPTION("yardstick", "A,B,...", FIELD_TEXT, said.yardsticks,
            "also run the baseline in ideal worlds, and print results as shares of the\n"
            "possible gain: noskew, noskew+choptail, no-stragglers=median,\n"
            "no-stragglers=stalls, no-stragglers, ideal-reduce, ideal-recompute")},
    {FLAG("estimates", estimates,
          "also print the accuracy of Mantri's estimates: of the time left of tasks (t_rem)\n"
          "and of the durations of its copies (t_new)")},
    {OPTION("journal", "FILE", FIELD_TEXT, journal,
            "write the journal; with several runs to FILE.POLICY.SEED")},
    {FLAG("phases", phases, "also compare phases with those of the baseline, one by one")},
    {FLAG("detail", detail,
          "with --json: also a row per job, one per phase, and counts of decisions")},
    {FLAG("wide", wide, "print all columns, also beyond 80")},
    {FLAG("json", json, "print one JSON object")},
    {0},
};

static int refuse_operand(void *values, const char *text)
{
    (void)values;
    return cli_usage("sim",
                     "unexpected argument '%s'; expected --workload FILE, or --trace FILE for each "
                     "file of a trace",
                     text);
}

static const struct opt_command command = {
    .name = "sim",
    .usage = "usage: dolly sim --workload FILE|--trace FILE [--policy A,B,...] [OPTIONS]\n"
             "       dolly sim JOB.yaml [OPTIONS]\n"
             "\n"
             "Runs each policy on the same jobs, with the same random numbers, in a simulated "
             "cluster,\n"
             "and prints the completion times of jobs and the cost of clones and backups.\n",
    .options = options,
    .operand = refuse_operand,
    .notes = "\nA bare name begins a new policy; seam=name replaces a part of the one before it;\n"
             "settings of one policy follow it after semicolons.\n\n"
             "Examples:\n"
             "  dolly sim --workload examples/mixed.workload --policy none,dolly \\\n"
             "            --cluster examples/small.cluster --set beta=0.3\n"
             "  dolly sim --workload examples/mixed.workload --cluster 50x2 --seeds 5 \\\n"
             "            --policy 'none,dolly,order=fifo,dolly;beta=0.1'\n"
             "  dolly sim --workload examples/mixed.workload --policy 'dolly;eps=0.01' --json\n"
             "  dolly sim --workload facebook --jobs 5000 --baseline late+bl \\\n"
             "            --policy none,hadoop,late+bl,dolly+late\n"
             "  dolly sim --workload facebook --jobs 1000 --policy late --yardstick noskew\n"
             "  dolly sim --workload facebook --jobs 1000 --policy late,dolly --scale load=2",
};

static const char *const cluster_default = "100x4";

static int open_cluster(struct sim_args *a, struct err *err)
{
    if (!a->cluster_name && a->trace.import) {
        a->cluster = sim_trace_cluster(&a->trace, &a->scale, err);
        a->cluster_name = a->trace.cluster_name;
    } else if (!a->cluster_name && a->named.model) {
        a->cluster = synth_cluster(a->named.model, err);
        a->cluster_name = a->named.model->name;
    } else {
        a->cluster_name = a->cluster_name ? a->cluster_name : cluster_default;
        a->cluster = cluster_file_open(a->cluster_name, err);
    }
    return a->cluster ? 0 : -1;
}

/* The rows of a recorded run: its policy twice, by names that say which is which. */
static int add_recorded(struct sim_args *a, struct err *err)
{
    static const char *const names[SIM_RECORDED_ROWS] = {"recorded", "replayed"};
    struct err why;
    for (uint32_t i = 0; i < SIM_RECORDED_ROWS; i++) {
        a->names[a->count] = mem_strdup(names[i]);
        a->policies[a->count] = policy_create(a->recorded->policy, &why);
        if (!a->policies[a->count++])
            return err_set(err,
                           "the run was recorded under a policy that this dolly does not have "
                           "(%s); use the dolly that recorded it",
                           why.text);
    }
    a->baseline = SIM_RECORDED_ROWS - 1;
    return 0;
}

/* How often tasks may fail is a limit of the run, not of a policy: where the name of a chosen
 * policy does not say it, it is that of the recorded one. */
static int inherit_limits(struct sim_args *a, struct err *err)
{
    static const char *const keys[] = {"failures_max", "launches_max"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *at = strstr(a->recorded->policy, keys[i]);
        if (!at || at[strlen(keys[i])] != '=')
            continue;
        at += strlen(keys[i]) + 1;
        char *value = mem_strdup(at);
        value[strcspn(value, ";")] = '\0';
        int bad = 0;
        for (uint32_t p = SIM_RECORDED_ROWS; p < a->count && bad == 0; p++)
            if (!strstr(a->names[p], keys[i]))
                bad = policy_set(a->policies[p], keys[i], value, err);
        mem_free(value);
        if (bad < 0)
            return -1;
    }
    return 0;
}

/* Jobs of real processes get the policy that the name stands for there. */
static struct policy *make_policy(const struct sim_args *a, const char *name, struct err *err)
{
    if (strcmp(name, " ") == 0) { /* so policy_split marks it */
        err_set(err, "--policy lacks a name; expected for example none,dolly");
        return NULL;
    }
    if (a->recorded && a->recorded->is_real)
        return settings_policy(name, a->recorded->cloning, NULL, 0, err);
    return policy_create(name, err);
}

static int make_policies(struct sim_args *a, struct err *err)
{
    char **names = NULL;
    uint32_t count = a->said.policies ? policy_split(a->said.policies, &names) : 0;
    int bad = 0;

    a->names = mem_zalloc(count + (size_t)SIM_RECORDED_ROWS, sizeof *a->names);
    a->policies = mem_zalloc(count + (size_t)SIM_RECORDED_ROWS, sizeof *a->policies);
    if (a->recorded)
        bad = add_recorded(a, err);
    for (uint32_t i = 0; i < count; i++) {
        a->names[a->count] = names[i];
        if (bad == 0)
            a->policies[a->count] = make_policy(a, names[i], err);
        bad = a->policies[a->count++] ? bad : -1;
    }
    mem_free(names);
    return bad == 0 && a->recorded ? inherit_limits(a, err) : bad;
}

static int choose_baseline(struct sim_args *a, const char *name, struct err *err)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(a->names[i], name) == 0) {
            a->baseline = i;
            return 0;
        }
    const char *nearest = text_nearest(name, (const char *const *)a->names, a->count);
    return err_set(err, "--baseline %s is not among the policies of --policy%s%s%s", name,
                   nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int choose_yardsticks(struct sim_args *a, const char *list, struct err *err)
{
    VEC(enum ideal) out = {0};
    int bad = 0;
    char *copy = mem_strdup(list), *rest = copy;

    for (char *name; bad == 0 && (name = strsep(&rest, ","));) {
        enum ideal one = IDEAL_NONE;
        bad = ideal_parse(name, &one, err);
        if (bad == 0 && one == IDEAL_REDUCE && !a->cluster->wires.is_simulated)
            bad = err_set(err,
                          "--yardstick ideal-reduce: in cluster %s reading takes no time; expected "
                          "one with a network (docs/inside/network-model.md)",
                          a->cluster_name);
        if (bad == 0)
            vec_push(&out, one);
    }
    mem_free(copy);
    a->yardsticks = out.at;
    a->yardstick_count = out.count;
    return bad;
}

/* Two runs of one name would write the same file. */
static int refuse_twins(const struct sim_args *a, struct err *err)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(a->names[i], a->names[k]) == 0)
                return err_set(err,
                               "%s: policy %s is chosen twice, and both would write the same "
                               "journal",
                               a->journal ? "--journal" : "--report", a->names[i]);
    return 0;
}

/* A trace is read before anything else is looked at: it says which cluster it needs. */
static int choose_trace(struct sim_args *a, struct err *err)
{
    a->workload = a->trace.request.files.texts.at[0];
    if (a->jobs)
        return err_set(err, "--jobs: %s has the jobs that it has; --window takes a part of them",
                       a->workload);
    if (a->warmup_us < 0)
        a->warmup_us = 0;
    if (sim_trace_open(&a->trace, &a->scale, err) < 0)
        return -1;
    if ((a->journal || a->report) && a->trace.reading_count > 1)
        return err_set(err,
                       "%s: both readings of the trace would write the same journal; "
                       "choose a --variation",
                       a->journal ? "--journal" : "--report");
    return 0;
}

/* Generated workloads bring their own number of jobs, warm-up and cluster; files have none of
 * these. */
static int choose_workload(struct sim_args *a, struct err *err)
{
    if (a->trace.request.files.texts.count)
        return choose_trace(a, err);
    if (a->scale.time != 1 || a->scale.cluster != 1)
        return err_set(err, "--scale must be load=F; time= and cluster= are about a --trace");
    if (a->trace.window || a->trace.variation)
        return err_set(err, "--window and --variation are about a --trace");
    if (!a->named.text && format_find(&a->named, a->workload, err) < 0)
        return -1;
    if (!a->named.model && a->jobs)
        return err_set(err, "--jobs: %s has the jobs that it has; expected a generated workload",
                       a->workload);
    if (!a->named.model && a->scale.load != 1)
        return err_set(err, "--scale: %s has its own arrivals; expected a generated workload",
                       a->workload);
    if (a->scale.load != 1)
        format_scale(&a->named, a->scale.load);
    const struct synth_model *model = a->named.model;
    bool told = model && model->jobs;
    if (model && !a->jobs)
        a->jobs = told ? model->jobs : JOBS_DEFAULT;
    if (a->warmup_us < 0)
        a->warmup_us = told ? model->warmup_us : model ? WARMUP_DEFAULT_US : 0;
    return 0;
}

static int choose_expect(struct sim_args *a, struct err *err)
{
    const char *what = a->said.expect;
    if (!what)
        a->tell = a->named.model ? TELL_EXACT : TELL_AS_SAID;
    else if (!strcmp(what, "exact"))
        a->tell = TELL_EXACT;
    else if (!strcmp(what, "none"))
        a->tell = TELL_NONE;
    else
        return err_set(err, "--expect must be exact or none, not '%s'", what);
    if (a->tell == TELL_NONE && a->expect_error > 0)
        return err_set(
            err, "--expect none and --expect-error: no durations are known that could be wrong");
    return 0;
}

int sim_args_policies(struct sim_args *a, struct err *err)
{
    const struct field_list *settings = &a->said.settings;
    uint32_t fixed = a->recorded ? SIM_RECORDED_ROWS : 0;

    if (make_policies(a, err) < 0)
        return -1;
    for (uint32_t i = 0; i < settings->texts.count; i++)
        if (settings_apply(settings->texts.at[i], a->policies + fixed, a->count - fixed, err) < 0)
            return -1;
    if (a->said.baseline && choose_baseline(a, a->said.baseline, err) < 0)
        return -1;
    return a->said.yardsticks ? choose_yardsticks(a, a->said.yardsticks, err) : 0;
}

int sim_args_check(struct sim_args *a, struct err *err)
{
    if (choose_workload(a, err) < 0 || choose_expect(a, err) < 0 || open_cluster(a, err) < 0 ||
        sim_args_policies(a, err) < 0)
        return -1;
    a->trace.view.cluster = a->cluster;
    a->named.reopened = sim_args_many(a) || a->yardstick_count > 0;
    if (a->report && (a->count < 2 || a->count > COMPARE_PAGE_RUNS || a->seeds > 1))
        return err_set(err, "--report compares two to six policies under one seed; for one, "
                            "write the --journal and use dolly report");
    return a->journal || a->report ? refuse_twins(a, err) : 0;
}

static void take_given(struct sim_args *a, const struct sim_given *given)
{
    a->workload = given->name;
    a->named = (struct named_workload){.name = given->name, .text = given->text};
    a->cluster_name = given->cluster;
    a->said.policies = given->policies;
    for (uint32_t i = 0; i < given->settings.texts.count; i++)
        vec_push(&a->said.settings.texts, given->settings.texts.at[i]);
}

bool sim_args_parse(struct sim_args *a, const struct sim_given *given, int argc, char **argv,
                    int *status)
{
    struct err err;

    *a = (struct sim_args){.seed = 1, .seeds = 1, .scale = SIM_SCALE_ONE, .warmup_us = -1};
    a->trace.request = REQUEST_DEFAULT;
    if (given)
        take_given(a, given);
    if (!opt_parse(&command, argc, argv, a, status))
        return false;
    bool trace = a->trace.request.files.texts.count > 0;
    if (!a->said.policies)
        a->said.policies = POLICIES_DEFAULT;
    if (!a->workload && !trace)
        *status = cli_usage("sim", "--workload is missing");
    else if (given && a->workload != given->name)
        *status = cli_usage("sim", "--workload: %s has the jobs", given->name);
    else if (a->workload && trace)
        *status = cli_usage("sim", "use either --trace or --workload");
    else if (a->detail && !a->json)
        *status = cli_usage("sim", "--detail needs --json; the table has no room for it");
    else if (a->detail && a->seeds > 1)
        *status = cli_usage("sim", "--detail is about one seed, not about %" PRIu32, a->seeds);
    else if (sim_args_check(a, &err) < 0)
        *status = cli_fail(&err);
    return *status == 0;
}

int sim_args_take_file(void *values, const char *text)
{
    struct sim_args *a = values;

    vec_push(&a->trace.request.files.texts, text);
    return 0;
}

void sim_args_fini(struct sim_args *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        mem_free(a->names[i]);
        if (a->policies)
            policy_destroy(a->policies[i]);
    }
    mem_free(a->names);
    mem_free(a->yardsticks);
    mem_free(a->policies);
    cluster_destroy(a->cluster);
    format_fini(&a->named);
    sim_trace_fini(&a->trace);
    vec_free(&a->said.settings.texts);
}

const char *sim_args_row(const struct sim_args *a, uint32_t row)
{
    return row < a->count ? a->names[row] : ideal_name(a->yardsticks[row - a->count]);
}

bool sim_args_many(const struct sim_args *a)
{
    return a->count > 1 || a->seeds > 1;
}

struct path sim_args_journal(const struct sim_args *a, uint32_t p, uint32_t k)
{
    if (!sim_args_many(a))
        return path_of("%s", a->journal);
    return path_of("%s.%s.%" PRIu64, a->journal, a->names[p], a->seed + k);
}
