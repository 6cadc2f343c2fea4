#include "core/mitigate/judged.h"

#include <string.h>

void judged_fini(struct judged_tasks *j)
{
    vec_free(&j->of);
}

static int judged_order(const struct judged *a, const struct judged *b)
{
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* Where the task stands, or would. */
static uint32_t judged_at(const struct judged_tasks *j, const struct judged *key)
{
    uint32_t low = 0, high = j->of.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (judged_order(&j->of.at[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct judged judged_key(const struct attempt *a)
{
    return (struct judged){.job = a->job->id.v, .task = a->task, .phase = a->phase};
}

struct judged *judged_find(const struct judged_tasks *j, const struct attempt *a)
{
    struct judged key = judged_key(a);
    uint32_t at = judged_at(j, &key);
    bool found = at < j->of.count && judged_order(&j->of.at[at], &key) == 0;
    return found ? &j->of.at[at] : NULL;
}

struct judged *judged_add(struct judged_tasks *j, const struct attempt *a)
{
    struct judged key = judged_key(a);
    uint32_t at = judged_at(j, &key);
    vec_add(&j->of);
    struct judged *is = j->of.at + at;
    memmove(is + 1, is, (j->of.count - 1 - at) * sizeof *is);
    *is = key;
    return is;
}

void judged_forget(struct judged_tasks *j, struct job_id job)
{
    uint32_t from = judged_at(j, &(struct judged){.job = job.v}), to = from;
    while (to < j->of.count && j->of.at[to].job == job.v)
        to++;
    if (to == from)
        return;
    memmove(j->of.at + from, j->of.at + to, (j->of.count - to) * sizeof *j->of.at);
    j->of.count -= to - from;
}
