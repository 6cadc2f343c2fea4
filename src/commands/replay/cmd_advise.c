/* cmd_advise.c - `dolly advise`: which policy to take, by what happened.
 *
 * A handful of policies run on the jobs of a run or trace, in both readings of their times and with
 * several seeds. Three sentences have the answer: what to take and what it saves, what that hangs
 * on, and how sure it is. Doing nothing is one of the answers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "commands/replay/advice.h"
#include "commands/replay/replay_sim.h"
#include "commands/sim/sim_run.h"
#include "ui/cli.h"
#include "ui/grid.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/wrap.h"

/* Without copies, which is what others are compared with, then what is worth a try. */
#define ALONE "none"
#define TRIED "shepherd,dolly+late,late"
enum { SEEDS = 3 };

struct advise_args {
    struct sim_args sim; /* the first: sim_args_take_file */
    const char *policies;
    struct str list; /* behind sim.said.policies */
};

#define OPTIONS struct advise_args

static const struct field options[] = {
    {OPTION("policy", "A,B,...", FIELD_TEXT, policies,
            "the policies to choose among, " ALONE " being one more; default " TRIED)},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, sim.cluster_name,
            "the machines of a trace; default as in `dolly sim`")},
    {OPTION("seed", "S", FIELD_INT, sim.seed,
            "the first seed of the random numbers, 0 or more; default that of the run, else 1")},
    {OPTION("seeds", "K", FIELD_COUNT, sim.seeds, "repeat with K seeds; default 3"), .min = 1,
     .max = 10000},
    REQUEST_OPTIONS(struct advise_args, sim.trace.request),
    {FLAG("json", sim.json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "advise",
    .usage =
        "usage: dolly advise RUN|FILE... [OPTIONS]\n"
        "\n"
        "Advises which policy to take for jobs like those of a run or trace. It simulates a few\n"
        "policies on what happened, and prints in three sentences which one to take, how much\n"
        "time it would have saved, and how sure that is. The answer may be to change nothing.\n"
        "RUN is the folder of a run or its journal; FILE is a trace of a real cluster.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly map --pure --dir run ./task ::: {1..100}\n"
             "  dolly advise run\n"
             "  dolly advise batch_task.csv batch_instance.csv --policy shepherd,mantri",
    .operand = sim_args_take_file,
};

/* ---- what was simulated ---- */

/* Everything that the sentences and the JSON object are made of. Rows of policies follow that of
 * `none`, the baseline. */
struct findings {
    const struct sim_args *a;
    const struct replay *replay; /* of a run; NULL: of a trace */
    const struct sim_numbers *n;
    uint32_t readings, count;
    struct advice_policy *policies;
    struct advice advice;
};

static double number(const struct findings *f, uint32_t reading, uint32_t row, int which)
{
    return sim_numbers_estimate(&f->n[reading], row, which).mean;
}

static uint32_t row_of(const struct findings *f, uint32_t policy)
{
    return f->a->baseline + 1 + policy;
}

static const char *name_of(const struct findings *f, uint32_t policy)
{
    return f->a->names[row_of(f, policy)];
}

static const char *reading_of(const struct findings *f, uint32_t k)
{
    return sim_trace_reading_at(&f->a->trace, k);
}

static double extra_of(const struct findings *f, uint32_t k, uint32_t policy)
{
    return number(f, k, row_of(f, policy), NUMBER_BUSY) /
               number(f, k, f->a->baseline, NUMBER_BUSY) -
           1;
}

static struct findings find(const struct sim_args *a, const struct replay *replay,
                            const struct sim_numbers *n)
{
    struct findings f = {.a = a, .replay = replay, .n = n};

    f.readings = sim_trace_runs(&a->trace);
    f.count = a->count - a->baseline - 1;
    f.policies = mem_zalloc(f.count, sizeof *f.policies);
    for (uint32_t p = 0; p < f.count; p++) {
        for (uint32_t k = 0; k < f.readings; k++) {
            struct sim_estimate e = sim_numbers_estimate(&n[k], row_of(&f, p), NUMBER_IMPROVEMENT);
            f.policies[p].gains[k] = (struct advice_gain){e.mean, a->seeds > 1 ? e.half : 0};
        }
        f.policies[p].extra = extra_of(&f, 0, p);
    }
    f.advice = advice_choose(f.policies, f.count, f.readings);
    return f;
}

/* The reading in which the advised policy gains most, and the other one. */
static uint32_t better_reading(const struct findings *f)
{
    const struct advice_gain *g = f->policies[f->advice.take].gains;
    return f->readings > 1 && g[1].mean > g[0].mean;
}

/* ---- three sentences ---- */

static void say_seconds(struct str *to, double s)
{
    str_addf(to, s < 10 ? "%.2f s" : s < 100 ? "%.1f s" : "%.0f s", s);
}

static void say_mean(const struct findings *f, uint32_t k, uint32_t row, struct str *to)
{
    say_seconds(to, number(f, k, row, NUMBER_MEAN_JCT));
}

static void say_what(const struct findings *f, struct str *to)
{
    uint32_t take = f->advice.take, k = better_reading(f);
    const struct advice_gain *g = &f->policies[take].gains[k];

    if (f->advice.verdict == ADVICE_NOTHING) {
        str_addf(to,
                 "Take none: of %" PRIu32 " %s not one is certain to save %.0f %% of the mean time "
                 "of jobs, which is ",
                 f->count, f->count == 1 ? "policy" : "policies", 100 * ADVICE_GAIN_MIN);
        say_mean(f, k, f->a->baseline, to);
        str_addf(to, " with one attempt per task (best: %s, %+.1f %%).", name_of(f, take),
                 100 * g->mean);
        return;
    }
    str_addf(to, "Take %s: jobs take ", name_of(f, take));
    say_mean(f, k, row_of(f, take), to);
    str_add(to, " in the mean instead of ");
    say_mean(f, k, f->a->baseline, to);
    str_addf(to, " with one attempt per task, %.0f %% less, for %.1f %% %s slot-seconds.",
             100 * g->mean, 100 * fabs(extra_of(f, k, take)),
             extra_of(f, k, take) < 0 ? "fewer" : "more");
}

/* What a reading, one of two, assumes of tasks. */
static const char *assumption(const char *reading)
{
    return strcmp(reading, "luck") == 0
               ? "by luck, so that a copy of a slow one is as fast as the others"
               : "by size, so that a copy takes as long as its task";
}

static void say_why(const struct findings *f, struct str *to)
{
    uint32_t k = better_reading(f);
    double ceiling = 1 - number(f, k, f->a->count, NUMBER_MEAN_JCT) /
                             number(f, k, f->a->baseline, NUMBER_MEAN_JCT);

    if (f->advice.verdict == ADVICE_NOTHING) {
        str_addf(to,
                 " If no task straggled, jobs would take %.1f %% less: more than that cannot be"
                 " gained.",
                 100 * fmax(0, ceiling));
        return;
    }
    if (f->readings < 2) {
        str_addf(to, " That is %.0f %% of what could be gained if no task straggled.",
                 100 * f->policies[f->advice.take].gains[k].mean / ceiling);
        return;
    }
    double other = f->policies[f->advice.take].gains[1 - k].mean;
    str_addf(to, " That holds if tasks of a phase differ %s; if they differ %s, it %s %.1f %%.",
             assumption(reading_of(f, k)), assumption(reading_of(f, 1 - k)),
             other < 0 ? "costs" : "saves", 100 * fabs(other));
}

static double replay_off(const struct findings *f)
{
    return number(f, 0, 1, NUMBER_MEAN_JCT) / number(f, 0, 0, NUMBER_MEAN_JCT) - 1;
}

static void say_how_sure(const struct findings *f, struct str *to)
{
    const struct advice_gain *g = &f->policies[f->advice.take].gains[better_reading(f)];

    str_addf(to, " How sure: ");
    if (f->a->seeds > 1)
        str_addf(to, "over %" PRIu32 " seeds it is %.1f to %.1f %%", f->a->seeds,
                 100 * (g->mean - g->half), 100 * (g->mean + g->half));
    else
        str_add(to, "one seed was tried");
    if (f->replay && isnan(replay_off(f)))
        str_add(to, "; no recorded job ended, so that a replay has nothing to be compared with");
    else if (f->replay)
        str_addf(to, "; replayed, the recorded run is %.1f %% off", 100 * fabs(replay_off(f)));
    if (f->replay && f->replay->times.is_bound)
        str_add(to, "; attempts that the run cut short are most of its work, so that all times but "
                    "the recorded one are lower bounds");
    str_add(to, ".");
}

static void print_table(const struct findings *f)
{
    struct grid g = {0};

    grid_cell(&g, "policy");
    for (uint32_t k = 0; k < f->readings; k++) {
        const char *reading = reading_of(f, k);
        grid_cell(&g, "mean (s)%s%s", reading ? ", " : "", reading ? reading : "");
        grid_cell(&g, "saved");
        grid_cell(&g, "extra");
    }
    grid_row(&g);
    for (uint32_t row = f->a->baseline; row < f->a->count; row++) {
        grid_cell(&g, "%s", f->a->names[row]);
        for (uint32_t k = 0; k < f->readings; k++) {
            grid_cell(&g, "%.2f", number(f, k, row, NUMBER_MEAN_JCT));
            bool base = row == f->a->baseline;
            double gain = base ? 0 : f->policies[row - f->a->baseline - 1].gains[k].mean;
            grid_cell(&g, "%.1f%%", 100 * gain);
            grid_cell(&g, "%.1f%%", base ? 0 : 100 * extra_of(f, k, row - f->a->baseline - 1));
        }
        grid_row(&g);
    }
    grid_print(&g);
    grid_fini(&g);
}

static void print_text(const struct findings *f)
{
    struct str said = {0};

    say_what(f, &said);
    say_why(f, &said);
    say_how_sure(f, &said);
    wrap_print(said.text, 0, 0);
    puts("");
    print_table(f);
    str_free(&said);
}

/* ---- JSON ---- */

static void add_gain(json_t *one, const struct findings *f, uint32_t policy, uint32_t k)
{
    const struct advice_gain *g = &f->policies[policy].gains[k];
    const char *reading = reading_of(f, k);

    json_out_put(one, "variation", reading);
    json_out_put(one, "mean_jct_s", number(f, k, row_of(f, policy), NUMBER_MEAN_JCT));
    json_out_put(one, "none_jct_s", number(f, k, f->a->baseline, NUMBER_MEAN_JCT));
    json_out_put(one, "saved", g->mean);
    json_out_put(one, "saved_half", g->half);
    json_out_put(one, "extra", extra_of(f, k, policy));
}

static void print_json(const struct findings *f)
{
    static const char *const verdicts[] = {
        [ADVICE_NOTHING] = "nothing", [ADVICE_DEPENDS] = "depends", [ADVICE_CERTAIN] = "certain"};
    json_t *object = json_object();

    json_out_put(object, "source", f->a->workload);
    json_out_put(object, "verdict", verdicts[f->advice.verdict]);
    json_out_set(
        object, "take",
        json_string(f->advice.verdict == ADVICE_NOTHING ? ALONE : name_of(f, f->advice.take)));
    json_out_set(object, "replay_off",
                 f->replay ? json_out_number(replay_off(f), false) : json_null());
    json_out_set(object, "is_bound", json_boolean(f->replay && f->replay->times.is_bound));
    json_out_put(object, "seeds", f->a->seeds);
    json_t *policies = json_out_list(object, "policies");
    for (uint32_t p = 0; p < f->count; p++) {
        json_t *one = json_out_add(policies);
        json_out_put(one, "policy", name_of(f, p));
        json_t *readings = json_out_list(one, "variations");
        for (uint32_t k = 0; k < f->readings; k++)
            add_gain(json_out_add(readings), f, p, k);
    }
    json_out_print(object);
}

/* ---- the command ---- */

/* Jobs that all failed have no time to compare. */
static int check_findings(const struct findings *f, struct err *err)
{
    if (isnan(number(f, 0, f->a->baseline, NUMBER_MEAN_JCT)))
        return err_set(err, "%s: no job was done, so there is nothing to advise on",
                       f->a->workload);
    return 0;
}

static int advise(struct advise_args *q, struct replay_sim *s)
{
    struct sim_args *a = &q->sim;
    struct findings f = {0};
    struct err err;

    str_addf(&q->list, ALONE ",%s", q->policies ? q->policies : TRIED);
    a->said.policies = q->list.text;
    a->said.baseline = ALONE;
    a->said.yardsticks = ideal_name(IDEAL_NO_STRAGGLERS);
    interrupt_catch();
    int bad = replay_sim_source(s, a, &err) < 0 || sim_compare(a, s->n, &err) < 0;
    if (!bad) {
        f = find(a, s->replay, s->n);
        bad = check_findings(&f, &err) < 0;
    }
    if (!bad)
        (a->json ? print_json : print_text)(&f);
    mem_free(f.policies);
    return !bad ? EXIT_DONE : interrupt_came() ? EXIT_INTERRUPTED : cli_fail(&err);
}

int cmd_advise(int argc, char **argv)
{
    struct advise_args q = {.sim = REPLAY_SIM_ARGS};
    struct replay_sim s = {0};
    int status;

    q.sim.seeds = SEEDS;
    if (opt_parse(&command, argc, argv, &q, &status))
        status = q.sim.trace.request.files.texts.count
                     ? advise(&q, &s)
                     : cli_usage("advise", "the folder of a run, or a trace, is missing");
    replay_sim_fini(&s, &q.sim);
    str_free(&q.list);
    return status;
}
