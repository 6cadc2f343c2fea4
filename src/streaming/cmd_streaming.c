/* cmd_streaming.c - `dolly streaming`: Hadoop Streaming's command line without Hadoop.
 *
 * The job becomes a workload of two phases, whose commands are `dolly task PLAN` (task/task.h), and
 * runs as any workload does (drive/drive.h). */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "drive/drive.h"
#include "streaming/cmd_streaming.h"
#include "streaming/output.h"
#include "streaming/pieces.h"
#include "streaming/streaming_args.h"
#include "ui/cli.h"

#define DEFAULT_POLICY "dolly;budget=idle" /* as of map --pure */

static const char help[] =
    "usage: dolly streaming -input PATH -output DIR -mapper COMMAND [-reducer COMMAND] "
    "[OPTIONS]\n\n"
    "Hadoop Streaming's command line without Hadoop: mappers read lines and print KEY TAB VALUE,\n"
    "reducers read those sorted by key, and DIR gets part-00000, ... and _SUCCESS.\n\n"
    "  -input PATH            a file, a folder or a pattern; may be repeated\n"
    "  -output DIR            for the results; must not exist\n"
    "  -mapper COMMAND        run by sh -c for each piece of the inputs\n"
    "  -reducer COMMAND       run for each partition; NONE: what mappers print is the result\n"
    "  -combiner COMMAND      a reducer of what one mapper has, before it is handed on\n"
    "  -numReduceTasks N      partitions, each for a reducer; default 1\n"
    "  -files A,B#NAME        commands find these in their folder\n"
    "  -cmdenv NAME=VALUE     a variable for commands\n"
    "  -D NAME=VALUE          a setting of Hadoop (docs/STREAMING.md lists those that matter);\n"
    "                         commands find all of them in their environment\n"
    "  -partitioner KeyFieldBasedPartitioner   with -D num.key.fields.for.partition=N\n"
    "  -slots N               attempts at once; default one for each core\n"
    "  -policy P              recipe and parts, see `dolly policies`; default " DEFAULT_POLICY "\n"
    "  -chaos SPEC            trouble on purpose, as in `dolly map`\n\n"
    "Example:\n"
    "  dolly streaming -input books/ -output counts -mapper \"tr -cs A-Za-z '\\n'\" \\\n"
    "                  -reducer 'uniq -c' -numReduceTasks 4\n";

static uint32_t slots_of(const struct streaming_args *a)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return a->slots > 0 ? a->slots : cores > 0 ? (uint32_t)cores : 1;
}

/* ---- the workload ---- */

/* Adds a word in quotes as the shell reads it, inside quotes of a workload file. */
static void add_word(struct str *to, const char *word)
{
    str_add(to, "'");
    for (; *word; word++) {
        if (*word == '\'')
            str_add(to, "'\\\\''");
        else if (*word == '"' || *word == '\\')
            str_addf(to, "\\%c", *word);
        else
            str_add_bytes(to, word, 1);
    }
    str_add(to, "'");
}

static void add_phase(struct str *to, const char *name, uint32_t tasks, bool once,
                      const char *program, const char *plan)
{
    str_addf(to, "  phase %s tasks=%" PRIu32 "%s command=\"", name, tasks,
             once ? " clone=never" : "");
    add_word(to, program);
    str_add(to, " task ");
    add_word(to, plan);
    str_add(to, "\"");
}

static int write_workload(const struct streaming_args *a, const char *path, const char *plan,
                          struct err *err)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    struct str text = {0};

    if (n < 0)
        return err_system(err, "/proc/self/exe cannot be read");
    program[n] = 0;
    str_addf(&text, "job %s\n", field_name_ok(a->plan.job) ? a->plan.job : "streaming");
    add_phase(&text, "map", a->plan.splits.count, a->once, program, plan);
    if (a->plan.partitions > 0) {
        str_add(&text, "\n");
        add_phase(&text, "reduce", a->plan.partitions, a->once, program, plan);
        str_add(&text, " after=map");
    }
    str_add(&text, "\n");
    FILE *f = fopen(path, "we");
    bool written = f && fputs(text.text, f) >= 0;
    if (f && fclose(f) != 0)
        written = false;
    str_free(&text);
    return written ? 0 : err_system(err, "%s: it cannot be written", path);
}

