/* sim_fetch.c - reads under way: from assign_read to fetch_done or fetch_failed.
 *
 * A fetch waits until its reader is ready, and then is a batch of flows (sim_batch.c). With slow
 * start, outputs come one by one while readers wait. Fetching each at once would make m x r flows;
 * so a fetch of all outputs goes on in batches, and looks for the next one when an eighth of the
 * phase is new, or all of the rest.
 *
 * A source that disappears takes the fetch with it. What has arrived by flows that were over stays
 * with the reader, and the next fetch asks only for the rest. Where a replica is left the fetch
 * goes on from there by itself. */
#include "base/list.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

enum { BATCHES = 8 }; /* of a fetch of all with slow start, about */

static struct event *emit(struct sim *s, uint8_t type, uint8_t cause, const struct fetch *f)
{
    const struct sim_attempt *x = &s->attempts.at[f->reader];
    struct event *e = sim_emit(s, type, cause, x->at, x->node);
    e->u.fetch.source = f->source;
    return e;
}

/* ---- the course of a fetch ---- */

void sim_fetch_add(struct sim *s, uint32_t reader, uint16_t upstream, struct attempt_ref source)
{
    struct sim_reads *reads = s->reads;
    uint32_t i = vec_take(&reads->fetches, &reads->fetches_free);
    *fetch_at(s, i) = (struct fetch){.source = source,
                                     .reader = reader,
                                     .upstream = upstream,
                                     .state = FETCH_PENDING,
                                     .read = READ_NONE};
    struct sim_reader *r = reads->readers.at[reader];
    list_push(reads->fetches.at, r->first, i, prev, next, FETCH_NONE);
    struct sim_job *job = sim_job_find(s, source.job);
    list_push(reads->fetches.at, job->fetches, i, job_prev, job_next, FETCH_NONE);
    if (r->ready)
        sim_fetch_begin(s, i);
}

static void fetch_done(struct sim *s, uint32_t i)
{
    const struct fetch *f = fetch_at(s, i);
    struct sim_reader *r = fetch_reader(s, f);
    struct event *e = emit(s, EV_FETCH_DONE, CAUSE_NONE, f);
    e->u.fetch.bytes = f->bytes;
    e->u.fetch.took_us = f->took_us;
    r->had_bytes += f->bytes;
    sim_reader_drop_fetch(s, i);
    sim_feed_update(s, r);
}

/* How many commits of its phase make the next batch worth while. */
static uint32_t wake_at(const struct sim *s, const struct fetch *f, uint32_t open)
{
    uint32_t step = fetch_phase(s, f)->spec->tasks / BATCHES + 1;
    return f->seen + (open < step ? open : step);
}

static void fetch_idle(struct sim *s, uint32_t i, uint32_t open)
{
    struct fetch *f = fetch_at(s, i);
    struct sim_phase *phase = fetch_phase(s, f);
    f->state = FETCH_IDLE;
    f->wake = wake_at(s, f, open);
    if (f->wake < phase->read_wake)
        phase->read_wake = f->wake;
    sim_feed_update(s, fetch_reader(s, f));
}

/* A spoilt output that a reader meets is not lost here, where lists of fetches are being walked,
 * but by a queue entry of the same instant. */
static void lose_soon(struct sim *s, uint32_t output)
{
    sim_push_attempt(s, 0, ENTRY_ROT, output);
}

void sim_fetch_begin(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    struct sim_reader *r = fetch_reader(s, f);
    for (;;) {
        uint32_t open = sim_batch_open(s, f);
        bool any = open > 0 && sim_batch_begin(s, i);
        if (open > 0 && !any) {
            fetch_idle(s, i, open);
            return;
        }
        if (f->read != READ_NONE && fetch_phase(s, f)->spoilt > 0) { /* else it reads no byte */
            const struct sim_upstream *in = fetch_upstream(s, f);
            const struct sim_attempt *x = &s->attempts.at[f->reader];
            sim_spoil_meet(
                s, f->source, (struct job_span){in->from, in->to}, f->batch,
                (struct sim_look){x->node, sim_look_partition(in->edge, x->at.task), lose_soon});
        }
        if (!f->started)
            emit(s, EV_FETCH_STARTED, CAUSE_NONE, f);
        f->started = true;
        if (f->read != READ_NONE) {
            f->state = FETCH_FLOWING;
            r->flowing++;
            sim_feed_update(s, r);
            return;
        }
        if (any) /* nothing but empty outputs */
            sim_batch_end(s, i);
        if (open == 0 || !fetch_is_all(f)) {
            fetch_done(s, i);
            return;
        }
    }
}

