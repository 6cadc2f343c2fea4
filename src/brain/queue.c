/* queue.c - what is to be launched, and in which order.
 *
 * Every phase with something to launch stands in the queue of its demand, once for first attempts
 * and once for clones, ordered by the key that the seam `order` gives its job (clones: or by
 * arrival). Which task of the phase is next is a bitmap by rank: setting, clearing and finding the
 * least are a few instructions, and a task that comes back (its attempt failed) takes its old place
 * again. */
#include "base/check.h"
#include "brain/state.h"

void queue_fini(struct brain *b)
{
    for (uint32_t i = 0; i < b->queues.count; i++) {
        heap_fini(&b->queues.at[i]->firsts);
        heap_fini(&b->queues.at[i]->clones);
        mem_free(b->queues.at[i]);
    }
    vec_free(&b->queues);
}

void queue_join(struct brain *b, struct phase *p)
{
    p->fit = fit_index_demand(&b->world.fit, &p->demand);
    for (uint32_t i = 0; i < b->queues.count && !p->queue; i++)
        if (res_equal(&b->queues.at[i]->demand, &p->demand))
            p->queue = b->queues.at[i];
    if (!p->queue) {
        p->queue = mem_zalloc(1, sizeof *p->queue);
        p->queue->demand = p->demand;
        p->queue->fit = p->fit;
        vec_push(&b->queues, p->queue);
    }
}

static int64_t queue_key(const struct brain *b, const struct job *j)
{
    return BRAIN_OPS(b, order)->key(&b->order, job_lead(j)); /* clones cost a job nothing */
}

/* Where clones stand in the order of their jobs' arrival, they do so behind all first attempts. */
static int64_t queue_clone_key(const struct brain *b, const struct job *j)
{
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++)
        if (BRAIN_MITIGATE(b, i)->clones_by_arrival &&
            BRAIN_MITIGATE(b, i)->clones_by_arrival(&b->mitigate[i]))
            return INT64_MAX / 2 + job_lead(j)->id.v;
    return queue_key(b, j);
}

static uint64_t queue_tie(const struct phase *p)
{
    return (uint64_t)p->job->id.v << 32 | (uint64_t)p->job->copy << 16 | p->index;
}

static void queue_stand(const struct phase *p, struct heap *h, int64_t key, uint32_t *place,
                        bool in)
{
    if (in == (*place != HEAP_NOWHERE))
        return;
    if (in)
        heap_push(h, key, queue_tie(p), place);
    else
        heap_remove(h, place);
}

void queue_refresh(struct brain *b, struct phase *p)
{
    const struct job *j = p->job;
    bool runs = j->state == JOB_LIVE && p->open, may = runs && !job_is_full(j);
    if (runs && !may && j->early && p->pending_count > 0)
        yield_note(b, p);
    queue_stand(p, &p->queue->firsts, queue_key(b, j), &p->place_first,
                may && p->pending_count > 0);
    queue_stand(p, &p->queue->clones, queue_clone_key(b, j), &p->place_clone,
                may && p->clones_queued > 0);
}

void queue_refresh_job(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        queue_refresh(b, &j->phases[k]);
    for (struct job *r = j->copies; r; r = r->next)
        queue_refresh_job(b, r);
}

void queue_rekey_job(struct brain *b, struct job *j)
{
    int64_t key = queue_key(b, j);
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        if (p->place_first != HEAP_NOWHERE)
            heap_rekey(&p->queue->firsts, &p->place_first, key);
        if (p->place_clone != HEAP_NOWHERE)
            heap_rekey(&p->queue->clones, &p->place_clone, queue_clone_key(b, j));
    }
    for (struct job *r = j->copies; r; r = r->next)
        queue_rekey_job(b, r);
}

void queue_settle(struct brain *b)
{
    if (b->unkeyed)
        queue_rekey_job(b, b->unkeyed);
    b->unkeyed = NULL;
}

void queue_rekey_later(struct brain *b, struct job *j)
{
    if (b->unkeyed != j)
        queue_settle(b);
    b->unkeyed = j;
}

static uint32_t rank_of(const struct phase *p, uint32_t task)
{
    return p->rank_of ? p->rank_of[task] : task;
}

static uint32_t task_at(const struct phase *p, uint32_t rank)
{
    return p->by_rank ? p->by_rank[rank] : rank;
}

void queue_pend(struct brain *b, struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    uint64_t bit = 1ULL << (rank % 64);
    check(!(p->pending[rank / 64] & bit));
    p->pending[rank / 64] |= bit;
    p->pending_count++;
    if (rank / 64 < p->pending_from)
        p->pending_from = rank / 64;
    task_set_state(b, p, &p->tasks[task], TASK_PENDING);
    if (p->place_first == HEAP_NOWHERE)
        queue_refresh(b, p);
    if (p->pending_count == 1 && p->early_readers)
        phase_review_readers(b, p);
}

