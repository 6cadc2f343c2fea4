/* cmd_whatif.c - `dolly whatif --no-stragglers`: the most that any mitigation could give, before
 * one is tried. */
#include <math.h>
#include <stdio.h>

#include "commands/commands.h"
#include "commands/replay/replay_sim.h"
#include "commands/sim/sim_run.h"
#include "ui/cli.h"
#include "ui/grid.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/wrap.h"

struct whatif_args {
    struct sim_args sim; /* the first: sim_args_take_file */
    const char *policy;
    bool no_stragglers;
    struct str policies; /* behind sim.said.policies */
};

#define OPTIONS struct whatif_args

static const struct field options[] = {
    {FLAG("no-stragglers", no_stragglers, "compute the gain if no task straggled")},
    {OPTION("policy", "P", FIELD_TEXT, policy, "also print how much of that this policy gains")},
    {OPTION("workload", "FILE|NAME", FIELD_TEXT, sim.workload,
            "jobs of a workload, as in `dolly sim`, instead of a journal or trace")},
    {OPTION("variation", "luck|size|bytes|both", FIELD_TEXT, sim.trace.variation,
            "why tasks of a phase differ, where their times are recorded; default both")},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, sim.cluster_name,
            "the machines of a trace or workload; default as in `dolly sim`")},
    {OPTION("jobs", "N", FIELD_INT, sim.jobs,
            "how many jobs of a generated workload are measured; default 5000"),
     .min = 1, .max = 1e9},
    {OPTION("seed", "S", FIELD_INT, sim.seed,
            "seed of the random numbers, 0 or more; default that of the run, else 1")},
    REQUEST_OPTIONS(struct whatif_args, sim.trace.request),
    {FLAG("json", sim.json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "whatif",
    .usage =
        "usage: dolly whatif JOURNAL|FILE... --no-stragglers [--policy P] [OPTIONS]\n"
        "       dolly whatif --workload FILE|NAME --no-stragglers [--policy P] [OPTIONS]\n"
        "\n"
        "Computes how much shorter jobs would be if no task straggled. No policy can gain more.\n"
        "JOURNAL may also be the folder of a run; FILE is a trace of a real cluster.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly whatif run --no-stragglers --policy dolly\n"
             "  dolly whatif batch_task.csv batch_instance.csv --no-stragglers\n"
             "  dolly whatif --workload facebook --no-stragglers --policy dolly+late",
    .operand = sim_args_take_file,
};

/* ---- what comes out ---- */

/* Which rows of the numbers are compared. */
struct whatif_rows {
    uint32_t baseline, ceiling, policy;
    bool has_policy;
};

/* Of all jobs (bin 0) or of those of a bin. NaN: nothing to say. */
struct whatif_row {
    double jobs, mean_s, ceiling_s, possible, policy_s, gained, share;
};

static struct whatif_rows rows_of(const struct sim_args *a)
{
    return (struct whatif_rows){.baseline = a->baseline,
                                .ceiling = a->count,
                                .policy = a->count - 1,
                                .has_policy = a->count - 1 > a->baseline};
}

static struct whatif_row row_of(const struct sim_numbers *n, const struct whatif_rows *rows,
                                int bin)
{
    int number = bin == 0 ? NUMBER_MEAN_JCT : NUMBER_BIN_MEAN + bin - 1;
    const struct sim_run *base = sim_numbers_run(n, rows->baseline, 0);
    struct whatif_row row = {.mean_s = base->v[number], .policy_s = NAN};

    row.jobs = bin == 0 ? (double)(base->summary.jobs - base->summary.jobs_failed)
                        : base->v[NUMBER_BIN_JOBS + bin - 1];
    row.ceiling_s = sim_numbers_run(n, rows->ceiling, 0)->v[number];
    row.possible = 1 - row.ceiling_s / row.mean_s;
    if (rows->has_policy)
        row.policy_s = sim_numbers_run(n, rows->policy, 0)->v[number];
    row.gained = 1 - row.policy_s / row.mean_s;
    /* Less than a thousandth is nothing to have a share of. */
    row.share = row.possible >= 0.001 ? row.gained / row.possible : NAN;
    return row;
}

static void print_reading(const struct whatif_rows *rows, const struct sim_numbers *n,
                          bool is_bound)
{
    const char *least = is_bound ? ">= " : "", *most = is_bound ? "<= " : "";

    static const char *const names[] = {"all",    "1-10 tasks", "11-50",
                                        "51-150", "151-500",    "over 500"};
    struct grid g = {0};

    grid_cell(&g, "jobs of");
    grid_cell(&g, "jobs");
    grid_cell(&g, "mean (s)");
    grid_cell(&g, "without stragglers");
    grid_cell(&g, "to gain");
    if (rows->has_policy) {
        grid_cell(&g, "policy");
        grid_cell(&g, "gained");
        grid_cell(&g, "share");
    }
    grid_row(&g);
    for (int bin = 0; bin <= SUMMARY_BINS; bin++) {
        struct whatif_row row = row_of(n, rows, bin);
        grid_cell(&g, "%s", names[bin]);
        grid_cell(&g, "%.0f", row.jobs);
        grid_number(&g, row.mean_s, "%.2f", row.mean_s);
        grid_number(&g, row.ceiling_s, "%.2f", row.ceiling_s);
        grid_number(&g, row.possible, "%.1f%%", 100 * row.possible);
        if (rows->has_policy) {
            grid_number(&g, row.policy_s, "%s%.2f", least, row.policy_s);
            grid_number(&g, row.gained, "%s%.1f%%", most, 100 * row.gained);
            grid_number(&g, row.share, "%s%.0f%%", most, 100 * row.share);
        }
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static bool is_bound(const struct replay_sim *s)
{
    return s->replay && s->replay->times.is_bound;
}

static void print_text(const struct sim_args *a, const struct replay_sim *s, const char *baseline)
{
    const struct replay *r = s->replay;
    struct whatif_rows rows = rows_of(a);
    struct str title = {0};

    for (uint32_t i = 0; r && i < r->notes.count; i++)
        wrap_print(r->notes.at[i], 0, 0);
    str_addf(&title, "Completion time of jobs of %s under %s, and if no task straggled",
             a->workload, baseline);
    if (rows.has_policy)
        str_addf(&title, "; policy: %s", a->names[rows.policy]);
    wrap_print(title.text, 0, 0);
    str_free(&title);
    for (uint32_t k = 0; k < sim_trace_runs(&a->trace); k++) {
        if (sim_trace_reading_at(&a->trace, k))
            printf("\nvariation=%s:\n", sim_trace_reading_at(&a->trace, k));
        print_reading(&rows, &s->n[k], is_bound(s));
    }
}

static void add_rows(json_t *list, const struct whatif_rows *rows, const struct sim_numbers *n)
{
    for (int bin = 0; bin <= SUMMARY_BINS; bin++) {
        struct whatif_row row = row_of(n, rows, bin);
        json_t *one = json_out_add(list);
        json_out_put(one, "bin", bin);
        json_out_set(one, "jobs", json_out_number(row.jobs, true));
        json_out_put(one, "mean_jct_s", row.mean_s);
        json_out_put(one, "ceiling_jct_s", row.ceiling_s);
        json_out_put(one, "possible", row.possible);
        json_out_put(one, "policy_jct_s", row.policy_s);
        json_out_members(one, &row, gained, share);
    }
}

static void print_json(const struct sim_args *a, const struct replay_sim *s, const char *baseline)
{
    struct whatif_rows rows = rows_of(a);
    json_t *object = json_object();

    json_out_put(object, "source", a->workload);
    json_out_put(object, "baseline", baseline);
    json_out_put(object, "policy", rows.has_policy ? a->names[rows.policy] : NULL);
    json_out_set(object, "is_bound", json_boolean(is_bound(s)));
    json_t *variations = json_out_list(object, "variations");
    for (uint32_t k = 0; k < sim_trace_runs(&a->trace); k++) {
        const char *reading = sim_trace_reading_at(&a->trace, k);
        json_t *one = json_out_add(variations);
        json_out_put(one, "variation", reading);
        add_rows(json_out_list(one, "rows"), &rows, &s->n[k]);
    }
    json_out_set(object, "notes", replay_sim_notes(s));
    json_out_print(object);
}

/* ---- what is asked for ---- */

/* 0, or an exit status after printing what is wrong. */
static int check_args(struct whatif_args *q)
{
    uint32_t files = q->sim.trace.request.files.texts.count;

    if (!q->no_stragglers)
        return cli_usage("whatif", "missing question: --no-stragglers");
    if (files == 0 && !q->sim.workload)
        return cli_usage("whatif", "a journal, a trace or --workload is missing");
    if (files > 0 && q->sim.workload)
        return cli_usage("whatif", "use either --workload, or a journal or trace");
    return 0;
}

static int one_policy(const struct sim_args *a, struct err *err)
{
    struct whatif_rows rows = rows_of(a);
    return rows.policy - rows.baseline > 1 ? err_set(err, "--policy: one policy at a time") : 0;
}

/* Makes the request: a recorded run, or what `dolly sim` would make of it. */
static int open_source(struct whatif_args *q, struct replay_sim *s, struct err *err)
{
    struct sim_args *a = &q->sim;

    a->said.yardsticks = ideal_name(IDEAL_NO_STRAGGLERS);
    if (!replay_sim_is_journal(&a->trace.request))
        str_addf(&q->policies, "none%s", q->policy ? "," : "");
    str_add(&q->policies, q->policy ? q->policy : "");
    a->said.policies = *q->policies.text ? q->policies.text : NULL;
    return replay_sim_source(s, a, err);
}

static int whatif(struct whatif_args *q, struct replay_sim *s)
{
    struct sim_args *a = &q->sim;
    struct str baseline = {0};
    struct err err;

    interrupt_catch();
    if (open_source(q, s, &err) < 0 || one_policy(a, &err) < 0 || sim_compare(a, s->n, &err) < 0)
        return interrupt_fail(&err);
    if (s->replay)
        replay_sim_policy(s, &baseline);
    else
        str_add(&baseline, a->names[a->baseline]);
    (a->json ? print_json : print_text)(a, s, baseline.text);
    str_free(&baseline);
    return EXIT_DONE;
}

int cmd_whatif(int argc, char **argv)
{
    struct whatif_args q = {.sim = REPLAY_SIM_ARGS};
    struct replay_sim s = {0};
    int status;

    if (opt_parse(&command, argc, argv, &q, &status) && (status = check_args(&q)) == 0)
        status = whatif(&q, &s);
    replay_sim_fini(&s, &q.sim);
    str_free(&q.policies);
    return status;
}