void sim_fetch_ready(struct sim *s, uint32_t i)
{
    if (!sim_attempt_runs(&s->attempts.at[i]))
        return;
    struct sim_reader *r = sim_reader_of(s, i);
    r->ready = true;
    /* The newest is first in the list: begin with the one that was asked for first. */
    uint32_t f = r->first;
    while (f != FETCH_NONE && fetch_at(s, f)->next != FETCH_NONE)
        f = fetch_at(s, f)->next;
    for (uint32_t before; f != FETCH_NONE; f = before) {
        before = fetch_at(s, f)->prev;
        sim_fetch_begin(s, f);
    }
    if (r->input)
        sim_input_begin(s, r);
    sim_feed_update(s, r);
}

void sim_fetch_read_ended(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    f->read = READ_NONE;
    fetch_reader(s, f)->flowing--;
    f->state = FETCH_PENDING;
    sim_batch_end(s, i);
    uint32_t open = fetch_is_all(f) ? sim_batch_open(s, f) : 0;
    if (open == 0)
        fetch_done(s, i);
    else if (wake_at(s, f, open) <= fetch_phase(s, f)->commits)
        sim_fetch_begin(s, i);
    else
        fetch_idle(s, i, open);
}

void sim_fetch_wake(struct sim *s, struct attempt_ref upstream)
{
    struct sim_job *job = sim_job_find(s, upstream.job);
    struct sim_phase *phase = &job->phases[upstream.phase];
    phase->read_wake = UINT32_MAX;
    for (uint32_t i = job->fetches, next; i != FETCH_NONE; i = next) {
        const struct fetch *f = fetch_at(s, i);
        next = f->job_next;
        if (f->state != FETCH_IDLE || f->source.phase != upstream.phase)
            continue;
        if (f->wake <= phase->commits)
            sim_fetch_begin(s, i);
        else if (f->wake < phase->read_wake)
            phase->read_wake = f->wake;
    }
}

/* ---- sources that disappear ---- */

/* What has arrived is the reader's, and the fetch is gone. */
static void fetch_cut(struct sim *s, uint32_t i)
{
    const struct fetch *f = fetch_at(s, i);
    struct sim_reader *r = fetch_reader(s, f);
    sim_batch_keep(s, i);
    r->had_bytes += f->bytes + (int64_t)sim_batch_over(s, f);
    sim_reader_drop_fetch(s, i);
    sim_feed_update(s, r);
}

static void fetch_failed(struct sim *s, uint32_t i, uint8_t cause)
{
    const struct fetch *f = fetch_at(s, i);
    struct event *e = emit(s, EV_FETCH_FAILED, cause, f);
    e->u.fetch.bytes = f->bytes + (int64_t)sim_batch_over(s, f);
    e->u.fetch.took_us = f->took_us + (f->state == FETCH_FLOWING ? s->now_us - f->began_us : 0);
    fetch_cut(s, i);
}

/* A replica is left: goes on from there. */
static void fetch_again(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    sim_batch_keep(s, i);
    f->bytes += (int64_t)sim_batch_over(s, f);
    sim_reader_stop(s, i);
    f->took_us += s->now_us - f->began_us;
    f->state = FETCH_PENDING;
    fetch_reader(s, f)->flowing--;
    sim_fetch_begin(s, i);
}

/* True if the fetch is for this output, among others, and the reader does not have it yet. */
static bool fetch_wants(const struct sim *s, const struct fetch *f,
                        const struct sim_attempt *output)
{
    if (f->source.phase != output->at.phase)
        return false;
    if (!fetch_is_all(f))
        return attempt_equal(f->source, output->at);
    const struct sim_upstream *in = fetch_upstream(s, f);
    uint32_t task = output->at.task;
    return sim_output_committed(output) && task >= in->from && task < in->to &&
           !sim_upstream_has(in, task);
}

static void fetch_loses(struct sim *s, uint32_t i, const struct sim_attempt *gone,
                        enum source_loss loss)
{
    const struct fetch *f = fetch_at(s, i);
    struct sim_upstream *in = fetch_upstream(s, f);
    uint32_t task = gone->at.task;
    bool flowing = f->state == FETCH_FLOWING && (!f->batch || bit_get(f->batch, task - in->from));
    bool arrived = flowing && !network_read_from(s->reads->network, f->read, gone->node);
    if (loss == SOURCE_DISCARDED || (loss == SOURCE_LOST && !arrived))
        fetch_failed(s, i, CAUSE_OUTPUT_GONE);
    else if (loss == SOURCE_LOST)
        sim_feed_got_one(s, fetch_reader(s, f), in, task);
    else if (flowing && !arrived)
        fetch_again(s, i);
}

void sim_fetch_source_gone(struct sim *s, const struct sim_attempt *gone, enum source_loss loss)
{
    for (uint32_t i = sim_job_find(s, gone->at.job)->fetches, next; i != FETCH_NONE; i = next) {
        next = fetch_at(s, i)->job_next;
        if (fetch_wants(s, fetch_at(s, i), gone))
            fetch_loses(s, i, gone, loss);
    }
}

void sim_fetch_job_over(struct sim *s, const struct sim_job *job)
{
    while (job->fetches != FETCH_NONE)
        fetch_failed(s, job->fetches, CAUSE_JOB_OVER);
}