/* ---- the run ---- */

static void note(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "dolly: %s\n", text);
}

static void print_summary(const struct streaming_args *a, const struct summary_result *s)
{
    fprintf(stderr,
            "dolly: %" PRIu32 " mappers, %" PRIu32 " reducers, %" PRIu64 " attempts (%" PRIu64
            " clones), %.3f s; results in %s\n",
            a->plan.splits.count, a->plan.partitions, s->attempts, s->clones, s->makespan_s,
            a->output);
}

/* An exit status. What a failed run leaves in OUTPUT/_temporary is for the reader of its messages.
 */
static int drive(const struct streaming_args *a, const char *workload, const char *dir)
{
    struct drive_result result;
    struct err err;
    char cluster[24];
    struct drive_options options = {.workload = workload,
                                    .dir = dir,
                                    .cluster = cluster,
                                    .policy = a->policy ? a->policy : DEFAULT_POLICY,
                                    .chaos = a->chaos,
                                    .seed = 1,
                                    .grace_us = 5000000,
                                    .note = note};

    snprintf(cluster, sizeof cluster, "1x%" PRIu32, slots_of(a));
    if (drive_run(&options, &result, &err) < 0) {
        int status = cli_fail(&err);
        return result.interrupted ? EXIT_INTERRUPTED : status;
    }
    if (result.failure) {
        fprintf(stderr, "dolly: %s\n", result.failure);
        mem_free(result.failure);
        return EXIT_JOB_FAILED;
    }
    bool reduces = a->plan.partitions > 0;
    if (output_finish(a->output, reduces ? "reduce" : "map",
                      reduces ? a->plan.partitions : a->plan.splits.count, &err) < 0)
        return cli_fail(&err);
    print_summary(a, &result.summary);
    return EXIT_DONE;
}

static int run_job(const struct streaming_args *a)
{
    struct str plan = {0}, workload = {0}, dir = {0};
    char whole[PATH_MAX];
    struct err err;
    int status;

    if (output_begin(a->output, &err) < 0)
        return cli_fail(&err);
    if (!realpath(a->output, whole))
        return cli_fail((err_system(&err, "%s: it cannot be found", a->output), &err));
    str_addf(&plan, "%s/_temporary/plan", whole);
    str_addf(&workload, "%s/_temporary/job", whole);
    str_addf(&dir, "%s/_temporary/run", whole);
    if (plan_write(&a->plan, plan.text, &err) < 0 ||
        write_workload(a, workload.text, plan.text, &err) < 0) {
        output_abandon(a->output);
        status = cli_fail(&err);
    } else {
        status = drive(a, workload.text, dir.text);
        if (status == EXIT_USAGE) /* nothing has been run */
            output_abandon(a->output);
    }
    str_free(&plan);
    str_free(&workload);
    str_free(&dir);
    return status;
}

int cmd_streaming(int argc, char **argv)
{
    struct streaming_args a;
    struct err err;
    int result = streaming_args_read(&a, argc, argv, &err), status = EXIT_DONE;

    for (uint32_t i = 0; i < a.inputs.count && result == 0 && !a.help; i++)
        result = pieces_add(&a.plan, a.inputs.at[i], &err);
    if (result < 0) {
        status = cli_usage("streaming", "%s", err.text);
    } else if (a.help) {
        fputs(help, stdout);
        status = EXIT_DONE;
    } else {
        pieces_cut(&a.plan, a.piece_bytes, slots_of(&a));
        status = run_job(&a);
    }
    streaming_args_fini(&a);
    return status;
}
