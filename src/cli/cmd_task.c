/* cmd_task.c - `dolly task`: an attempt of a data-parallel job (task/task.h), started by dolly. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "task/task.h"
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

/* What the executor tells its attempts (docs/EXEC.md). */
static int tell_task(struct task_attempt *t, struct err *err)
{
    uint32_t progress;

    t->scratch = getenv("DOLLY_TMPDIR");
    t->inputs = getenv("DOLLY_INPUT_DIR");
    t->progress = number_of("DOLLY_PROGRESS_FD", &progress) ? (int)progress : -1;
    if (!t->scratch || !number_of("DOLLY_TASK_ID", &t->number) ||
        !number_of("DOLLY_ATTEMPT", &t->attempt))
        return err_set(err, "dolly task is started by dolly, not by people");
    uint32_t tasks = t->inputs ? t->plan->partitions : t->plan->splits.count;
    if (t->number >= tasks)
        return err_set(err, "the plan has no task %u", t->number);
    return 0;
}

int cmd_task(int argc, char **argv)
{
    struct task_plan plan;
    struct task_attempt task = {.plan = &plan};
    struct err err;

    if (argc != 2)
        return cli_usage("task", "want the plan of a job");
    if (plan_read(&plan, argv[1], &err) < 0)
        return cli_fail(&err);
    signal(SIGPIPE, SIG_IGN); /* a command may stop reading */
    int status = tell_task(&task, &err);
    if (status == 0)
        status = task.inputs ? task_reduce(&task, &err) : task_map(&task, &err);
    plan_fini(&plan);
    if (status >= 0)
        return status;
    cli_fail(&err);
    return EXIT_JOB_FAILED;
}
