/* task.c - one attempt of a data-parallel job. See task.h. */
#include "task/task.h"

#include <unistd.h>

#include "task/memory_limit.h"
#include "task/task_state.h"

static struct task_input *open_input(const struct task_attempt *t, struct err *err)
{
    if (t->phase->above == PLAN_INPUTS)
        return task_piece_open(t, err);
    return task_reads_keys(t) ? task_merged_open(t, err) : task_printed_open(t, err);
}

/* The pump has one context for all ends. */
struct both {
    struct task_report *report;
    struct task_input *in;
    struct task_output *out; /* NULL: the command has our standard output */
};

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct task_input *in = ((struct both *)ctx)->in;

    return in->feed(in, at, err);
}

static int take(void *ctx, const char *at, size_t count, struct err *err)
{
    return task_output_take(((struct both *)ctx)->out, at, count, err);
}

static int note(void *ctx, const char *at, size_t count, struct err *err)
{
    (void)err;
    task_report_note(((struct both *)ctx)->report, at, count);
    return 0;
}

static int due_ms(void *ctx)
{
    return task_report_due_ms(((struct both *)ctx)->report);
}

static int run_command(const struct task_attempt *t, struct both *both, char *const *env,
                       struct task_sum *sum, struct err *err)
{
    struct memory_limit limit;
    struct pump pump = {.command = t->phase->command,
                        .env = env,
                        .quiet_ms = task_quiet_ms(t->phase),
                        .status = t->report->status,
                        .limit = &limit,
                        .ctx = both,
                        .feed = feed,
                        .take = both->out ? take : NULL,
                        .note = note,
                        .due_ms = due_ms};
    int status = 0;

    memory_limit_open(&limit, t->phase->memory_limit);
    int result = task_same_is(t) ? task_same_run(both->in, both->out, sum, err)
                                 : pump_run(&pump, &status, err);
    task_report_note_end(t->report);
    if (memory_limit_close(&limit, status, err) < 0)
        return -1;
    if (result < 0 || (both->in->check && both->in->check(both->in, err) < 0))
        return -1;
    if (status != 0)
        return task_room_status(status);
    return both->out ? task_output_finish(both->out, STDOUT_FILENO, err) : 0;
}

static int run_in(const struct task_attempt *t, struct task_input *in, struct task_sum *sum,
                  struct err *err)
{
    char **env = task_room_env(t);
    int result;

    if (t->phase->native) {
        result = task_native_run(t, in, env, err);
    } else {
        struct both both = {.report = t->report,
                            .in = in,
                            .out = t->phase->partitions > 0 ? task_output_create(t, env, NULL, NULL)
                                                            : NULL};
        result = run_command(t, &both, env, sum, err);
        task_output_destroy(both.out);
    }
    task_room_env_free(env);
    return result;
}

static int run_whole(const struct task_attempt *t, struct err *err)
{
    int output = task_result_open(err);
    struct task_input *in = output >= 0 ? open_input(t, err) : NULL;
    struct task_sum sum = {0};
    int result = -1;

    if (in && task_room_enter(t, err) == 0) {
        result = run_in(t, in, &sum, err);
        task_room_leave(t);
    }
    if (in)
        in->close(in);
    if (result == 0 && t->counters)
        result = task_report_leave(t->report, t->counters, err);
    if (result == 0)
        result = task_result_tell(t, output, &sum, err);
    else if (result > 0)
        task_report_say_status(t->report);
    if (output >= 0)
        close(output);
    return result;
}

int task_run(const struct task_attempt *t, struct err *err)
{
    return t->phase->native && t->phase->memory_limit > 0 ? task_apart_run(t, run_whole, err)
                                                          : run_whole(t, err);
}
