/* queue.c - what is to be launched, and in which order.
 *
 * The queues of different demands are merged by the keys of their best phases; first attempts come
 * before clones of the same job. A queue whose best phase finds no room is left out for the rest of
 * a walk: no other of its demand would find any.
 *
 * Every phase with something to launch stands in the queue of its demand, once for first attempts
 * and once for clones, ordered by the key that the seam `order` gives its job (clones: or by
 * arrival). Which task of the phase is next is a bitmap by rank: setting, clearing and finding the
 * least are a few instructions, and a task that comes back (its attempt failed) takes its old place
 * again. */
#include "brain/queue.h"

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

static int64_t queue_key(const struct brain *b, const struct phase *p)
{
    return order_ops(b)->key(&b->parts[PART_ORDER], &job_lead(p->job)->phases[p->index]);
}

/* Where clones stand in the order of their jobs' arrival, they do so behind all first attempts. */
static int64_t queue_clone_key(const struct brain *b, const struct phase *p)
{
    return b->clones_order == CLONES_BY_ARRIVAL ? INT64_MAX / 2 + job_lead(p->job)->id.v
                                                : queue_key(b, p);
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

/* Notes a phase of a job with a slow start that is at its limit, for yield.c. */
static void queue_note_stuck(struct brain *b, struct phase *p)
{
    if (p->stuck)
        return;
    p->stuck = true;
    vec_push(&b->stuck, phase_ref(p));
}

void queue_refresh(struct brain *b, struct phase *p)
{
    const struct job *j = p->job;
    bool runs = j->state == JOB_LIVE && p->open, may = runs && !job_is_full(j);
    if (runs && !may && j->early && p->pending_count > 0)
        queue_note_stuck(b, p);
    queue_stand(p, &p->queue->firsts, queue_key(b, p), &p->place_first,
                may && p->pending_count > 0);
    queue_stand(p, &p->queue->clones, queue_clone_key(b, p), &p->place_clone,
                may && p->clones_queued > 0);
}

void queue_refresh_job(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++)
        queue_refresh(b, &j->phases[k]);
    for (struct job *r = j->copies; r; r = r->next)
        queue_refresh_job(b, r);
}

void queue_weigh_job(struct brain *b, const struct job *j)
{
    if (order_ops(b)->weigh && !j->lead)
        order_ops(b)->weigh(&b->parts[PART_ORDER], j);
}

static void queue_rekey(struct brain *b, struct job *j)
{
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct phase *p = &j->phases[k];
        if (p->place_first != HEAP_NOWHERE)
            heap_rekey(&p->queue->firsts, &p->place_first, queue_key(b, p));
        if (p->place_clone != HEAP_NOWHERE)
            heap_rekey(&p->queue->clones, &p->place_clone, queue_clone_key(b, p));
    }
    for (struct job *r = j->copies; r; r = r->next)
        queue_rekey(b, r);
}

void queue_rekey_job(struct brain *b, struct job *j)
{
    queue_weigh_job(b, j);
    queue_rekey(b, j);
}

static void queue_rekey_all(struct brain *b)
{
    void (*plan)(const struct part_ctx *) = order_ops(b)->plan;
    b->unplanned = false;
    b->unkeyed = NULL;
    if (plan)
        plan(&b->parts[PART_ORDER]);
    for (uint32_t i = b->world.jobs_gone; i < b->world.jobs.count; i++)
        if (b->world.jobs.at[i])
            (plan ? queue_rekey : queue_rekey_job)(b, b->world.jobs.at[i]);
}

void queue_settle(struct brain *b)
{
    if (b->unplanned)
        queue_rekey_all(b);
    if (b->unkeyed)
        queue_rekey_job(b, b->unkeyed);
    b->unkeyed = NULL;
}

static void queue_rekey_later(struct brain *b, struct job *j)
{
    if (b->unkeyed != j)
        queue_settle(b);
    b->unkeyed = j;
}

