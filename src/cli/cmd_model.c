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

struct model {
    double p, eps; /* p < 0: not given */
    int64_t n, c;  /* n = 0: not given; c = 0: as many as needed */
    bool json;
};

static int take_eps(void *eps, const char *text, struct err *err)
{
    double value;

    if (!text_real(text, &value) || value <= 0 || value >= 1)
        return err_set(err, "--eps must be a number between 0 and 1, not '%s'", text);
    *(double *)eps = value;
    return 0;
}

#define OPTION(name, value, type, member, help)                                                    \
    FIELD_OPTION(name, value, type, struct model, member, help)

static const struct field options[] = {
    {OPTION("p", "P", FIELD_REAL, p, "probability that one copy of a task straggles, 0 to 1"),
     .max = 1},
    {OPTION("n", "N", FIELD_INT, n, "tasks of the phase"), .min = 1, .max = 1e15},
    {OPTION("c", "C", FIELD_INT, c, "copies to judge; default: as many as eps asks for"), .min = 1,
     .max = CLONE_MATH_COPIES_MAX},
    {OPTION("eps", "E", FIELD_OWN, eps,
            "accepted probability that the job straggles, between 0 and 1; default 0.05"),
     .take = take_eps},
    {OPTION("json", NULL, FIELD_FLAG, json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "model",
    .usage =
        "usage: dolly model --p P --n N [--c C] [--eps E] [--json]\n\n"
        "How many copies of each task keep a job of N tasks from straggling, and how probable\n"
        "straggling is with C copies: cloning whole jobs, cloning tasks, and cloning both of two\n"
        "phases when copies read exclusively (cac) or share what finished first (cc).\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly model --p 0.15 --n 10\n"
             "  dolly model --p 0.05 --n 150 --c 2 --json",
};

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
    struct model m = {.p = -1, .eps = 0.05};
    int status;

    if (!opt_parse(&command, argc, argv, &m, &status))
        return status;
    if (m.p < 0 || m.n == 0)
        return cli_usage("model", "--%s is missing", m.p < 0 ? "p" : "n");
    uint32_t copies = clone_math_copies((uint64_t)m.n, m.p, m.eps);
    uint32_t c = m.c ? (uint32_t)m.c : copies;
    if (m.json)
        print_json(&m, copies, c);
    else
        print_table(&m, copies, c);
    return EXIT_DONE;
}
