/* sim_print_table.c - the result for people: what a policy achieved, what it cost, and for whom.
 *
 * Not every number of the JSON object is here, and what does not fit 80 columns only with --wide.
 * The mean by size of the job gets a table of its own, since a policy that helps small jobs at the
 * cost of large ones looks fine in a single mean. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/sim/sim_print.h"
#include "core/model/res.h"
#include "core/policy/policy.h"
#include "ui/grid.h"
#include "ui/words.h"
#include "ui/wrap.h"

const char *sim_print_table_bound(const struct sim_args *a, uint32_t row, int number)
{
    if (!a->recorded || !a->recorded->is_bound || row < SIM_RECORDED_ROWS)
        return "";
    if (number == NUMBER_IMPROVEMENT)
        return "<= ";
    return number == NUMBER_MEAN_JCT || number == NUMBER_P50_JCT || number == NUMBER_P95_JCT ||
                   (number >= NUMBER_BIN_MEAN && number < NUMBER_BIN_MEAN + SUMMARY_BINS)
               ? ">= "
               : "";
}

static void number_cell(struct grid *g, const struct sim_numbers *n, struct sim_estimate e,
                        enum number_look look, const char *bound)
{
    double scale = look == NUMBER_SHARE ? 100 : 1;
    int digits = look == NUMBER_FINE ? 2 : look == NUMBER_SHARE || n->seeds > 1;
    const char *unit = look == NUMBER_SHARE ? "%" : "";

    if (n->seeds > 1)
        grid_number(g, e.mean, "%s%.*f ±%.*f%s", bound, digits, e.mean * scale, digits,
                    e.half * scale, unit);
    else
        grid_number(g, e.mean, "%s%.*f%s", bound, digits, e.mean * scale, unit);
}

/* A row for each policy. Columns are numbers; DIGEST; or SHARE + y: what the policy gained, as a
 * share of what the yardstick y says was possible. */
enum { DIGEST = NUMBER_COUNT, SHARE };

int sim_print_table_grid(const struct sim_args *a, struct grid *g)
{
    int left_out = grid_print_within(g, a->wide ? INT_MAX : WRAP_COLUMNS);

    grid_fini(g);
    return left_out;
}

void sim_print_table_left_out(int left_out)
{
    if (left_out > 0)
        puts("\nColumns that do not fit a line of 80 are left out; --wide prints them.");
}

/* Returns the number of columns that were left out, as all that print a table. */
static int print_rows(const struct sim_args *a, const struct sim_numbers *n, struct grid *g,
                      uint32_t rows, const int *columns, int count)
{
    for (uint32_t p = 0; p < rows; p++) {
        grid_cell(g, "%s", sim_args_row(a, p));
        for (int i = 0; i < count; i++) {
            int c = columns[i];
            if (c == DIGEST)
                grid_cell(g, "%016" PRIx64, sim_numbers_digest(n, p));
            else if (c >= SHARE)
                number_cell(g, n, sim_numbers_share(n, p, a->count + (uint32_t)(c - SHARE)),
                            NUMBER_SHARE, "");
            else
                number_cell(g, n, sim_numbers_estimate(n, p, c), sim_numbers_table[c].look,
                            sim_print_table_bound(a, p, c));
        }
        grid_row(g);
    }
    return sim_print_table_grid(a, g);
}

static int print_numbers(const struct sim_args *a, const struct sim_numbers *n, const int *columns,
                         int count)
{
    struct grid g = {0};

    grid_cell(&g, "policy");
    for (int i = 0; i < count; i++)
        grid_cell(&g, "%s", columns[i] == DIGEST ? "digest" : sim_numbers_table[columns[i]].head);
    grid_row(&g);
    return print_rows(a, n, &g, n->policies, columns, count);
}

/* Numbers that stand one after the other. */
static int print_range(const struct sim_args *a, const struct sim_numbers *n, int from, int end)
{
    int columns[NUMBER_COUNT];

    for (int i = from; i < end; i++)
        columns[i - from] = i;
    return print_numbers(a, n, columns, end - from);
}

static int print_policies(const struct sim_args *a, const struct sim_numbers *n)
{
    static const int all[] = {NUMBER_MEAN_JCT,      NUMBER_P50_JCT,
                              NUMBER_P95_JCT,       NUMBER_IMPROVEMENT,
                              NUMBER_ATTEMPTS,      NUMBER_CLONES,
                              NUMBER_KILLED,        NUMBER_CLONE_CAPACITY,
                              NUMBER_BUSY_VS_FIRST, NUMBER_LOAD_ARRIVING,
                              NUMBER_LOAD_MEAN,     NUMBER_SLOWDOWN_P50,
                              NUMBER_SLOWDOWN_P95,  DIGEST};
    static const int few[] = {NUMBER_MEAN_JCT,     NUMBER_P50_JCT, NUMBER_P95_JCT,
                              NUMBER_IMPROVEMENT,  NUMBER_CLONES,  NUMBER_CLONE_CAPACITY,
                              NUMBER_BUSY_VS_FIRST};
    enum { ALL = sizeof all / sizeof *all, FEW = sizeof few / sizeof *few };

    if (a->wide)
        return print_numbers(a, n, all, ALL);
    return print_numbers(a, n, few, FEW) + ALL - FEW;
}

static int print_bins(const struct sim_args *a, const struct sim_numbers *n)
{
    static const char *const heads[] = {"policy",  "1-10 tasks", "11-50", "51-150",
                                        "151-500", "over 500",   NULL};
    int columns[SUMMARY_BINS];
    struct grid g = {0};

    puts("\nMean completion time of jobs, by their number of tasks (s):");
    grid_texts(&g, heads);
    grid_cell(&g, "(jobs)");
    for (int i = 0; i < SUMMARY_BINS; i++) {
        grid_cell(&g, "%.0f", sim_numbers_run(n, 0, 0)->v[NUMBER_BIN_JOBS + i]);
        columns[i] = NUMBER_BIN_MEAN + i;
    }
    grid_row(&g);
    return print_rows(a, n, &g, n->policies, columns, SUMMARY_BINS);
}

