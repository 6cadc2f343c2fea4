/* task_same.c - a task whose command hands on what it reads: `cat`, which jobs that only sort have
 * for a mapper, a reducer or both. What it would do is done here, without a process and two
 * pipes. */
#include <string.h>
#include <unistd.h>

#include "jobs/task/task_state.h"

/* Only where cat is what everybody takes it for. */
bool task_same_is(const struct task_attempt *t)
{
    const struct task_plan *p = t->plan;

    if (strcmp(t->phase->command, "cat") != 0)
        return false;
    for (uint32_t i = 0; i < p->files.count; i++)
        if (strcmp(p->files.at[i].name, "cat") == 0)
            return false;
    for (uint32_t i = 0; i < p->env.count; i++)
        if (strncmp(p->env.at[i], "PATH=", 5) == 0)
            return false;
    return true;
}

typedef int taker(void *ctx, const char *at, size_t count, struct err *err);

static int take_all(struct task_input *in, taker *take, void *ctx, struct err *err)
{
    const char *at;
    int64_t n;

    while ((n = in->feed(in, &at, err)) > 0)
        if (take(ctx, at, (size_t)n, err) < 0)
            return -1;
    return n < 0 ? -1 : 0;
}

static int print_all(struct task_input *in, struct task_sum *sum, struct err *err)
{
    struct write_behind *to = write_behind_create(STDOUT_FILENO);
    struct err later; /* of two errors the first is told */
    const char *at;
    int64_t n;

    while ((n = in->feed(in, &at, err)) > 0)
        if (write_behind_add(to, at, (size_t)n, err) < 0) {
            n = -1;
            break;
        }
    if (write_behind_finish(to, &sum->of, n < 0 ? &later : err) < 0 || n < 0)
        return -1;
    sum->is_known = true;
    return 0;
}

int task_same_run(struct task_input *in, taker *take, void *ctx, struct task_sum *sum,
                  struct err *err)
{
    return take ? take_all(in, take, ctx, err) : print_all(in, sum, err);
}