void queue_pend_waiting(struct brain *b, struct phase *p)
{
    uint32_t before = p->pending_count;
    for (uint32_t task = 0; task < p->count; task++) {
        struct task *t = &p->tasks[task];
        if (t->state != TASK_WAITING || (p->piecewise && !task_inputs_done(p, task)))
            continue;
        uint32_t rank = rank_of(p, task);
        t->state = TASK_PENDING; /* no account tells it from waiting */
        p->pending[rank / 64] |= 1ULL << (rank % 64);
        p->pending_count++;
        if (rank / 64 < p->pending_from)
            p->pending_from = rank / 64;
    }
    queue_refresh(b, p);
    if (before == 0 && p->pending_count > 0 && p->early_readers)
        phase_review_readers(b, p);
}

uint32_t queue_first_pending(struct phase *p)
{
    check(p->pending_count > 0);
    while (p->pending[p->pending_from] == 0)
        p->pending_from++;
    uint64_t word = p->pending[p->pending_from];
    return task_at(p, p->pending_from * 64 + (uint32_t)__builtin_ctzll(word));
}

void queue_unpend(struct brain *b, struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    p->pending[rank / 64] &= ~(1ULL << (rank % 64));
    if (--p->pending_count > 0)
        return;
    queue_refresh(b, p);
    if (p->early_readers)
        phase_review_readers(b, p);
}

static void clones_count(struct brain *b, struct phase *p, int64_t change)
{
    p->clones_queued = (uint64_t)((int64_t)p->clones_queued + change);
    res_sum_add(&b->world.clone_queued, &p->demand, change);
    queue_refresh(b, p);
}

/* From now on what the phase has of extra attempts, backups apart, is charged to the clone budget.
 */
void phase_mark_cloned(struct brain *b, struct phase *p)
{
    if (p->cloned)
        return;
    p->cloned = true;
    for (uint32_t t = 0; t < p->count; t++)
        res_sum_add(&b->world.clone_held, &p->demand, task_charged(b, p, &p->tasks[t]));
}

static void clones_fill(struct brain *b, struct phase *p)
{
    uint64_t want = 0;
    p->clone_next = 0;
    p->clone_end = (uint64_t)p->count * (p->copies - 1U);
    for (uint32_t t = 0; t < p->count; t++)
        if (task_is_open(&p->tasks[t]) && !p->tasks[t].unqueued)
            want += p->copies - 1U;
        else
            p->tasks[t].unqueued = true;
    clones_count(b, p, (int64_t)want);
}

void decider_clone_phase(struct brain *b, struct phase *p, uint16_t copies)
{
    check(copies >= 2 && !p->cloned);
    p->copies = copies;
    phase_mark_cloned(b, p);
    clones_fill(b, p);
}

void queue_clones_again(struct brain *b, struct phase *p)
{
    decider_cancel_clones(b, p);
    p->cloned_again = true;
    clones_fill(b, p);
}

void decider_cancel_clones(struct brain *b, struct phase *p)
{
    p->clone_next = p->clone_end;
    if (p->clones_queued)
        clones_count(b, p, -(int64_t)p->clones_queued);
}

/* Where clones were queued again: whether the task has the one that is next, or was launched so
 * often that the rest is left to attempts that it needs. */
static bool clone_is_needless(const struct brain *b, const struct phase *p, const struct task *t)
{
    return p->cloned_again &&
           (t->live > p->clone_next / p->count + 1 || t->launches >= b->policy->launches_max / 2);
}

/* A backup may have come before its clones. */
static bool has_its_copies(const struct brain *b, const struct phase *p, const struct task *t)
{
    uint32_t wanted = 0;
    if (t->live < p->copies)
        return false;
    FOR_ATTEMPTS (a, &b->world, t)
        wanted += !a->unwanted;
    return wanted >= p->copies;
}

uint32_t queue_next_clone(struct brain *b, struct phase *p)
{
    while (p->clone_next < p->clone_end) {
        uint32_t task = task_at(p, (uint32_t)(p->clone_next % p->count));
        const struct task *t = &p->tasks[task];
        if (!t->unqueued && task_is_open(t) && t->live > 0 && !clone_is_needless(b, p, t) &&
            !has_its_copies(b, p, t))
            return task;
        /* Its attempt failed and it waits to be started anew, it has a backup instead, or it is
         * over: this clone is forfeit. */
        p->clone_next++;
        if (!t->unqueued)
            clones_count(b, p, -1);
    }
    return TASK_ALL;
}

void queue_take_clone(struct brain *b, struct phase *p)
{
    p->clone_next++;
    clones_count(b, p, -1);
}

void queue_drop_clones(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    if (p->clone_next >= p->clone_end || t->unqueued)
        return;
    uint64_t rank = rank_of(p, task);
    /* Positions rank, rank + count, ... below clone_end, less those before clone_next. */
    uint64_t all = p->copies - 1U;
    uint64_t past = p->clone_next / p->count + (p->clone_next % p->count > rank);
    t->unqueued = true;
    if (all > past)
        clones_count(b, p, -(int64_t)(all - past));
}
