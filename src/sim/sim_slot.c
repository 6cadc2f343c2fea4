#include "sim/sim_state.h"

static void node_link(struct sim *s, uint32_t i, struct sim_node *node)
{
    pool_reserve(&s->links, i + 1);
    s->links.at[i] = (struct slot_links){SLOT_NONE, node->first};
    if (node->first != SLOT_NONE)
        s->links.at[node->first].prev = i;
    node->first = i;
}

static void node_unlink(struct sim *s, uint32_t i, struct sim_node *node)
{
    struct slot_links x = s->links.at[i];
    if (x.prev != SLOT_NONE)
        s->links.at[x.prev].next = x.next;
    else
        node->first = x.next;
    if (x.next != SLOT_NONE)
        s->links.at[x.next].prev = x.prev;
}

static void task_set_first(struct sim_task *task, uint32_t slot)
{
    task->first = slot & ((1U << SLOT_BITS) - 1);
}

uint32_t sim_slot_add(struct sim *s, struct sim_task *task, struct attempt_ref at, uint32_t node,
                      enum slot_state state)
{
    uint32_t i = s->slot_free;
    struct slot *x;
    if (i != SLOT_NONE) {
        x = &s->slots.at[i];
        s->slot_free = x->task_next;
    } else {
        i = s->slots.count;
        check(i < 1U << SLOT_BITS);
        pool_add(&s->slots);
        x = &s->slots.at[i];
        x->generation = 0;
    }
    x->at = at;
    x->node = node;
    x->state = state;
    x->task_next = task->first;
    task_set_first(task, i);
    if (s->nodes_fail)
        node_link(s, i, &s->nodes[node]);
    return i;
}

void sim_slot_drop(struct sim *s, uint32_t i)
{
    struct slot *slots = s->slots.at;
    struct slot *x = &slots[i];

    /* A task has a handful of slots at most: walking beats a second link in every slot. */
    struct sim_task *task = &sim_phase_of(s, x->at)->tasks[x->at.task];
    uint32_t before = task->first;
    if (before == i) {
        task_set_first(task, x->task_next);
    } else {
        while (slots[before].task_next != i)
            before = slots[before].task_next;
        slots[before].task_next = x->task_next;
    }

    if (s->nodes_fail)
        node_unlink(s, i, &s->nodes[x->node]);

    sim_phase_of(s, x->at)->spoilt -= x->state == SLOT_SPOILT;
    x->state = SLOT_FREE;
    x->generation = (x->generation + 1) & ENTRY_GENERATION_MASK;
    x->task_next = s->slot_free;
    s->slot_free = i;
}

uint32_t sim_slot_find(const struct sim *s, struct attempt_ref at, uint8_t *cause)
{
    *cause = CAUSE_UNKNOWN_ATTEMPT;
    const struct sim_job *job = sim_job_find(s, at.job);
    if (!job) {
        if (at.job.v < s->job_from + s->jobs.count)
            *cause = CAUSE_ALREADY_ENDED;
        return SLOT_NONE;
    }
    if (at.phase >= job->source->spec.phase_count || at.task >= job->phases[at.phase].spec->tasks)
        return SLOT_NONE;
    const struct sim_task *task = &job->phases[at.phase].tasks[at.task];
    if (at.attempt >= task->launched)
        return SLOT_NONE;
    *cause = CAUSE_ALREADY_ENDED;
    uint32_t i = task->first;
    while (i != SLOT_NONE && s->slots.at[i].at.attempt != at.attempt)
        i = s->slots.at[i].task_next;
    return i;
}