static int print_shares(const struct sim_args *a, const struct sim_numbers *n)
{
    int *columns = mem_zalloc(a->yardstick_count, sizeof *columns);
    struct grid g = {0};

    printf("\nShare of the possible gain of %s, in worlds without a trouble:\n",
           a->names[a->baseline]);
    grid_cell(&g, "policy");
    for (uint32_t y = 0; y < a->yardstick_count; y++) {
        grid_cell(&g, "%s", ideal_name(a->yardsticks[y]));
        columns[y] = SHARE + (int)y;
    }
    grid_row(&g);
    int left_out = print_rows(a, n, &g, a->count, columns, (int)a->yardstick_count);
    mem_free(columns);
    return left_out;
}

/* A policy that could have cloned and did not looks like one that cannot. */
static void print_cloneless(const struct sim_args *a, const struct sim_numbers *n)
{
    struct str names = {0};

    for (uint32_t p = 0; p < a->count; p++)
        if (policy_may_clone(a->policies[p]) && sim_numbers_estimate(n, p, NUMBER_CLONES).mean <= 0)
            str_addf(&names, "%s%s", names.length ? ", " : "", a->names[p]);
    if (names.length) {
        str_add(&names, "; with --journal FILE, `dolly explain FILE` explains why.");
        fputs("\nNo clones under ", stdout);
        wrap_print(names.text, (int)strlen("No clones under "), 0);
    }
    str_free(&names);
}

/* Whether all nodes are alike and attempts take as long as they should. */
static bool is_lucky(const struct cluster *c)
{
    bool alike = c->luck.noise <= 0 && c->luck.slow_p <= 0 && c->luck.pareto <= 0 &&
                 c->luck.stall_p <= 0 && c->luck.further == FURTHER_SIZE && c->outages.count == 0;

    for (uint32_t i = 1; i < c->node_count; i++)
        alike &= c->nodes[i].speed == c->nodes[0].speed;
    return alike;
}

/* Clones that bring nothing where nothing can straggle look as if they never did: bad luck is the
 * cluster's, not the workload's. A trace has luck of its own. */
static void print_luckless(const struct sim_args *a, const struct sim_numbers *n)
{
    bool cloned = false, helped = false;

    for (uint32_t p = 0; p < a->count; p++) {
        cloned |= sim_numbers_estimate(n, p, NUMBER_CLONES).mean > 0;
        helped |= fabs(sim_numbers_estimate(n, p, NUMBER_IMPROVEMENT).mean) > 0.005;
    }
    if (a->count > 1 && !a->trace.import && cloned && !helped && is_lucky(a->cluster))
        printf("\nNothing straggles on %s, so clones cannot help: nodes and\n"
               "attempts are slow at random only where the cluster's file has `luck`;\n"
               "try --cluster examples/facebook.cluster.\n",
               a->cluster_name);
}

static void print_head(const struct sim_args *a, const struct sim_numbers *n)
{
    const struct summary_result *first = &sim_numbers_run(n, 0, 0)->summary;
    struct res_sum capacity = cluster_capacity(a->cluster);
    struct res_kinds kinds = cluster_kinds(a->cluster);
    struct str line = {0};

    str_addf(&line, "%s: %s, %s; cluster %s: %s, %g slots; ", a->workload,
             words_count(first->jobs, "job").text, words_count(first->tasks, "task").text,
             a->cluster_name, words_count(a->cluster->node_count, "node").text,
             res_sum_slots(&kinds, &capacity));
    if (a->jobs && a->warmup_us > 0)
        str_addf(&line, "after a warm-up of %g min; ", (double)a->warmup_us / 60e6);
    if (n->seeds > 1)
        str_addf(&line, "seeds %" PRIu64 " to %" PRIu64 ", 95 %% intervals", a->seed,
                 a->seed + n->seeds - 1);
    else
        str_addf(&line, "seed %" PRIu64, a->seed);
    wrap_print(line.text, 0, 4);
    putchar('\n');
    str_free(&line);
}

int sim_print_table_rows(const struct sim_args *a, const struct sim_numbers *n)
{
    int left_out = 0;

    print_head(a, n);
    printf("Completion time of jobs (s), improvement over %s:\n", a->names[a->baseline]);
    left_out += print_policies(a, n);
    left_out += print_bins(a, n);
    if (a->phases) {
        printf("\nPhases compared with those of %s, by their lifetime there:\n",
               a->names[a->baseline]);
        left_out += print_range(a, n, NUMBER_PHASES, NUMBER_ESTIMATES);
    }
    if (a->yardstick_count)
        left_out += print_shares(a, n);
    if (a->estimates) {
        puts("\nErrors of Mantri's estimates, of the completion time of the attempt:");
        left_out += print_range(a, n, NUMBER_ESTIMATES, NUMBER_COUNT);
    }
    print_cloneless(a, n);
    print_luckless(a, n);
    for (uint32_t p = 0; p < n->policies; p++) {
        double failed = sim_numbers_estimate(n, p, NUMBER_JOBS_FAILED).mean * n->seeds;
        if (failed > 0)
            printf("\n%s: %.0f job%s failed and %s left out of the times.\n", sim_args_row(a, p),
                   failed, failed > 1 ? "s" : "", failed > 1 ? "are" : "is");
    }
    return left_out;
}
