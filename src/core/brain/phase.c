/* phase.c - opens phases, queues tasks, and has lost outputs made again.
 *
 * A phase is open while every phase it reads is done: all its tasks committed, no output lost.
 * Where an edge allows a slow start it opens earlier, when enough of the phase above is done and
 * all of that phase has been launched; its readers then hold slots while they wait, and give them
 * back when a task above has to be launched again and finds no room (see yield.c). Where a reader
 * reads only some tasks above (one-to-one, many-to-one) it need not wait in a slot: it is launched
 * when these are done, whatever the others do. When an output is lost its readers close, and the
 * task is run again if it is still needed: by a reader with work left, or (recursively) a lost
 * output further down that is needed itself. An output that is not needed is not made again. */
#include "core/brain/phase.h"

#include "base/check.h"
#include "base/stat.h"
#include "core/brain/attempt.h"
#include "core/brain/expect.h"
#include "core/brain/state.h"

/* Whether every task of the phase has been launched. One that starts piece by piece may have tasks
 * that wait for theirs and are not pending yet. */
static bool phase_all_launched(const struct phase *p)
{
    if (!p->open || p->pending_count > 0 || p->lost > 0)
        return false;
    for (uint16_t e = 0; e < p->edge_count && p->piecewise; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (up->done < up->count)
            return false;
    }
    return true;
}

static bool phase_may_run(const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        uint8_t enough = p->early ? p->edges[e].slowstart : 0;
        if (up->done == up->count)
            continue;
        if (!enough || (uint64_t)up->done * 100 < (uint64_t)enough * up->count)
            return false;
        if (p->edges[e].pattern != EDGE_ALL_TO_ALL)
            continue; /* each task has its own say */
        if (!phase_all_launched(up))
            return false;
    }
    return true;
}

bool phase_has_inputs(const struct phase *p, uint32_t task)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct edge_spec *edge = &p->edges[e];
        const struct phase *up = &p->job->phases[edge->from];
        if (up->done == up->count || edge->pattern == EDGE_ALL_TO_ALL)
            continue;
        struct job_span span = job_edge_span(edge, up->count, p->count, task);
        for (uint32_t t = span.from; t < span.to; t++)
            if (up->tasks[t].state != TASK_DONE)
                return false;
    }
    return true;
}

static void phase_review_readers(struct brain *b, struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++)
        phase_review(b, &p->job->phases[p->consumers[i]]);
}

/* The task is to be launched. */
static void phase_pend(struct brain *b, struct phase *p, uint32_t task)
{
    queue_put(p, task);
    attempt_set_task(b, p, &p->tasks[task], TASK_PENDING);
    if (p->queued.first_index == HEAP_NOWHERE)
        queue_refresh(b, p);
    if (p->pending_count == 1 && p->early_readers)
        phase_review_readers(b, p);
}

void phase_unpend(struct brain *b, struct phase *p, uint32_t task)
{
    queue_take(p, task);
    if (p->pending_count > 0)
        return;
    queue_refresh(b, p);
    if (p->early_readers)
        phase_review_readers(b, p);
}

/* The reader of a task above, over an edge where each has its own. */
static uint32_t reader_of(const struct phase *p, const struct edge_spec *edge, uint32_t upstream,
                          uint32_t task)
{
    uint32_t reader = (uint32_t)((uint64_t)task * p->count / upstream);
    while (reader + 1 < p->count && job_edge_span(edge, upstream, p->count, reader).to <= task)
        reader++;
    return reader;
}

/* A task above is done: its readers may have all they need. */
static void pend_readers_of(struct brain *b, struct phase *up, uint32_t task)
{
    for (uint16_t i = 0; i < up->consumer_count; i++) {
        struct phase *p = &up->job->phases[up->consumers[i]];
        if (!p->piecewise || !p->open)
            continue;
        for (uint16_t e = 0; e < p->edge_count; e++) {
            if (p->edges[e].from != up->index || p->edges[e].pattern == EDGE_ALL_TO_ALL)
                continue;
            uint32_t reader = reader_of(p, &p->edges[e], up->count, task);
            if (p->tasks[reader].state == TASK_WAITING && phase_has_inputs(p, reader))
                phase_pend(b, p, reader);
        }
    }
}

