/* sim_print_table.c - the result for people: what a policy achieved, what it cost, and for whom.
 *
 * Not every number of the JSON object is here: a line should fit a wide terminal. The mean by size
 * of the job gets a table of its own, since a policy that helps small jobs at the cost of large
 * ones looks fine in a single mean. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "compare/sim_print.h"
#include "model/res.h"
#include "ui/grid.h"

/* How a number is written. */
struct look {
    double scale;
    int digits;
    const char *unit;
};

static const struct look plain = {1, 0, ""}, fine = {1, 2, ""}, percent = {100, 1, "%"};

static void number_cell(struct grid *g, const struct sim_numbers *n, struct sim_estimate e,
                        struct look look)
{
    int digits = n->seeds > 1 && look.digits == 0 ? 1 : look.digits;

    if (isnan(e.mean))
        grid_cell(g, "-");
    else if (n->seeds > 1)
        grid_cell(g, "%.*f ±%.*f%s", digits, e.mean * look.scale, digits, e.half * look.scale,
                  look.unit);
    else
        grid_cell(g, "%.*f%s", digits, e.mean * look.scale, look.unit);
}

static void estimate_cell(struct grid *g, const struct sim_numbers *n, uint32_t policy, int field,
                          struct look look)
{
    number_cell(g, n, sim_numbers_estimate(n, policy, field), look);
}

static const char *row_name(const struct sim_args *a, uint32_t row)
{
    return row < a->count ? a->names[row] : ideal_name(a->yardsticks[row - a->count]);
}

