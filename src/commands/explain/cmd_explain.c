/* cmd_explain.c - `dolly explain`: the story of a run, a job, a phase or a task in plain words.
 *
 * Everything comes from the journal, of either body. It is read once; what is kept depends on the
 * question (record/story/story.h), so the size of the file does not matter. Words and JSON are two
 * views of the same facts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_open.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/words.h"

/* What was asked. The three parts of the target lie in one copy; NULL where not given. */
struct question {
    const char *path;
    char *target;
    const char *job, *phase, *task;
    bool json;
};

/* ---- the question ---- */

static int split_target(struct question *q, const char *text)
{
    q->target = mem_strdup(text);
    const char **parts[] = {&q->job, &q->phase, &q->task};
    char *rest = q->target, *part;
    for (int i = 0; (part = strsep(&rest, "/")); i++) {
        if (i == 3 || part[0] == '\0')
            return cli_usage("explain", "expected JOB, JOB/PHASE or JOB/PHASE/TASK, not '%s'",
                             text);
        *parts[i] = part;
    }
    return 0;
}

static int take_operand(void *question, const char *text)
{
    struct question *q = question;
    if (q->target)
        return cli_usage("explain", "one question at a time, not also '%s'", text);
    if (q->path)
        return split_target(q, text);
    q->path = text;
    return 0;
}

#define OPTIONS struct question

static const struct field options[] = {
    {FLAG("json", json, "print the facts as one JSON object")},
    {0},
};

static const struct opt_command command = {
    .name = "explain",
    .usage =
        "usage: dolly explain JOURNAL [JOB[/PHASE[/TASK]]] [--json]\n"
        "\n"
        "Explains what happened in a run, simulated or real, and why, from its journal: why tasks\n"
        "were or were not cloned, with the numbers; each attempt and how it ended; which task was\n"
        "slow and why; what straggling cost and what clones and backups saved. JOURNAL may also\n"
        "be the folder of a run. JOB and PHASE are numbers or names, TASK is a number: for\n"
        "`dolly map` the sequence number, from 1 ({#}), for others the one in the workload,\n"
        "from 0.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly explain run.journal                 the run, and its slowest jobs\n"
             "  dolly explain run.journal wordcount       a job: why it was or was not cloned\n"
             "  dolly explain run.journal wordcount/map   a phase: its slowest task, and why\n"
             "  dolly explain run.journal 12/map/3        a task: each attempt\n\n"
             "Exit status: 0 done; 2 not a journal, damaged, or no such job, phase or task.",
    .operand = take_operand,
};

/* ---- what does not exist ---- */

static int no_such_job(const struct explain *x, const struct question *q, struct err *err)
{
    const struct story_run *r = x->run;
    struct str names = {0};
    if (r->jobs + r->others == 0)
        return err_set(err, "journal %s: no job '%s'; it has no jobs", x->path, q->job);
    for (uint32_t i = 0; i < r->name_count; i++)
        str_addf(&names, "%s%s", i ? ", " : "", r->names[i]);
    str_add(&names, r->more_names ? ", ..." : "");
    if (r->jobs + r->others == 1)
        err_set(err, "journal %s: no job '%s'; it has one, number %u, name %s", x->path, q->job,
                r->first_job.v, names.text);
    else
        err_set(err, "journal %s: no job '%s'; it has %s, numbers %u to %u, names %s", x->path,
                q->job, words_count(r->jobs + r->others, "job").text, r->first_job.v, r->last_job.v,
                names.text);
    str_free(&names);
    return -1;
}

static int no_such_phase(const struct explain *x, const struct question *q, struct err *err)
{
    enum { SHOWN_MAX = 8 };
    struct str names = {0};
    for (uint16_t k = 0; k < x->job->phase_count && k < SHOWN_MAX; k++)
        str_addf(&names, "%s%s (%u)", k ? ", " : "", x->job->phases[k].name, k);
    str_add(&names, x->job->phase_count > SHOWN_MAX ? ", ..." : "");
    err_set(err, "journal %s: job %u (%s) has no phase '%s'; it has %s", x->path, x->job->id.v,
            x->job->name, q->phase, names.text);
    str_free(&names);
    return -1;
}

/* By number, else by name. */
static int find_phase(const struct explain *x, const struct question *q, uint16_t *phase,
                      struct err *err)
{
    int64_t number;
    if (text_int(q->phase, &number) && number >= 0 && number < x->job->phase_count) {
        *phase = (uint16_t)number;
        return 0;
    }
    for (uint16_t k = 0; k < x->job->phase_count; k++)
        if (strcmp(x->job->phases[k].name, q->phase) == 0) {
            *phase = k;
            return 0;
        }
    return no_such_phase(x, q, err);
}

static int find_task(const struct explain *x, const struct question *q, uint16_t phase,
                     uint32_t *task, struct err *err)
{
    const struct story_phase *p = &x->job->phases[phase];
    int64_t number;
    if (text_int(q->task, &number) && number >= 0)
        for (uint32_t t = 0; t < p->count; t++)
            if (explain_number(x, t) == (uint64_t)number) {
                *task = t;
                return 0;
            }
    return err_set(err,
                   "journal %s: phase %s of job %u has no task '%s'; its tasks are %" PRIu64
                   " to %" PRIu64,
                   x->path, p->name, x->job->id.v, q->task, explain_number(x, 0),
                   explain_number(x, p->count - 1));
}

/* ---- the answer ---- */

static int answer(const struct explain *x, const struct question *q, struct err *err)
{
    struct str out = {0};
    json_t *json = NULL;
    uint16_t phase = 0;
    uint32_t task = 0;
    if (q->job && !x->job)
        return no_such_job(x, q, err);
    if (q->phase && find_phase(x, q, &phase, err) < 0)
        return -1;
    if (q->task && find_task(x, q, phase, &task, err) < 0)
        return -1;
    if (q->json)
        json = q->task    ? explain_json_task(x, phase, task)
               : q->phase ? explain_json_phase(x, phase)
               : q->job   ? explain_json_job(x)
                          : explain_json_run(x);
    else if (q->task)
        explain_task(x, phase, task, &out);
    else if (q->phase)
        explain_job_phase(x, phase, &out);
    else if (q->job)
        explain_job(x, &out);
    else
        explain_run(x, &out);
    if (json) {
        json_out_print(json);
    } else {
        explain_open_caveat(x, &out);
        fputs(out.text, stdout);
    }
    str_free(&out);
    return 0;
}

static int explain(const struct question *q)
{
    struct explain_input input;
    struct err err;
    char *path = explain_open_path(q->path, &err);
    if (!path)
        return cli_fail(&err);
    int status = explain_open(&input, path, q->job, NULL, &err);
    if (status == 0)
        status = answer(&input.x, q, &err);
    explain_open_end(&input);
    mem_free(path);
    return status < 0 ? cli_fail(&err) : EXIT_DONE;
}

int cmd_explain(int argc, char **argv)
{
    struct question q = {0};
    int status;
    bool asked = opt_parse(&command, argc, argv, &q, &status);
    if (asked)
        status = q.path ? explain(&q) : cli_usage("explain", "the journal's file is missing");
    mem_free(q.target);
    return status;
}