static void phase_make_wait(struct brain *b, struct phase *p, uint32_t task)
{
    if (p->tasks[task].state != TASK_PENDING)
        return;
    phase_unpend(b, p, task);
    attempt_set_task(b, p, &p->tasks[task], TASK_WAITING);
}

/* Outputs were lost: who reads them has to wait again. */
static void unpend_readers(struct brain *b, const struct phase *up)
{
    for (uint16_t i = 0; i < up->consumer_count; i++) {
        struct phase *p = &up->job->phases[up->consumers[i]];
        for (uint32_t t = 0; p->piecewise && t < p->count && p->pending_count > 0; t++)
            if (p->tasks[t].state == TASK_PENDING && !phase_has_inputs(p, t))
                phase_make_wait(b, p, t);
        if (p->early_readers)
            phase_review_readers(b, p);
    }
}

static void phase_close(struct brain *b, struct phase *p)
{
    p->open = false;
    for (uint32_t t = 0; t < p->count && p->pending_count > 0; t++)
        phase_make_wait(b, p, t);
    queue_refresh(b, p);
    if (p->early_readers)
        phase_review_readers(b, p);
}

static void phase_open(struct brain *b, struct phase *p)
{
    uint32_t before = p->pending_count;
    p->open = true;
    for (uint32_t task = 0; task < p->count; task++) {
        struct task *t = &p->tasks[task];
        if (t->state != TASK_WAITING || (p->piecewise && !phase_has_inputs(p, task)))
            continue;
        queue_put(p, task);
        t->state = TASK_PENDING; /* no account tells it from waiting */
    }
    queue_refresh(b, p);
    if (before == 0 && p->pending_count > 0 && p->early_readers)
        phase_review_readers(b, p);
}

void phase_review(struct brain *b, struct phase *p)
{
    bool may = phase_may_run(p);
    if (p->open && !may)
        phase_close(b, p);
    else if (!p->open && may)
        phase_open(b, p);
}

/* Ordinals are 16 bits wide, and each of some copies may be about to use one. */
enum { ORDINALS_MAX = UINT16_MAX - 256 };

void phase_settle_task(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    if (p->job->state != JOB_LIVE || t->state != TASK_ACTIVE)
        return;
    if (t->finished > 0) {
        todo_add(b, p->job, TODO_COMMIT, task_ref_of(p, task));
        return;
    }
    /* A new attempt starts only when every dying one is confirmed dead: so extra attempts never
     * grow by anything but the launch of a clone, and the budget holds at every instant. */
    if (t->live > 0)
        return;
    if (t->failures >= b->policy->failures_max || t->launches >= b->policy->launches_max ||
        task_named(p, task)->ordinals > ORDINALS_MAX)
        todo_add(b, p->job, TODO_TASK_FAILED, task_ref_of(p, task));
    else if (p->open && (!p->piecewise || phase_has_inputs(p, task)))
        phase_pend(b, p, task);
    else
        attempt_set_task(b, p, t, TASK_WAITING);
}

static bool phase_is_over(const struct phase *p)
{
    return p->done + p->given_up == p->count;
}

/* One task fewer to wait for. */
static void phase_end_if_over(struct brain *b, struct phase *p)
{
    if (phase_is_over(p) && p->consumer_count == 0 && --p->job->leaves_left == 0)
        todo_add(b, p->job, TODO_JOB_DONE, phase_ref(p));
}

void phase_task_done(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    attempt_set_task(b, p, t, TASK_DONE);
    p->done++;
    if (!t->recompute) {
        p->incomplete--;
        if (b->world.keeps_expected)
            expect_task_done(b, p, t);
    }
    t->recompute = true;
    for (uint32_t i = 0; b->hears_reports && i < b->policy->mitigate_count; i++)
        if (mitigate_ops(b, i)->task_done)
            mitigate_ops(b, i)->task_done(&b->parts[PART_MITIGATE + i], p, task);
    queue_follow(b, p->job, FOLLOWS_COMMITS);
    queue_drop_clones(b, p, task);
    phase_end_if_over(b, p);
    if (p->done == p->count || p->early_readers)
        phase_review_readers(b, p);
    if (p->early_readers)
        pend_readers_of(b, p, task);
}

