/* task.c - one attempt of a data-parallel job. See task.h. */
#include "task/task.h"

#include "task/task_state.h"

static struct task_input *open_input(const struct task_attempt *t, struct err *err)
{
    if (t->phase->above == PLAN_INPUTS)
        return task_piece_open(t, err);
    return t->plan->phases.at[t->phase->above].partitions > 0 ? task_merged_open(t, err)
                                                              : task_printed_open(t, err);
}

/* The pump has one context for both ends. */
struct both {
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

static int run_command(const struct task_attempt *t, struct both *both, char *const *env,
                       struct err *err)
{
    struct pump pump = {.command = t->phase->command,
                        .env = env,
                        .ctx = both,
                        .feed = feed,
                        .take = both->out ? take : NULL};
    int status;

    if (pump_run(&pump, &status, err) < 0 ||
        (both->in->check && both->in->check(both->in, err) < 0))
        return -1;
    if (status != 0)
        return task_room_status(status);
    return both->out ? task_output_finish(both->out, err) : 0;
}

int task_run(const struct task_attempt *t, struct err *err)
{
    struct both both = {.in = open_input(t, err)};
    int result = -1;

    if (!both.in)
        return -1;
    if (task_room_enter(t, err) == 0) {
        char **env = task_room_env(t);
        both.out = t->phase->partitions > 0 ? task_output_create(t, env) : NULL;
        result = run_command(t, &both, env, err);
        task_output_destroy(both.out);
        task_room_env_free(env);
    }
    both.in->close(both.in);
    return result;
}
