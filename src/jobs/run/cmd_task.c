/* cmd_task.c - `dolly task`: an attempt of a data-parallel job (jobs/task/task.h), started by
 * dolly. */
#include "jobs/run/cmd_task.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/path.h"
#include "base/text.h"
#include "data/aggregate.h"
#include "jobs/task/native_object.h"
#include "jobs/task/task.h"
#include "jobs/task/task_control.h"
#include "jobs/task/task_report.h"
#include "ui/cli.h"

static bool number_of(const char *name, uint32_t *value)
{
    const char *text = getenv(name);
    int64_t number;

    if (!text || !text_int(text, &number) || number < 0 || number > UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

/* The tasks above that this one reads: "FIRST LAST". */
static bool range_of(struct task_attempt *t)
{
    const char *text = getenv("DOLLY_INPUT_RANGE");

    return text && sscanf(text, "%u %u", &t->first, &t->last) == 2 && t->first <= t->last;
}

/* What the executor tells its attempts (docs/reference/environment.md). */
static int tell_task(struct task_attempt *t, struct err *err)
{
    const char *phase = getenv("DOLLY_PHASE");
    uint32_t progress, control, index = phase ? plan_find_phase(t->plan, phase) : PLAN_INPUTS;

    t->scratch = getenv("DOLLY_TMPDIR");
    t->progress = number_of("DOLLY_PROGRESS_FD", &progress) ? (int)progress : -1;
    t->control = number_of("DOLLY_CONTROL_FD", &control) ? task_control_open((int)control) : NULL;
    unsetenv("DOLLY_CONTROL_FD"); /* that is not for commands */
    if (!t->control || !t->scratch || index == PLAN_INPUTS ||
        !number_of("DOLLY_TASK_ID", &t->number) || !number_of("DOLLY_ATTEMPT", &t->attempt))
        return err_set(err, "dolly task is started by dolly, not by users");
    t->phase = &t->plan->phases.at[index];
    if (t->number >= t->phase->tasks || (t->phase->above != PLAN_INPUTS && !range_of(t)))
        return err_set(err, "the plan has no task %u of phase %s", t->number, phase);
    return t->phase->above == PLAN_INPUTS ? plan_read_split(t->plan, t->number, &t->split, err) : 0;
}

/* Looks at a shared object: `dolly task check FILE FUNCTIONS map|reduce`. */
static int check_object(char **argv)
{
    struct err err;

    return native_object_load(argv[0], argv[1], NULL, argv[2], &err) ? EXIT_DONE : cli_fail(&err);
}

/* Copies what an attempt has left: `dolly task copy run|lines`. */
static int copy_output(const char *kind)
{
    struct err err;
    uint32_t fd;
    struct task_control *control =
        number_of("DOLLY_CONTROL_FD", &fd) ? task_control_open((int)fd) : NULL;

    if (!control)
        err_set(&err, "dolly task is started by dolly, not by users");
    int status = control && task_copy(control, strcmp(kind, "run") == 0, &err) == 0
                     ? EXIT_DONE
                     : cli_fail(&err);
    task_control_close(control);
    return status;
}

/* Sums up standard input: `dolly task aggregate [again]`. */
static int aggregate(bool again)
{
    struct err err;

    return aggregate_run(stdin, stdout, again, &err) == 0 ? EXIT_DONE : cli_fail(&err);
}

/* Attempts leave what they counted in a folder beside the plan; where an agent has sent them a plan
 * of its own, in their own folder, and the agent sends it on. */
static struct path counters_of(const struct task_attempt *t, const char *plan, bool is_sent)
{
    const char *name = strrchr(plan, '/');

    if (is_sent)
        return path_of("%s/../counters", t->scratch);
    return path_of("%.*scounters/%u.%u.%u", name ? (int)(name - plan) + 1 : 0, plan,
                   (uint32_t)(t->phase - t->plan->phases.at), t->number, t->attempt);
}

static int run_task(const struct task_plan *plan, const char *path, bool is_sent)
{
    struct task_report report = {0};
    struct path counters;
    struct task_attempt task = {.plan = plan, .report = &report};
    struct err err;

    signal(SIGPIPE, SIG_IGN); /* a command may stop reading */
    int status = tell_task(&task, &err);
    report.control = task.control;
    if (status == 0) {
        counters = counters_of(&task, path, is_sent);
        task.counters = counters.text;
        status = task_run(&task, &err);
    }
    task_report_fini(&report);
    task_control_close(task.control);
    if (status >= 0)
        return status;
    cli_fail(&err);
    return EXIT_JOB_FAILED;
}

static bool is_of(const struct task_plan *plan, const char *hash)
{
    return plan->hash == strtoull(hash, NULL, 16);
}

int cmd_task_own(const struct task_plan *plan, char *const *argv)
{
    enum { PROGRAM, TASK, PLAN, HASH, WORDS };
    const char *phase = getenv("DOLLY_PHASE");
    int words = 0;

    while (words < WORDS && argv[words])
        words++;
    if (words < WORDS || argv[WORDS] || strcmp(argv[TASK], "task") != 0 || !is_of(plan, argv[HASH]))
        return -1;
    uint32_t index = phase ? plan_find_phase(plan, phase) : PLAN_INPUTS;
    if (index == PLAN_INPUTS || plan->phases.at[index].native)
        return -1;
    return run_task(plan, argv[PLAN], false);
}

int cmd_task(int argc, char **argv)
{
    struct task_plan plan;
    struct err err;

    if (argc == 5 && strcmp(argv[1], "check") == 0)
        return check_object(argv + 2);
    if (argc == 3 && strcmp(argv[1], "copy") == 0)
        return copy_output(argv[2]);
    if (argc >= 2 && strcmp(argv[1], "aggregate") == 0)
        return aggregate(argc > 2);
    if (argc != 3)
        return cli_usage("task", "expected the plan of a job and its hash");
    char *sent = mem_strdup(getenv("DOLLY_PLAN")); /* by the agent, where the job's is not seen */
    const char *path = sent ? sent : argv[1];
    unsetenv("DOLLY_PLAN"); /* that is not for commands */
    int status;
    if (plan_read(&plan, path, &err) < 0) {
        status = cli_fail(&err);
    } else if (is_of(&plan, argv[2])) {
        status = run_task(&plan, path, sent != NULL);
        plan_fini(&plan);
    } else {
        err_set(&err, "%s: the plan of the job has changed", path);
        status = cli_fail(&err);
        plan_fini(&plan);
    }
    mem_free(sent);
    return status;
}
