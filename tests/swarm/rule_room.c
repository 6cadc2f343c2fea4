/* rule_room.c - whoever makes room for a waiting task does so where that task then fits.
 *
 * Attempts that yield (early readers, and clones that take only what is left) are noted when they
 * are asked to end, and judged at the end of the turn: a task must wait that, once all attempts end
 * that were asked to, fits on the attempt's node; of a reader a task above it, or above others that
 * wait as it does: they may have to make room together. Where a limit is in the task's way, of its
 * job or of its queue, an attempt that counts towards that may be anywhere, if the task then has a
 * node, too. Others that yield (dolly-hotcloud, job-clone) go by the cluster, not by a node. */
#include "tests/swarm/rule.h"

static bool clones_yield(const struct referee *r)
{
    return r->rules.budget_idle || r->rules.yields;
}

void rule_room_yields(struct referee *r, const struct decision *d, const struct book_attempt *a,
                      bool early)
{
    bool by_cluster = r->rules.hotcloud || r->rules.job_clone;
    bool clone = a->kind == LAUNCH_CLONE;

    if (d->why.code == WHY_YIELD && !(clone && by_cluster) && (early || clones_yield(r)))
        vec_push(&r->yielded, book_place(&r->book, d->at));
}

/* What attempts that were asked to end hold on the node, or, with NODE_NONE, in the queue. */
static struct res_sum dying(const struct book *b, struct node_id node, uint32_t queue)
{
    struct res_sum sum = {{0}};

    for (uint32_t j = 0; j < b->jobs.count; j++)
        for (uint16_t p = 0; p < b->jobs.at[j].phase_count && b->jobs.at[j].live; p++)
            for (uint32_t t = 0; t < b->jobs.at[j].phases[p].task_count; t++) {
                const struct book_task *task = &b->jobs.at[j].phases[p].tasks[t];
                for (uint32_t i = 0; i < task->attempts.count && task->live; i++) {
                    const struct book_attempt *a = &task->attempts.at[i];
                    bool here =
                        node.v == NODE_NONE.v ? b->jobs.at[j].queue == queue : a->node.v == node.v;
                    if (a->state != BOOK_ENDED && a->asked_ever && here)
                        res_sum_plus(&sum, &b->jobs.at[j].phases[p].demand);
                }
            }
    return sum;
}

/* Whether the node has room for `demand`, if `gone` were not there. */
static bool fits_node(const struct referee *r, const struct book_node *n, const struct res *demand,
                      const struct res_sum *gone)
{
    bool fits = book_node_usable(n, r->now_us);

    for (int i = 0; i < RES_COUNT; i++)
        fits &= n->charged.v[i] - gone->v[i] + demand->v[i] <= n->capacity.v[i];
    return fits;
}

/* Whether some node has room for `demand`, now or once those end there that were asked to. */
static bool fits_somewhere(const struct referee *r, const struct res *demand)
{
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        struct res_sum gone = dying(&r->book, (struct node_id){i}, 0);
        if (fits_node(r, &r->book.nodes.at[i], demand, &gone))
            return true;
    }
    return false;
}

static bool phase_waits(const struct book_job *job, const struct book_phase *p)
{
    if (job->replicated && job->winner == 0)
        return p->done < p->task_count; /* each replica has tasks of its own */
    for (uint32_t t = 0; t < p->task_count && book_inputs_ready(job, p); t++)
        if (p->tasks[t].live == 0 && p->tasks[t].outputs == 0 && !p->tasks[t].given_up &&
            p->tasks[t].commit == BOOK_COMMIT_NONE)
            return true;
    return false;
}

/* Whether the end of attempt `x` brings a task of the phase onto a node. `gone` ends with it there.
 */
static bool end_helps(struct referee *r, const struct book_entry *x, const struct book_job *job,
                      const struct book_phase *p, const struct res_sum *gone)
{
    bool place = job->running_max && job->live >= job->running_max && job == x->job;

    if (place && fits_somewhere(r, &p->demand))
        return true;
    if (!rule_queue_allows(r, job, &p->demand)) {
        struct book_job later = *job;
        struct res_sum *held = &r->book.queues[job->queue], all = *held;
        struct res_sum ends = dying(&r->book, NODE_NONE, job->queue);
        for (int i = 0; i < RES_COUNT; i++)
            held->v[i] -= ends.v[i];
        bool allows = rule_queue_allows(r, &later, &p->demand);
        *held = all;
        if (!allows || (x->job->queue == job->queue && fits_somewhere(r, &p->demand)))
            return allows;
    }
    return fits_node(r, book_node(&r->book, x->attempt->node), &p->demand, gone);
}

/* Whether somebody below the phase has started early and waits. */
static bool has_waiting_readers(const struct book_job *job, uint16_t phase)
{
    for (uint16_t p = (uint16_t)(phase + 1); p < job->phase_count; p++) {
        const struct book_phase *below = &job->phases[p];
        for (uint32_t t = 0; t < below->task_count && book_starts_early(below); t++)
            if (below->tasks[t].live > 0 && !book_inputs_complete(job, below))
                return true;
    }
    return false;
}

static bool helps_anybody(struct referee *r, struct book_place at)
{
    struct book *b = &r->book;
    struct book_entry x = {.job = &b->jobs.at[at.job]};
    x.phase = &x.job->phases[at.phase];
    x.task = &x.phase->tasks[at.task];
    x.attempt = &x.task->attempts.at[at.attempt];
    struct res_sum gone = dying(b, x.attempt->node, 0);
    bool clone = x.attempt->kind == LAUNCH_CLONE && clones_yield(r);

    for (uint32_t j = 0; j < b->jobs.count; j++) {
        const struct book_job *job = &b->jobs.at[j];
        for (uint16_t p = 0; p < job->phase_count && !job->over; p++)
            if ((clone || (j == at.job && p < at.phase) || has_waiting_readers(job, p)) &&
                phase_waits(job, &job->phases[p]) && end_helps(r, &x, job, &job->phases[p], &gone))
                return true;
    }
    return false;
}

int rule_room_turn_end(struct referee *r)
{
    for (uint32_t i = 0; i < r->yielded.count; i++) {
        struct book_place at = r->yielded.at[i];
        if (!helps_anybody(r, at))
            return rule_fail(r, RULE_ROOM, "attempt %u.%u.%u.%u makes room where no task fits",
                             r->book.jobs.at[at.job].id.v, at.phase, at.task, at.attempt);
        r->tally.yielded++;
    }
    vec_clear(&r->yielded);
    return 0;
}