void queue_follow(struct brain *b, struct job *j, unsigned what)
{
    if (!(order_ops(b)->follows & what))
        return;
    if (!j)
        b->unplanned = true;
    else if (!j->lead)
        queue_rekey_later(b, j);
}

static uint32_t rank_of(const struct phase *p, uint32_t task)
{
    return p->rank_of ? p->rank_of[task] : task;
}

static uint32_t task_at(const struct phase *p, uint32_t rank)
{
    return p->by_rank ? p->by_rank[rank] : rank;
}

void queue_put(struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    uint64_t bit = 1ULL << (rank % 64);
    check(!(p->pending[rank / 64] & bit));
    p->pending[rank / 64] |= bit;
    p->pending_count++;
    if (rank / 64 < p->pending_from)
        p->pending_from = rank / 64;
}

void queue_take(struct phase *p, uint32_t task)
{
    uint32_t rank = rank_of(p, task);
    p->pending[rank / 64] &= ~(1ULL << (rank % 64));
    p->pending_count--;
}

uint32_t queue_first(struct phase *p)
{
    check(p->pending_count > 0);
    while (p->pending[p->pending_from] == 0)
        p->pending_from++;
    uint64_t word = p->pending[p->pending_from];
    return task_at(p, p->pending_from * 64 + (uint32_t)__builtin_ctzll(word));
}

static void clones_count(struct brain *b, struct phase *p, int64_t change)
{
    p->clones_queued = (uint64_t)((int64_t)p->clones_queued + change);
    res_sum_add(&b->world.clone_queued, &p->demand, change);
    queue_refresh(b, p);
}

void queue_add_clones(struct brain *b, struct phase *p)
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

void queue_drop_all_clones(struct brain *b, struct phase *p)
{
    p->clone_next = p->clone_end;
    if (p->clones_queued)
        clones_count(b, p, -(int64_t)p->clones_queued);
}

void queue_add_clones_again(struct brain *b, struct phase *p)
{
    queue_drop_all_clones(b, p);
    p->cloned_again = true;
    queue_add_clones(b, p);
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

uint32_t queue_first_clone(struct brain *b, struct phase *p)
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

/* ---- a walk ---- */

/* No first attempt can be launched, because none waits or because no node has room. */
static bool queue_is_full(const struct brain *b, const struct demand_queue *l)
{
    return l->firsts.count == 0 || !fit_index_any(&b->world.fit, l->fit);
}

void queue_begin(struct brain *b, bool firsts, bool clones)
{
    b->queue_next = NULL;
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        l->firsts_blocked = !firsts || queue_is_full(b, l);
        l->clones_blocked = !clones;
    }
}

static bool item_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/* First attempts of a phase come before its clones, which have the same key. */
struct phase *queue_next(struct brain *b, bool *clone)
{
    const struct heap_item *top = NULL;
    *clone = false;
    queue_settle(b);
    if (b->queue_next)
        b->queue_next->firsts_blocked |= queue_is_full(b, b->queue_next);
    b->queue_next = NULL;
    for (uint32_t i = 0; i < b->queues.count; i++) {
        struct demand_queue *l = b->queues.at[i];
        const struct heap_item *it = l->firsts_blocked ? NULL : heap_top(&l->firsts);
        if (it && (!top || item_before(it, top))) {
            top = it;
            b->queue_next = l;
            *clone = false;
        }
        it = l->clones_blocked ? NULL : heap_top(&l->clones);
        if (it && (!top || item_before(it, top))) {
            top = it;
            b->queue_next = l;
            *clone = true;
        }
    }
    if (!top)
        return NULL;
    return *clone ? queue_clone_phase(top) : queue_first_phase(top);
}

void queue_pass_over(struct phase *p, bool clone)
{
    *(clone ? &p->queue->clones_blocked : &p->queue->firsts_blocked) = true;
}

bool queue_firsts_wait(const struct brain *b)
{
    for (uint32_t i = 0; i < b->queues.count; i++)
        if (b->queues.at[i]->firsts.count > 0)
            return true;
    return false;
}