/* No phase reads this one (core/model/job.h), so no reader ever waits for the missing output. */
void phase_task_given_up(struct brain *b, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    check(p->consumer_count == 0 && p->given_up < p->failures_allowed);
    attempt_set_task(b, p, t, TASK_GIVEN_UP);
    p->given_up++;
    if (!t->recompute)
        p->incomplete--;
    queue_follow(b, p->job, FOLLOWS_COMMITS);
    queue_drop_clones(b, p, task);
    phase_end_if_over(b, p);
}

void phase_task_lost(struct brain *b, struct phase *p, uint32_t task)
{
    struct job *j = p->job;
    if (phase_is_over(p) && p->consumer_count == 0)
        j->leaves_left++;
    attempt_set_task(b, p, &p->tasks[task], TASK_LOST);
    p->done--;
    p->lost++;
    queue_follow(b, p->job, FOLLOWS_COMMITS);
    phase_review_readers(b, p);
    if (p->early_readers)
        unpend_readers(b, p);
    todo_add(b, p->job, TODO_REVIVE, phase_ref(p));
}

void phase_revive(struct brain *b, struct phase *p)
{
    if (p->lost == 0 || (p->consumer_count > 0 && !phase_has_readers_left(p)))
        return;
    queue_follow(b, p->job, FOLLOWS_COMMITS);
    for (uint32_t t = 0; t < p->count && p->lost > 0; t++)
        if (p->tasks[t].state == TASK_LOST) {
            p->lost--;
            attempt_set_task(b, p, &p->tasks[t], TASK_ACTIVE);
            phase_settle_task(b, p, t);
        }
    for (uint16_t e = 0; e < p->edge_count; e++)
        phase_revive(b, &p->job->phases[p->edges[e].from]);
}

/* The median time per byte of what finished. */
static double phase_median(const struct phase *p)
{
    VEC(double) finished = {0};
    for (uint32_t i = 0; i < p->samples.count; i++)
        if (p->samples.at[i].per_byte >= 0)
            vec_push(&finished, (double)p->samples.at[i].per_byte);
    double median = finished.count > 0 ? stat_quantile(finished.at, finished.count, 0.5) : 0;
    vec_free(&finished);
    return median;
}

void phase_teach(struct brain *b, struct phase *p)
{
    if (p->incomplete > 0 || p->measured || p->done == 0)
        return; /* there is nothing to learn */
    if (b->world.keeps_expected)
        expect_phase_over(b, p);
    phase_teach_by(b, p, phase_median(p));
}

void phase_teach_by(struct brain *b, struct phase *p, double median)
{
    p->measured = true;
    p->median = median;
    for (uint32_t i = 0; i < b->on_phase_end.count; i++)
        b->on_phase_end.at[i]->part->phase_finished(b->on_phase_end.at[i], p);
    vec_free(&p->samples);
}

/* ---- how much there is to read ---- */

static void read_more(struct phase *reader, const struct output_partition *partitions)
{
    if (!reader->read_bytes)
        reader->read_bytes = mem_zalloc(reader->count, sizeof *reader->read_bytes);
    for (uint32_t i = 0; i < reader->count; i++) {
        if (partitions[i].bytes > JOB_INPUT_MAX - reader->read_sum)
            return; /* more than there can be: enough is known */
        reader->read_bytes[i] += partitions[i].bytes;
        reader->read_sum += partitions[i].bytes;
    }
}

void phase_partitioned(struct phase *p, uint32_t task, const struct output_partition *partitions,
                       uint32_t count)
{
    if (!p->parted)
        p->parted = mem_zalloc(p->count, sizeof *p->parted);
    if (p->parted[task])
        return;
    p->parted[task] = true;
    p->partition_count = count;
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        struct phase *reader = &p->job->phases[p->consumers[i]];
        for (uint16_t e = 0; e < reader->edge_count; e++)
            if (reader->edges[e].from == p->index && reader->edges[e].pattern == EDGE_ALL_TO_ALL &&
                reader->count == count)
                read_more(reader, partitions);
    }
}
