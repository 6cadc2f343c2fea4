/* cmd_model.c - `dolly model`: the closed forms of core/estimate/clone_math.h and
 * core/estimate/speedup.h for one set of numbers.
 *
 * For trying out what eps, p and the number of tasks do to each other, or what copies do to times
 * of some spread, without any simulation. The functions accept every number; people get stricter
 * limits here, because a probability of 1.1 is a typing error. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "commands/commands.h"
#include "core/estimate/clone_math.h"
#include "core/estimate/speedup.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/wrap.h"

struct model {
    double p, eps;           /* < 0: not given */
    double mean, dev, alpha; /* of task times; < 0: not given */
    int64_t n, c;            /* 0: not given */
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

static int take_alpha(void *alpha, const char *text, struct err *err)
{
    double value;

    if (!text_real(text, &value) || value <= 1)
        return err_set(err, "--alpha must be a number above 1, not '%s'", text);
    *(double *)alpha = value;
    return 0;
}

#define OPTIONS struct model

static const struct field options[] = {
    {OPTION("p", "P", FIELD_REAL, p, "probability that one copy of a task straggles, 0 to 1"),
     .max = 1},
    {OPTION("n", "N", FIELD_INT, n,
            "number of tasks of the phase; in the second form: number of jobs"),
     .min = 1, .max = 1e15},
    {OPTION("c", "C", FIELD_INT, c,
            "number of copies; default: the number that eps asks for, or 2"),
     .min = 1, .max = CLONE_MATH_COPIES_MAX},
    {OPTION("eps", "E", FIELD_OWN, eps,
            "accepted probability that the job straggles, between 0 and 1; default 0.05"),
     .take = take_eps},
    {OPTION("mean", "T", FIELD_REAL, mean, "mean time of a task, in any unit")},
    {OPTION("dev", "S", FIELD_REAL, dev, "standard deviation of task times")},
    {OPTION("alpha", "A", FIELD_OWN, alpha,
            "instead of --mean and --dev: exponent of a Pareto distribution"),
     .take = take_alpha},
    {FLAG("json", json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "model",
    .usage = "usage: dolly model --p P --n N [--c C] [--eps E] [--json]\n"
             "       dolly model --mean T --dev S | --alpha A [--c C] [--n N] [--json]\n"
             "\n"
             "Computes how many copies of each task keep a job of N tasks from straggling, and "
             "the probability of straggling with C copies: for clones of whole jobs, clones of "
             "tasks, and clones in both of two phases when copies read exclusively (cac) or share "
             "the first output (cc).\n"
             "\n"
             "The second form is DollyMP's: the mean time of a task with C copies that start "
             "together; and for N jobs, each half as large as the one before, three ways to run "
             "them, with the sum of their completion times (section 4.1 of the paper).\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly model --p 0.15 --n 10\n"
             "  dolly model --p 0.05 --n 150 --c 2 --json\n"
             "  dolly model --mean 40 --dev 30 --c 3\n"
             "  dolly model --alpha 2.5 --n 8",
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

static void print_level(const char *name, double value, const char *meaning)
{
    wrap_print(meaning, printf("  %-11s %-13.6g ", name, value), 28);
}

static void print_table(const struct model *m, uint32_t copies, uint32_t c)
{
    uint64_t n = (uint64_t)m->n;

    printf("A phase of %" PRIu64 " tasks, each copy straggling with probability %g:\n\n", n, m->p);
    printf("  copies per task for a risk of at most %g: %u%s\n", m->eps, copies,
           copies == CLONE_MATH_COPIES_MAX ? " (no number of copies may be enough)" : "");
    printf("  copies of the whole job for the same: %u\n\n",
           clone_math_job_copies(n, m->p, m->eps));
    printf("Probability that the job straggles with %u cop%s:\n\n", c, c == 1 ? "y" : "ies");
    print_level("job_level", clone_math_job_level(n, m->p, c), "the whole job is cloned");
    print_level("task_level", clone_math_task_level(n, m->p, c), "each task is cloned");
    print_level("cac", clone_math_cac(n, m->p, c),
           "two phases; a copy downstream reads a copy upstream of its own");
    print_level("cc", clone_math_cc(n, m->p, c),
           "two phases; all copies downstream read the first one upstream");
}

static int print_levels(const struct model *m)
{
    uint32_t copies = clone_math_copies((uint64_t)m->n, m->p, m->eps);
    uint32_t c = m->c ? (uint32_t)m->c : copies;
    if (m->json)
        print_json(m, copies, c);
    else
        print_table(m, copies, c);
    return EXIT_DONE;
}

static json_t *number_or_null(double value, bool there)
{
    return json_out_number(there ? value : NAN, false);
}

static void print_speedup_json(const struct model *m, double c, struct speedup_flows f)
{
    double h = speedup_of(m->alpha, c);
    json_t *out = json_object();

    json_out_set(out, "mean", number_or_null(m->mean, m->mean >= 0));
    json_out_set(out, "dev", number_or_null(m->dev, m->dev >= 0));
    json_out_put(out, "alpha", m->alpha);
    json_out_set(out, "c", json_out_number(c, true));
    json_out_put(out, "speedup", h);
    json_out_put(out, "speedup_max", speedup_of(m->alpha, INFINITY));
    json_out_set(out, "time", number_or_null(m->mean / h, m->mean >= 0));
    json_out_set(out, "n", m->n ? json_integer(m->n) : json_null());
    json_out_set(out, "flow1", number_or_null(f.together, m->n > 0));
    json_out_set(out, "flow2", number_or_null(f.one_by_one, m->n > 0));
    json_out_set(out, "flow3", number_or_null(f.two_each, m->n > 0));
    json_out_print(out);
}

static void print_speedup_table(const struct model *m, double c, struct speedup_flows f)
{
    double h = speedup_of(m->alpha, c);

    printf("Task times of a Pareto distribution, %g cop%s:\n\n", c,
           c > 1 ? "ies that start together" : "y");
    print_level("alpha", m->alpha, "of the distribution");
    print_level("speedup", h, "h(r): the mean over that of the first copy to end");
    print_level("speedup_max", speedup_of(m->alpha, INFINITY), "of any number of copies");
    if (m->mean >= 0)
        print_level("time", m->mean / h, "mean time of the first copy to end");
    if (m->n == 0)
        return;
    printf("\nSums of the ends of %" PRId64 " jobs that take 1 and need 1/2, 1/4, ... of a cluster"
           ":\n\n",
           m->n);
    print_level("flow1", f.together, "all at once, and a clone of the smallest");
    print_level("flow2", f.one_by_one, "the smallest first, each with all copies that fit");
    print_level("flow3", f.two_each, "at most: two copies of each, the largest job last");
}

static int print_speedup(struct model *m)
{
    double c = m->c ? (double)m->c : 2;
    if (m->alpha < 0)
        m->alpha = speedup_alpha(m->mean, m->dev);
    struct speedup_flows f = speedup_flows(m->alpha, (uint64_t)m->n);
    if (m->json)
        print_speedup_json(m, c, f);
    else
        print_speedup_table(m, c, f);
    return EXIT_DONE;
}

int cmd_model(int argc, char **argv)
{
    struct model m = {.p = -1, .eps = -1, .mean = -1, .dev = -1, .alpha = -1};
    int status;

    if (!opt_parse(&command, argc, argv, &m, &status))
        return status;
    bool times = m.mean >= 0 || m.dev >= 0;
    if ((m.p >= 0 || m.eps >= 0) && (times || m.alpha > 0))
        return cli_usage("model", "--%s cannot be combined with --%s", m.p >= 0 ? "p" : "eps",
                         times ? "mean" : "alpha");
    if (times && m.alpha > 0)
        return cli_usage("model", "use either --alpha, or --mean and --dev");
    if (times && (m.mean < 0 || m.dev < 0))
        return cli_usage("model", "--%s is missing", m.mean < 0 ? "mean" : "dev");
    if (times || m.alpha > 0)
        return print_speedup(&m);
    if (m.p < 0 || m.n == 0)
        return cli_usage("model", "--%s is missing", m.p < 0 ? "p" : "n");
    if (m.eps < 0)
        m.eps = 0.05;
    return print_levels(&m);
}
