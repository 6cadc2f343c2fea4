/* job_end.c - a data-parallel job as a command runs it. See job_end.h. */
#include "jobs/run/job_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/args/quote.h"
#include "jobs/run/job_counters.h"
#include "jobs/run/job_files.h"
#include "jobs/run/output.h"
#include "jobs/task/task_report.h"
#include "ui/cli.h"
#include "ui/json_out.h"

static void print_summary(const struct datajob *j, const struct summary_result *s)
{
    fprintf(stderr, "dolly: %s:", j->plan.job);
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        fprintf(stderr, "%s %" PRIu32 " x %s", i ? "," : "", j->plan.phases.at[i].tasks,
                j->plan.phases.at[i].name);
    fprintf(stderr, "; %" PRIu64 " attempts, %" PRIu64 " of them %s; %.3f s; results in %s\n",
            s->attempts, s->clones, s->clones == 1 ? "a clone" : "clones", s->makespan_s,
            j->output);
}

/* What a user may have expected otherwise. */
static void print_notes(const struct datajob *j)
{
    if (j->piece_lines > 0 && j->packed_inputs > 0)
        fprintf(stderr,
                "dolly: %" PRIu32 " packed input%s read by one task each: lines cannot be counted "
                "before they are unpacked\n",
                j->packed_inputs, j->packed_inputs == 1 ? " was" : "s were");
}

enum { COUNTERS_SHOWN = 40 };

/* As Hadoop prints them, in the order of their names. */
static void print_counters(const struct datajob *j)
{
    const struct counters *c = &j->counters;

    if (c->at.count > 0)
        fprintf(stderr, "dolly: Counters: %" PRIu32 "\n", c->at.count);
    for (uint32_t i = 0; i < c->at.count && i < COUNTERS_SHOWN; i++) {
        if (i == 0 || strcmp(c->at.at[i].group, c->at.at[i - 1].group) != 0)
            fprintf(stderr, "\t%s\n", c->at.at[i].group);
        fprintf(stderr, "\t\t%s=%" PRId64 "\n", c->at.at[i].name, c->at.at[i].sum);
    }
    if (c->at.count > COUNTERS_SHOWN)
        fprintf(stderr, "dolly: %" PRIu32 " more counters are in %s/_counters.json\n",
                c->at.count - COUNTERS_SHOWN, j->output);
}

static void print_json(const struct datajob *j, const struct summary_result *s)
{
    json_t *all = json_object(), *phases = json_array();

    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        json_array_append_new(phases, json_pack("{s:s, s:I}", "name", j->plan.phases.at[i].name,
                                                "tasks", (json_int_t)j->plan.phases.at[i].tasks));
    json_out_put(all, "job", j->plan.job);
    json_out_put(all, "output", j->output);
    json_out_set(all, "phases", phases);
    json_out_set(all, "attempts", json_out_number((double)s->attempts, true));
    json_out_set(all, "clones", json_out_number((double)s->clones, true));
    json_out_put(all, "makespan_s", s->makespan_s);
    json_out_set(all, "counters", job_counters_json(&j->counters));
    json_out_print(all);
}

/* The last line of the file that a message ends with ("; see FILE"): what an attempt said last. And
 * its status, if it left one; and what to do about a file that it did not find. */
static void print_last_words(const struct datajob *j, const char *message)
{
    const char *see = strstr(message, "; see ");
    FILE *f = see ? fopen(see + 6, "re") : NULL;
    char piece[512], last[sizeof piece] = "", status[sizeof piece] = "";

    while (f && fgets(piece, sizeof piece, f)) {
        bool is_status = strncmp(piece, TASK_REPORT_LAST, strlen(TASK_REPORT_LAST)) == 0;
        if (piece[0] != '\n')
            memcpy(is_status ? status : last, piece, sizeof piece);
    }
    if (f)
        fclose(f);
    last[strcspn(last, "\n")] = 0;
    if (*last)
        fprintf(stderr, "dolly: its last line on stderr: %s\n",
                strncmp(last, "dolly: ", 7) == 0 ? last + 7 : last);
    fputs(status, stderr);
    if (job_files_hint(&j->plan, last, piece, sizeof piece))
        fprintf(stderr,
                "dolly: %s exists here, but not in the folder where commands run; name it: "
                "`files: [%s]` in a job file, -files %s of streaming\n",
                piece, piece, piece);
}

/* An exit status after datajob_run or datajob_resume. */
static int tell(struct datajob *j, bool again, int done, struct drive_result *result,
                const struct err *err)
{
    progress_line_clear(&j->progress.line);
    if (done < 0) {
        int status = cli_fail(err);
        enum datajob_stage stage = datajob_stage(j->output);
        bool refused = again && err->kind != ERR_SYSTEM; /* and would be once more */
        if (!refused &&
            (stage == DATAJOB_CUT || (stage == DATAJOB_DONE && output_has_begun(j->output)))) {
            struct str folder = {0};
            quote_add_path(&folder, j->output);
            fprintf(stderr, "dolly: to continue: dolly resume %s\n", folder.text);
            str_free(&folder);
        }
        return result->interrupted ? EXIT_INTERRUPTED : status;
    }
    if (!result->failure) {
        if (j->json) {
            print_json(j, &result->summary); /* main closes standard output */
            return EXIT_DONE;
        }
        print_notes(j);
        print_counters(j);
        print_summary(j, &result->summary);
        return EXIT_DONE;
    }
    fprintf(stderr, "dolly: %s\n", result->failure);
    print_last_words(j, result->failure);
    mem_free(result->failure);
    return EXIT_JOB_FAILED;
}

int job_end_run(struct datajob *j)
{
    struct drive_result result;
    struct err err;

    return tell(j, false, datajob_run(j, &result, &err), &result, &err);
}

static int go_on(const char *output, bool json)
{
    struct datajob j = {.output = mem_strdup(output), .json = json};
    struct drive_result result;
    struct err err;
    int status;

    if (datajob_trust(output, &err) < 0)
        status = cli_fail(&err);
    else
        status = tell(&j, true, datajob_resume(&j, &result, &err), &result, &err);
    datajob_fini(&j);
    return status;
}

/* Results are there; whoever put them there may have been killed while it removed the rest. */
static int clear(const char *output, bool json)
{
    struct err err;

    if (output_clear(output, &err) < 0)
        return cli_fail(&err);
    fprintf(stderr, "dolly: %s: the job is complete, nothing is left to do\n", output);
    if (json) { /* its plan and its journal are gone */
        json_t *all = json_object();
        json_out_put(all, "output", output);
        json_out_set(all, "complete", json_true());
        json_out_print(all);
    }
    return EXIT_DONE;
}

static int refuse(const char *output)
{
    struct err err;

    err_set(&err, "%s: the job was interrupted before it began; remove the folder and run it again",
            output);
    return cli_fail(&err);
}

int job_end_resume(const char *output, bool json)
{
    enum datajob_stage stage = datajob_stage(output);

    return stage == DATAJOB_DONE  ? clear(output, json)
           : stage == DATAJOB_CUT ? go_on(output, json)
                                  : refuse(output);
}
