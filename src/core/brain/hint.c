#include "core/brain/hint.h"

/* How many events ahead each step is taken. Reports are applied faster than other events. */
enum { NEAR = HINT_FEW, FAR = 10, REPORT_NEAR = 12, REPORT_FAR = 24 };

static const struct task *task_find(const struct world *w, struct attempt_ref at)
{
    struct hint_row row = hint_row_make(w, at);
    return hint_row_task(&row, at);
}

static void fetch_attempt(const struct world *w, uint32_t index)
{
    if (index < w->attempts.count)
        __builtin_prefetch(&w->attempts.at[index], 1);
    if (index < w->progress.count)
        __builtin_prefetch(&w->progress.at[index], 1);
}

void hint_task(const struct world *w, struct attempt_ref at, struct node_id node)
{
    const struct task *t = task_find(w, at);
    if (t) {
        __builtin_prefetch(t, 1);
        __builtin_prefetch(&t->took_us, 1); /* a task may lie in two cache lines */
    }
    if (node.v < w->fit.count) {
        __builtin_prefetch(&w->nodes.at[node.v], 1);
        __builtin_prefetch(&w->fit.free[node.v], 1);
    }
}

void hint_attempt(const struct world *w, struct attempt_ref at)
{
    const struct task *t = task_find(w, at);
    if (t)
        fetch_attempt(w, t->attempts);
}

static void hint_task_of(const struct world *w, const struct event *e)
{
    hint_task(w, e->at, e->type == EV_ATTEMPT_FINISHED ? e->node : NODE_NONE);
}

void hint_events(const struct world *w, const struct event *at, uint32_t count)
{
    for (uint32_t i = 0; i < count && i <= FAR; i++)
        hint_task_of(w, &at[i]);
}

void hint_event(const struct world *w, const struct event *at, uint32_t count)
{
    if (count > FAR)
        hint_task_of(w, &at[FAR]);
    hint_attempt(w, at[NEAR].at);
}

struct hint_row hint_row_make(const struct world *w, struct attempt_ref of)
{
    const struct job *j = world_job(w, of.job);
    struct hint_row row = {of.job, 0, of.phase, NULL};
    if (j && of.phase < j->phase_count) {
        row.count = j->phases[of.phase].count;
        row.tasks = j->phases[of.phase].tasks;
    }
    return row;
}

void hint_report(const struct world *w, const struct hint_row *row, const struct event *at,
                 uint32_t count)
{
    if (count > REPORT_FAR) {
        const struct task *t = hint_row_task(row, at[REPORT_FAR].at);
        if (t)
            __builtin_prefetch(t, 1);
        else
            hint_task(w, at[REPORT_FAR].at, NODE_NONE);
    }
    if (count > REPORT_NEAR) {
        const struct task *t = hint_row_task(row, at[REPORT_NEAR].at);
        if (t)
            fetch_attempt(w, t->attempts);
        else
            hint_attempt(w, at[REPORT_NEAR].at);
    }
}
