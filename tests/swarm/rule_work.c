/* rule_work.c - nothing that is needed is left lying while there is room for it.
 *
 * A task that was forgotten does not break any promise at once: its job only never ends, or fails
 * for another reason much later. So from time to time all jobs are looked at: a task that has no
 * attempt, whose inputs are there, and whose output is missing to somebody must not wait while a
 * node could take it. That holds for tasks that never ran and for outputs that were lost and have
 * to be made again. It takes a walk over everything, hence not in every turn (rules.work_turns):
 * what was forgotten stays so. */
#include "tests/swarm/book_read.h"
#include "tests/swarm/rule.h"

static bool task_at_rest(const struct book_task *t)
{
    return t->live == 0 && t->outputs == 0 && t->commit == BOOK_COMMIT_NONE && !t->given_up;
}

/* Whether some task that never won reads this one and has no attempt that may have read it. */
static bool output_missed(const struct book_job *job, uint16_t phase, uint32_t task)
{
    for (uint16_t k = (uint16_t)(phase + 1); k < job->phase_count; k++) {
        const struct book_phase *below = &job->phases[k];
        for (uint16_t e = 0; e < below->edge_count; e++)
            for (uint32_t t = 0; below->edges[e].from == phase && t < below->task_count; t++)
                if (!below->tasks[t].commit_ever && task_at_rest(&below->tasks[t]) &&
                    book_needs(&below->edges[e], job->phases[phase].task_count, below->task_count,
                               t, task))
                    return true;
    }
    return false;
}

static bool node_has_room(const struct referee *r, const struct res *demand)
{
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        const struct book_node *n = &r->book.nodes.at[i];
        bool fits = book_node_usable(n, r->now_us);
        for (int k = 0; fits && k < RES_COUNT; k++)
            fits = n->charged.v[k] + demand->v[k] <= n->capacity.v[k];
        if (fits)
            return true;
    }
    return false;
}

/* Whether the task's output was there once: then only who reads it can need it again. */
static bool output_was_there(const struct book_job *job, const struct book_task *t)
{
    return t->commit_ever || rule_replica_missed(job, t);
}

static int phase_works(struct referee *r, const struct book_job *job, uint16_t phase)
{
    const struct book_phase *p = &job->phases[phase];

    if (p->done == p->task_count || !book_inputs_complete(job, p) || !node_has_room(r, &p->demand))
        return 0;
    bool allowed = rule_queue_allows(r, job, &p->demand);
    r->tally.queues_full += !allowed;
    for (uint32_t t = 0; allowed && t < p->task_count; t++)
        if (task_at_rest(&p->tasks[t]) &&
            (!p->read || !output_was_there(job, &p->tasks[t]) || output_missed(job, phase, t)))
            return rule_fail(r, RULE_WORK, "task %u.%u.%u waits though a node has room for it",
                             job->id.v, phase, t);
    return 0;
}

int rule_work_turn_end(struct referee *r)
{
    if (r->rules.work_turns == 0 || r->tally.turns % r->rules.work_turns != 0)
        return 0;
    if (r->rules.tick_us > 0 && r->now_us % r->rules.tick_us != 0)
        return 0; /* all wait for the next tick */
    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        if (job->over || (job->running_max && job->live >= job->running_max) ||
            (job->replicated && job->winner == 0))
            continue;
        for (uint16_t p = 0; p < job->phase_count; p++)
            if (phase_works(r, job, p) < 0)
                return -1;
    }
    return 0;
}
