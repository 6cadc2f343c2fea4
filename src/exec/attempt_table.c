#include "exec/attempt_table.h"

/* Need not be unique: attempts are compared in full. */
static uint64_t attempt_table_key(struct attempt_ref at)
{
    return ((uint64_t)at.job.v << 32 | at.task) ^ (uint64_t)at.phase << 48;
}

void attempt_table_fini(struct attempt_table *r)
{
    vec_free(&r->at);
    lookup_fini(&r->by_task);
}

uint32_t attempt_table_add(struct attempt_table *r, struct attempt_ref at, struct node_id node,
                           uint32_t *job_newest)
{
    uint64_t key = attempt_table_key(at);
    uint32_t handle = r->at.count;

    vec_push(&r->at, ((struct attempt_row){.at = at,
                                           .node = node,
                                           .state = ROW_LAUNCHING,
                                           .dir = ATTEMPT_TABLE_NONE,
                                           .copies = ATTEMPT_TABLE_NONE,
                                           .task_prev = lookup_get(&r->by_task, key),
                                           .job_prev = *job_newest}));
    lookup_put(&r->by_task, key, handle);
    *job_newest = handle;
    r->live++;
    return handle;
}

uint32_t attempt_table_find(const struct attempt_table *r, struct attempt_ref at)
{
    uint32_t i = lookup_get(&r->by_task, attempt_table_key(at));

    while (i != ATTEMPT_TABLE_NONE && !attempt_equal(r->at.at[i].at, at))
        i = r->at.at[i].task_prev;
    return i;
}

static bool entry_is_of(const struct attempt_row *e, struct attempt_ref task)
{
    return e->at.job.v == task.job.v && e->at.task == task.task && e->at.phase == task.phase;
}

uint32_t attempt_table_winner(const struct attempt_table *r, struct attempt_ref task)
{
    uint32_t i = lookup_get(&r->by_task, attempt_table_key(task));

    while (i != ATTEMPT_TABLE_NONE &&
           (r->at.at[i].state != ROW_COMMITTED || !entry_is_of(&r->at.at[i], task)))
        i = r->at.at[i].task_prev;
    return i;
}

uint32_t attempt_table_failures(const struct attempt_table *r, struct attempt_ref task)
{
    uint32_t failures = 0;

    for (uint32_t i = lookup_get(&r->by_task, attempt_table_key(task)); i != ATTEMPT_TABLE_NONE;
         i = r->at.at[i].task_prev)
        failures += r->at.at[i].failed && entry_is_of(&r->at.at[i], task);
    return failures;
}

bool attempt_table_is_alone(const struct attempt_table *r, uint32_t handle)
{
    struct attempt_ref task = r->at.at[handle].at;
    uint32_t i = lookup_get(&r->by_task, attempt_table_key(task));

    while (i != ATTEMPT_TABLE_NONE &&
           (i == handle || r->at.at[i].state == ROW_GONE || !entry_is_of(&r->at.at[i], task)))
        i = r->at.at[i].task_prev;
    return i == ATTEMPT_TABLE_NONE;
}