/* What each policy gained, as a share of what was possible. */
static void print_shares(const struct sim_args *a, const struct sim_numbers *n)
{
    struct grid g = {0};

    printf("\nShare of what %s could gain at most, in worlds without a trouble:\n",
           a->names[a->baseline]);
    grid_cell(&g, "policy");
    for (uint32_t y = 0; y < a->yardstick_count; y++)
        grid_cell(&g, "%s", ideal_name(a->yardsticks[y]));
    grid_row(&g);
    for (uint32_t p = 0; p < a->count; p++) {
        grid_cell(&g, "%s", a->names[p]);
        for (uint32_t y = 0; y < a->yardstick_count; y++)
            number_cell(&g, n, sim_numbers_share(n, p, a->count + y), percent);
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static void print_policies(const struct sim_args *a, const struct sim_numbers *n)
{
    static const struct {
        const char *head;
        int field;
        const struct look *look;
    } columns[] = {
        {"mean", NUMBER_MEAN_JCT, &fine},
        {"p50", NUMBER_P50_JCT, &fine},
        {"p95", NUMBER_P95_JCT, &fine},
        {"improved", NUMBER_IMPROVEMENT, &percent},
        {"attempts", NUMBER_ATTEMPTS, &plain},
        {"clones", NUMBER_CLONES, &plain},
        {"killed", NUMBER_KILLED, &plain},
        {"extra/cap", NUMBER_CLONE_CAPACITY, &percent},
        {"busy/first", NUMBER_BUSY_VS_FIRST, &fine},
        {"slow p50", NUMBER_SLOWDOWN_P50, &fine},
        {"slow p95", NUMBER_SLOWDOWN_P95, &fine},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    struct grid g = {0};

    grid_cell(&g, "policy");
    for (int c = 0; c < COLUMNS; c++)
        grid_cell(&g, "%s", columns[c].head);
    grid_cell(&g, "digest");
    grid_row(&g);
    for (uint32_t p = 0; p < n->policies; p++) {
        grid_cell(&g, "%s", row_name(a, p));
        for (int c = 0; c < COLUMNS; c++)
            estimate_cell(&g, n, p, columns[c].field, *columns[c].look);
        grid_cell(&g, "%016" PRIx64, sim_numbers_digest(n, p));
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static void print_bins(const struct sim_args *a, const struct sim_numbers *n)
{
    static const char *const heads[SUMMARY_BINS] = {"1-10 tasks", "11-50", "51-150", "151-500",
                                                    "over 500"};
    struct grid g = {0};

    puts("\nMean completion time of jobs, by their number of tasks (s):");
    grid_cell(&g, "policy");
    for (int i = 0; i < SUMMARY_BINS; i++)
        grid_cell(&g, "%s", heads[i]);
    grid_row(&g);
    grid_cell(&g, "(jobs)");
    for (int i = 0; i < SUMMARY_BINS; i++)
        grid_cell(&g, "%.0f", sim_numbers_run(n, 0, 0)->v[NUMBER_BIN_JOBS + i]);
    grid_row(&g);
    for (uint32_t p = 0; p < n->policies; p++) {
        grid_cell(&g, "%s", row_name(a, p));
        for (int i = 0; i < SUMMARY_BINS; i++)
            estimate_cell(&g, n, p, NUMBER_BIN_MEAN + i, fine);
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static void print_phases(const struct sim_args *a, const struct sim_numbers *n)
{
    static const char *const heads[SIM_PHASE_FIELDS] = {
        "shorter p30", "p50", "p75", "p80", "saved p50", "p75", "copies/task", "won", "untouched"};
    struct grid g = {0};

    printf("\nPhases beside those of %s, by their lifetime there:\n", a->names[a->baseline]);
    grid_cell(&g, "policy");
    for (int i = 0; i < SIM_PHASE_FIELDS; i++)
        grid_cell(&g, "%s", heads[i]);
    grid_row(&g);
    for (uint32_t p = 0; p < n->policies; p++) {
        grid_cell(&g, "%s", row_name(a, p));
        for (int i = 0; i < SIM_PHASE_FIELDS; i++)
            estimate_cell(&g, n, p, NUMBER_PHASES + i,
                          NUMBER_PHASES + i == NUMBER_COPIES ? fine : percent);
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static void print_estimates(const struct sim_args *a, const struct sim_numbers *n)
{
    static const char *const heads[SIM_ESTIMATE_FIELDS] = {"reports", "t_rem p50", "p90", "mean",
                                                           "copies",  "t_new p50", "p90", "mean"};
    struct grid g = {0};

    puts("\nErrors of Mantri's estimates, of the completion time of the attempt:");
    grid_cell(&g, "policy");
    for (int i = 0; i < SIM_ESTIMATE_FIELDS; i++)
        grid_cell(&g, "%s", heads[i]);
    grid_row(&g);
    for (uint32_t p = 0; p < n->policies; p++) {
        grid_cell(&g, "%s", row_name(a, p));
        for (int i = NUMBER_ESTIMATES; i < NUMBER_COUNT; i++)
            estimate_cell(&g, n, p, i,
                          i == NUMBER_TREM_REPORTS || i == NUMBER_TNEW_COPIES ? plain : percent);
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

void sim_print_table(const struct sim_args *a, const struct sim_numbers *n)
{
    const struct sim_run *first = sim_numbers_run(n, 0, 0);
    struct res_sum capacity = cluster_capacity(a->cluster);

    printf("%s: %" PRIu64 " jobs, %" PRIu64 " tasks; cluster %s: %u nodes, %g slots; ", a->workload,
           first->jobs, first->tasks, a->cluster_name, a->cluster->node_count,
           (double)capacity.v[RES_CPU] / RES_SLOT);
    if (a->jobs)
        printf("after a warm-up of %g min; ", (double)a->warmup_us / 60e6);
    if (n->seeds > 1)
        printf("seeds %" PRIu64 " to %" PRIu64 ", 95 %% intervals\n\n", a->seed,
               a->seed + n->seeds - 1);
    else
        printf("seed %" PRIu64 "\n\n", a->seed);
    printf("Completion time of jobs (s), improvement over %s:\n", a->names[a->baseline]);
    print_policies(a, n);
    print_bins(a, n);
    if (a->phases)
        print_phases(a, n);
    if (a->yardstick_count)
        print_shares(a, n);
    if (a->estimates)
        print_estimates(a, n);
    for (uint32_t p = 0; p < n->policies; p++) {
        double failed = sim_numbers_estimate(n, p, NUMBER_JOBS_FAILED).mean * n->seeds;
        if (failed > 0)
            printf("\n%s: %.0f job%s failed and %s left out of the times.\n", row_name(a, p),
                   failed, failed > 1 ? "s" : "", failed > 1 ? "are" : "is");
    }
}
