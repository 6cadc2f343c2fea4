/* cmd_model.c - `dolly model`: the closed forms of estimate/clone_math.h for one set of numbers.
 *
 * For trying out what eps, p and the number of tasks do to each other, without any simulation. The
 * functions accept every number; people get stricter limits here, because a probability of 1.1 is a
 * typing error. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/commands.h"
#include "estimate/clone_math.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

enum { MODEL_P, MODEL_N, MODEL_C, MODEL_EPS, MODEL_JSON };

static const struct opt options[] = {
    {"p", "P", "probability that one copy of a task straggles, 0 to 1"},
    {"n", "N", "tasks of the phase"},
    {"c", "C", "copies to judge; default: as many as eps asks for"},
    {"eps", "E", "accepted probability that the job straggles, between 0 and 1; default 0.05"},
    {"json", NULL, "print one JSON object"},
    {NULL, NULL, NULL},
};

static const int64_t TASKS_MAX = 1000000000000000;

struct model {
    double p, eps;
    int64_t n, c; /* c = 0: as many as needed */
    bool json;
};

static void print_help(void)
{
    puts("usage: dolly model --p P --n N [--c C] [--eps E] [--json]\n\n"
         "How many copies of each task keep a job of N tasks from straggling, and how probable\n"
         "straggling is with C copies: cloning whole jobs, cloning tasks, and cloning both of two\n"
         "phases when copies read exclusively (cac) or share what finished first (cc).\n");
    opt_print(options);
    puts("\nExamples:\n"
         "  dolly model --p 0.15 --n 10\n"
         "  dolly model --p 0.05 --n 150 --c 2 --json");
}

/* 0; OPT_HELP; or something else after printing what is wrong. */
static int parse(struct model *m, int argc, char **argv)
{
    struct opt_walk w = opt_begin("model", options, argc, argv);
    bool have_p = false, have_n = false;
    int i;

    while ((i = opt_next(&w)) >= 0)
        switch (i) {
        case MODEL_P:
            have_p = true;
            if (!text_real(w.value, &m->p) || m->p < 0 || m->p > 1)
                return cli_usage("model", "--p must be a number from 0 to 1, not '%s'", w.value);
            break;
        case MODEL_N:
            have_n = true;
            if (!text_int(w.value, &m->n) || m->n < 1 || m->n > TASKS_MAX)
                return cli_usage("model",
                                 "--n must be a whole number from 1 to %" PRId64 ", not '%s'",
                                 TASKS_MAX, w.value);
            break;
        case MODEL_C:
            if (!text_int(w.value, &m->c) || m->c < 1 || m->c > CLONE_MATH_COPIES_MAX)
                return cli_usage("model", "--c must be a whole number from 1 to %d, not '%s'",
                                 CLONE_MATH_COPIES_MAX, w.value);
            break;
        case MODEL_EPS:
            if (!text_real(w.value, &m->eps) || m->eps <= 0 || m->eps >= 1)
                return cli_usage("model", "--eps must be a number between 0 and 1, not '%s'",
                                 w.value);
            break;
        case MODEL_JSON:
            m->json = true;
            break;
        }
    if (i == OPT_HELP || i == OPT_BAD)
        return i;
    if (i == OPT_OTHER)
        return cli_usage("model", "unexpected argument '%s'", w.value);
    if (!have_p || !have_n)
        return cli_usage("model", "--%s is missing", have_p ? "n" : "p");
    return 0;
}

static void print_json(const struct model *m, uint32_t copies, uint32_t c)
{
    uint64_t n = (uint64_t)m->n;

    json_out_print(
        json_pack("{s:f, s:I, s:i, s:f, s:i, s:f, s:f, s:f, s:f}", /* in DESIGN's order */
                  "p", m->p, "n", (json_int_t)n, "c", (int)c, "eps", m->eps, "copies", (int)copies,
                  "job_level", clone_math_job_level(n, m->p, c), "task_level",
                  clone_math_task_level(n, m->p, c), "cac", clone_math_cac(n, m->p, c), "cc",
                  clone_math_cc(n, m->p, c)));
}

static void print_table(const struct model *m, uint32_t copies, uint32_t c)
{
    static const char *const format = "  %-11s %-13.6g %s\n";
    uint64_t n = (uint64_t)m->n;

    printf("A phase of %" PRIu64 " tasks, each copy straggling with probability %g:\n\n", n, m->p);
    printf("  copies per task for a risk of at most %g: %u%s\n", m->eps, copies,
           copies == CLONE_MATH_COPIES_MAX ? " (no number of copies may be enough)" : "");
    printf("  copies of the whole job for the same: %u\n\n",
           clone_math_job_copies(n, m->p, m->eps));
    printf("Probability that the job straggles with %u cop%s:\n\n", c, c == 1 ? "y" : "ies");
    printf(format, "job_level", clone_math_job_level(n, m->p, c), "the whole job is cloned");
    printf(format, "task_level", clone_math_task_level(n, m->p, c), "each task is cloned");
    printf(format, "cac", clone_math_cac(n, m->p, c),
           "two phases; a copy downstream reads a copy upstream of its own");
    printf(format, "cc", clone_math_cc(n, m->p, c),
           "two phases; all copies downstream read the first one upstream");
}

int cmd_model(int argc, char **argv)
{
    struct model m = {.eps = 0.05};
    int status = parse(&m, argc, argv);

    if (status == OPT_HELP) {
        print_help();
        return EXIT_DONE;
    }
    if (status != 0)
        return EXIT_USAGE;
    uint32_t copies = clone_math_copies((uint64_t)m.n, m.p, m.eps);
    uint32_t c = m.c ? (uint32_t)m.c : copies;
    if (m.json)
        print_json(&m, copies, c);
    else
        print_table(&m, copies, c);
    return EXIT_DONE;
}
