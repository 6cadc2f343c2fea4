/* cmd_replay.c - `dolly replay`: a finished run once more, under other policies.
 *
 * Whether to believe the answer is told by the check: the recorded policy is simulated too, and how
 * far it is from what was recorded is the error of the method, before any policy is exchanged. */
#include "commands/commands.h"

#include <math.h>
#include <stdio.h>

#include "commands/replay/replay_sim.h"
#include "commands/sim/sim_print.h"
#include "commands/sim/sim_run.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/wrap.h"

struct replay_args {
    const char *journal;
    struct sim_args sim;
};

#define OPTIONS struct replay_args

static const struct field options[] = {
    {OPTION("policy", "A,B,...", FIELD_TEXT, sim.said.policies,
            "policies to compare with the recorded run: recipes and parts, see `dolly policies`;\n"
            "default: only the check")},
    {OPTION("variation", "luck|size|bytes|both", FIELD_TEXT, sim.trace.variation,
            "why tasks of a phase differ, which decides the times of attempts that the\njournal "
            "does not have (docs/use/replay-and-whatif.md); default both: luck, then size")},
    {OPTION("set", "KEY=VALUE", FIELD_LIST, sim.said.settings,
            "a parameter of every chosen policy that has it; may be repeated")},
    {OPTION("seed", "S", FIELD_INT, sim.seed,
            "seed of the random numbers, 0 or more; default that of the run")},
    {OPTION("seeds", "K", FIELD_COUNT, sim.seeds,
            "repeat with seeds S to S+K-1 and print 95 % intervals; default 1"),
     .min = 1, .max = 10000},
    {OPTION("parallel", "N", FIELD_COUNT, sim.parallel,
            "simulations at a time; default the number of cores"),
     .min = 1, .max = 10000},
    {OPTION("baseline", "NAME", FIELD_TEXT, sim.said.baseline,
            "the row that improvements refer to; default replayed")},
    {OPTION("journal", "FILE", FIELD_TEXT, sim.journal,
            "write the journals of simulations to FILE.POLICY.SEED; needs one --variation")},
    {FLAG("wide", sim.wide, "print all columns, also beyond 80")},
    {FLAG("json", sim.json, "print one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "replay",
    .usage = "usage: dolly replay JOURNAL [--policy A,B,...] [OPTIONS]\n"
             "\n"
             "Takes the jobs of a finished run, simulated or real, with the times of attempts, "
             "the failures of nodes and the commands of users, and simulates them under other "
             "policies. The first row is the run as recorded, the second the same policy "
             "replayed: the difference shows how far to trust the other rows. JOURNAL may also be "
             "the folder of a run.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly map --pure --dir run ./task ::: {1..100}\n"
             "  dolly replay run --policy none,late,dolly\n"
             "  dolly sim --workload facebook --policy none --journal none.journal\n"
             "  dolly replay none.journal --policy dolly --variation luck\n\n"
             "Exit status: 0 done; 2 not a journal, damaged, or without jobs.",
    .has_operand = true,
    .operand_at = offsetof(struct replay_args, journal),
};

/* How far the replayed run is from the recorded one, as a share. */
static double off(const struct sim_numbers *n, int number)
{
    double was = sim_numbers_estimate(n, 0, number).mean;
    return sim_numbers_estimate(n, 1, number).mean / was - 1;
}

static void print_check(const struct replay_sim *s, const struct sim_args *a)
{
    struct str policy = {0};

    replay_sim_policy(s, &policy);
    printf("The recorded policy is %s.\n", policy.text);
    for (uint32_t k = 0; k < a->trace.reading_count; k++) {
        double mean = off(&s->n[k], NUMBER_MEAN_JCT), p95 = off(&s->n[k], NUMBER_P95_JCT);
        printf("Check, variation=%s: ", sim_trace_reading(a->trace.readings[k]));
        if (isnan(mean))
            puts("no job was done in the recorded run, or none is when it is replayed.");
        else
            printf("replayed, its mean is %+.2f %% and its p95 %+.2f %% off.\n", 100 * mean,
                   100 * p95);
    }
    for (uint32_t i = 0; i < s->replay->notes.count; i++)
        wrap_print(s->replay->notes.at[i], 0, 0);
    puts("");
    str_free(&policy);
}

static void print_json(const struct replay_sim *s, const struct sim_args *a)
{
    const struct replay *r = s->replay;
    json_t *object = json_object();
    struct str policy = {0};

    replay_sim_policy(s, &policy);
    json_out_put(object, "journal", r->path);
    json_out_put(object, "body", r->body);
    json_out_put(object, "policy", policy.text);
    json_out_put(object, "attempts", r->log.attempts);
    json_out_put(object, "censored", r->times.cut);
    json_out_put(object, "censored_work", r->times.cut_us / r->times.work_us);
    json_out_put(object, "is_bound", r->times.is_bound);
    json_t *check = json_out_list(object, "check");
    for (uint32_t k = 0; k < a->trace.reading_count; k++) {
        json_t *one = json_out_add(check);
        json_out_put(one, "variation", sim_trace_reading(a->trace.readings[k]));
        json_out_put(one, "mean_off", off(&s->n[k], NUMBER_MEAN_JCT));
        json_out_put(one, "p95_off", off(&s->n[k], NUMBER_P95_JCT));
    }
    json_out_set(object, "variations", sim_print_trace_variations(a, s->n));
    json_out_set(object, "notes", replay_sim_notes(s));
    json_out_print(object);
    str_free(&policy);
}

static int check_journal(const struct sim_args *a, struct err *err)
{
    if (a->journal && a->trace.reading_count > 1)
        return err_set(err, "--journal: both readings would write the same journals; choose a "
                            "--variation");
    return 0;
}

static int replay(struct replay_args *q, struct replay_sim *s)
{
    struct sim_args *a = &q->sim;
    struct err err;

    interrupt_catch();
    if (replay_sim_open(s, q->journal, a, &err) < 0 || sim_args_policies(a, &err) < 0 ||
        check_journal(a, &err) < 0 || sim_compare(a, s->n, &err) < 0)
        return interrupt_fail(&err);
    if (a->json) {
        print_json(s, a);
    } else {
        print_check(s, a);
        if (!sim_print_trace_same(a, s->n))
            sim_print_trace_tables(a, s->n, true);
    }
    return EXIT_DONE;
}

int cmd_replay(int argc, char **argv)
{
    struct replay_args q = {.sim = REPLAY_SIM_ARGS};
    struct replay_sim s = {0};
    int status;

    if (opt_parse(&command, argc, argv, &q, &status))
        status = q.journal ? replay(&q, &s) : cli_usage("replay", "the journal's file is missing");
    replay_sim_fini(&s, &q.sim);
    return status;
}
