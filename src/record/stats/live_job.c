/* The problem: statistics see every event of runs with millions of jobs, so finding a job must cost
 * a subtraction, and memory must follow the jobs that are alive, not all that ever were.
 *
 * The method: ids rise, so live jobs lie in a window (base/window.h). Tasks of a job are one block.
 * Attempts come from a pool with a free list; the few attempts of a task form a chain.
 *
 * Rejected: reading the brain's own world. Statistics must work on a journal alone, and an
 * independent account also checks the brain's. */
#include "record/stats/live_job.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

static uint64_t input_each_count(const struct job_spec *spec)
{
    uint64_t count = 0;

    for (uint16_t i = 0; i < spec->phase_count; i++)
        if (spec->phases[i].input_each)
            count += spec->phases[i].tasks;
    return count;
}

/* One block: the job, its phases, all tasks, the input sizes. */
static struct live_job *job_create(const struct job_spec *spec)
{
    uint64_t tasks = job_tasks(spec);
    size_t head = sizeof(struct live_job) + spec->phase_count * sizeof(struct live_phase);
    size_t size = mem_size(head + tasks * sizeof(struct live_task) +
                           input_each_count(spec) * sizeof(int64_t));
    struct live_job *j = mem_zalloc(1, size);
    struct live_task *task = (struct live_task *)((char *)j + head);
    int64_t *input = (int64_t *)(task + tasks);

    _Static_assert(sizeof(struct live_job) % _Alignof(struct live_phase) == 0 &&
                       sizeof(struct live_phase) % _Alignof(struct live_task) == 0 &&
                       sizeof(struct live_task) % _Alignof(int64_t) == 0,
                   "what follows each of them in the block must be aligned");
    j->tasks = tasks;
    j->phase_count = spec->phase_count;
    for (uint16_t i = 0; i < spec->phase_count; i++) {
        const struct phase_spec *from = &spec->phases[i];
        struct live_phase *to = &j->phases[i];
        *to = (struct live_phase){task, from->tasks, from->demand, from->input_bytes, 0};
        if (from->input_each) {
            memcpy(input, from->input_each, from->tasks * sizeof *input);
            to->input_each = input;
            input += from->tasks;
        }
        for (uint32_t t = 0; t < from->tasks; t++)
            *task++ = (struct live_task){-1, -1, LIVE_NONE, 0, LIVE_NO_WINNER};
    }
    return j;
}

struct live_job *live_jobs_add(struct live_jobs *l, const struct job_spec *spec, bool measured)
{
    check(l->window.count == 0 || spec->id.v >= window_next(&l->window));
    struct live_job *j = job_create(spec);
    j->id = spec->id;
    j->measured = measured;
    j->arrived_us = spec->arrived_us;
    j->wrapup_us = spec->wrapup_us;
    window_put(&l->window, j->id.v, j);
    return j;
}

static void slot_free(struct live_jobs *l, uint32_t slot)
{
    l->pool.at[slot].next = l->free_head;
    l->free_head = slot;
    l->free_count++;
}

void live_jobs_drop(struct live_jobs *l, struct live_job *j)
{
    for (uint16_t i = 0; i < j->phase_count; i++)
        for (uint32_t t = 0; t < j->phases[i].count; t++) {
            uint32_t slot = j->phases[i].tasks[t].attempts;
            while (slot != LIVE_NONE) {
                uint32_t next = l->pool.at[slot].next;
                slot_free(l, slot);
                slot = next;
            }
        }
    window_drop(&l->window, j->id.v);
    mem_free(j);
}

struct live_attempt *live_jobs_attempt_add(struct live_jobs *l, struct live_task *t,
                                           uint16_t ordinal, int64_t now_us)
{
    uint32_t slot;

    if (l->free_count > 0) {
        slot = l->free_head;
        l->free_head = l->pool.at[slot].next;
        l->free_count--;
    } else {
        slot = l->pool.count;
        (void)vec_add(&l->pool);
    }
    l->pool.at[slot] = (struct live_attempt){.launched_us = now_us,
                                             .started_us = -1,
                                             .ended_us = -1,
                                             .left_us = -1,
                                             .next = t->attempts,
                                             .ordinal = ordinal};
    t->attempts = slot;
    return &l->pool.at[slot];
}

struct live_attempt *live_jobs_attempt_find(struct live_jobs *l, const struct live_task *t,
                                            uint16_t ordinal)
{
    for (uint32_t slot = t->attempts; slot != LIVE_NONE; slot = l->pool.at[slot].next)
        if (l->pool.at[slot].ordinal == ordinal)
            return &l->pool.at[slot];
    return NULL;
}

void live_jobs_attempt_drop(struct live_jobs *l, struct live_task *t, uint16_t ordinal)
{
    uint32_t *link = &t->attempts;

    while (*link != LIVE_NONE && l->pool.at[*link].ordinal != ordinal)
        link = &l->pool.at[*link].next;
    check(*link != LIVE_NONE);
    uint32_t slot = *link;
    *link = l->pool.at[slot].next;
    slot_free(l, slot);
}

void live_jobs_fini(struct live_jobs *l)
{
    vec_free_each(&l->window);
    vec_free(&l->pool);
}
