/* exec_reads.c - reads of attempts that are told what to read.
 *
 * The brain assigns a source; we say where it lies, and the attempt gets it: it tells when it
 * begins, when it has it and how long that took, or that it cannot have it. No byte of it passes
 * through us. A source that an attempt cannot have is lost, for this reader and for all others, and
 * is made again; unless there is a copy of it (exec_copy.c): then the attempt is told to read that,
 * and the brain learns of no failure. */
#include "exec/exec_reads.h"

#include "exec/chaos.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_output.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/folder/run_dir.h"

/* The tasks above that the attempt reads. */
static const struct edge_spec *reads_edge(struct exec *x, struct attempt_ref at, uint32_t phase,
                                          struct job_span *span)
{
    const struct job_spec *job = &exec_job_find(x, at.job)->work->spec;
    const struct phase_spec *own = &job->phases[at.phase];

    for (uint16_t i = 0; i < own->edge_count; i++)
        if (own->edges[i].from == phase) {
            *span = job_edge_span(&own->edges[i], job->phases[phase].tasks, own->tasks, at.task);
            return &own->edges[i];
        }
    return NULL;
}

/* Where the source lies, for this reader. False: it is gone, or a part of it. */
static bool reads_find(struct exec *x, struct attempt_ref reader, struct node_id node,
                       struct attempt_ref source, struct path *path)
{
    struct job_span span;

    if (source.task != TASK_ALL) {
        uint32_t i = attempt_table_find(&x->attempts, source);
        const struct attempt_row *e = i == ATTEMPT_TABLE_NONE ? NULL : exec_row(x, i);
        if (!e || (e->state != ROW_FINISHED && e->state != ROW_COMMITTED))
            return false;
        if (e->state == ROW_FINISHED || !exec_copy_find(x, e, node, path))
            *path = exec_output_path(x, e);
        return true;
    }
    reads_edge(x, reader, source.phase, &span);
    for (source.task = span.from; source.task < span.to; source.task++)
        if (attempt_table_winner(&x->attempts, source) == ATTEMPT_TABLE_NONE)
            return false;
    *path = run_dir_phase(x->dir, &exec_job_find(x, reader.job)->work->spec, source.phase);
    return true;
}

/* Fetches of many sources go on at the same time, so the slowest counts. */
static int64_t reads_slow_us(struct exec *x, struct attempt_ref reader, struct attempt_ref source)
{
    const struct chaos *chaos = x->options.chaos;
    struct job_span span = {source.task, source.task + 1};
    int64_t most_us = 0;

    if (!chaos || chaos->fetch_p <= 0)
        return 0;
    if (source.task != TASK_ALL)
        return chaos_fetch_us(chaos, reader, source);
    reads_edge(x, reader, source.phase, &span);
    for (source.task = span.from; source.task < span.to; source.task++) {
        source.attempt = exec_row(x, attempt_table_winner(&x->attempts, source))->at.attempt;
        int64_t slow_us = chaos_fetch_us(chaos, reader, source);
        most_us = slow_us > most_us ? slow_us : most_us;
    }
    return most_us;
}

static struct event *reads_emit(struct exec *x, uint8_t type, const struct attempt_row *e,
                                struct attempt_ref source)
{
    struct event *event = exec_emit(x, type, e->at, e->node);

    event->u.fetch.source = source;
    return event;
}

/* Tells the attempt with whom an output stays. */
static void reads_place(struct exec *x, uint32_t reader, uint32_t output)
{
    const struct attempt_row *e = exec_row(x, output);
    struct packet p = {.type = PACKET_PLACE,
                       .handle = reader,
                       .u.place = {.phase = e->at.phase,
                                   .task = e->at.task,
                                   .attempt = e->at.attempt,
                                   .output = output,
                                   .checksum = e->checksum,
                                   .where = "",
                                   .group = x->runners.of[e->node.v]}};
    exec_runner_send(x, &p);
}

/* The same of all that a source stands for, which was found to be there. */
static void reads_places(struct exec *x, const struct exec_read *r)
{
    struct attempt_ref source = r->source;
    struct job_span span;

    if (source.task != TASK_ALL) {
        reads_place(x, r->handle, attempt_table_find(&x->attempts, source));
        return;
    }
    reads_edge(x, exec_row(x, r->handle)->at, source.phase, &span);
    for (source.task = span.from; source.task < span.to; source.task++)
        reads_place(x, r->handle, attempt_table_winner(&x->attempts, source));
}

/* Tells the attempt. False: there is nothing to read any more, as the brain learns. */
static bool reads_send(struct exec *x, struct exec_read r)
{
    struct attempt_row *e = exec_row(x, r.handle);
    struct path path;

    e->read_us = exec_now_us(x);
    if (!reads_find(x, e->at, e->node, r.source, &path)) {
        reads_emit(x, EV_FETCH_FAILED, e, r.source)->cause = CAUSE_OUTPUT_GONE;
        return false;
    }
    if (x->options.apart) {
        reads_places(x, &r);
        path.text[0] = 0;
    }
    struct packet p = {.type = PACKET_READ,
                       .handle = r.handle,
                       .u.read = {.phase = r.source.phase,
                                  .task = r.source.task,
                                  .attempt = r.source.attempt,
                                  .path = path.text,
                                  .slow_us = reads_slow_us(x, e->at, r.source)}};
    exec_runner_send(x, &p);
    return true;
}

void exec_reads_assign(struct exec *x, const struct decision *d, uint32_t handle)
{
    struct exec_read r = {handle, d->u.read.source, 0};
    const struct attempt_row *e = exec_row(x, handle);
    struct job_span span;

    if (!attempt_row_lives(e)) {
        exec_fail_decision(x, d, CAUSE_ALREADY_ENDED);
        return;
    }
    if (r.source.job.v != d->at.job.v || !reads_edge(x, e->at, r.source.phase, &span)) {
        exec_fail_decision(x, d, CAUSE_UNKNOWN_ATTEMPT);
        return;
    }
    if ((e->state == ROW_WAITING || reads_send(x, r)) && e->state != ROW_RUNNING)
        vec_push(&x->reads.told, r);
}

void exec_reads_launched(struct exec *x, uint32_t handle)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < x->reads.told.count; i++)
        if (x->reads.told.at[i].handle != handle || reads_send(x, x->reads.told.at[i]))
            x->reads.told.at[left++] = x->reads.told.at[i];
    x->reads.told.count = left;
}

/* Takes the reads of the attempt off the list: of one source, or of all. */
static void reads_drop(struct exec_read_list *list, uint32_t handle,
                       const struct attempt_ref *source)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].handle != handle || (source && !attempt_equal(list->at[i].source, *source)))
            list->at[left++] = list->at[i];
    list->count = left;
}

void exec_reads_forget(struct exec *x, uint32_t handle)
{
    reads_drop(&x->reads.told, handle, NULL);
}

/* ---- what attempts tell ---- */

/* A read as an attempt speaks of it. */
struct told_read {
    struct exec_read read;
    uint32_t culprit; /* the task whose output it could not have */
};

/* The output that it could not have; NULL: it is gone already. */
static struct attempt_row *reads_culprit(struct exec *x, const struct told_read *t)
{
    struct attempt_ref source = t->read.source;

    source.task = t->culprit;
    uint32_t i = t->read.source.task == TASK_ALL ? attempt_table_winner(&x->attempts, source)
                                                 : attempt_table_find(&x->attempts, source);
    struct attempt_row *e = i == ATTEMPT_TABLE_NONE ? NULL : exec_row(x, i);
    return e && (e->state == ROW_FINISHED || e->state == ROW_COMMITTED) ? e : NULL;
}

/* Whether another copy of what the attempt could not have is there by now: it may have read what
 * was replaced meanwhile, or the copy on its own node, which then is of no use. */
static bool reads_has_other(struct exec *x, const struct told_read *t, struct attempt_row *e)
{
    if (e->state != ROW_COMMITTED)
        return false;
    if (exec_row(x, t->read.handle)->read_us < e->replaced_us)
        return true;
    if (t->read.source.task != TASK_ALL && exec_copy_drop(x, e, exec_row(x, t->read.handle)->node))
        return true;
    return exec_copy_replace(x, e, CAUSE_OUTPUT_GONE);
}

/* The attempt begins again, elsewhere. Those that have ended are forgotten by the way. */
static void reads_again(struct exec *x, struct exec_read r)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < x->reads.again.count; i++)
        if (attempt_row_lives(exec_row(x, x->reads.again.at[i].handle)))
            x->reads.again.at[left++] = x->reads.again.at[i];
    x->reads.again.count = left;
    vec_push(&x->reads.again, r);
}

/* The read among those that were told again, or NULL. */
static struct exec_read *reads_find_again(struct exec *x, const struct exec_read *r)
{
    for (uint32_t i = 0; i < x->reads.again.count; i++)
        if (x->reads.again.at[i].handle == r->handle &&
            attempt_equal(x->reads.again.at[i].source, r->source))
            return &x->reads.again.at[i];
    return NULL;
}

static void reads_failed(struct exec *x, const struct told_read *t, int error)
{
    const struct attempt_row *reader = exec_row(x, t->read.handle);
    struct attempt_row *e = reads_culprit(x, t);

    if (e && reads_has_other(x, t, e)) {
        if (reads_send(x, t->read))
            reads_again(x, t->read);
        return;
    }
    struct event *event = reads_emit(x, EV_FETCH_FAILED, reader, t->read.source);
    event->u.fetch.took_us = t->read.took_us;
    event->cause = CAUSE_OUTPUT_GONE;
    event->detail = error;
    if (e && (e->state == ROW_FINISHED || e->state == ROW_COMMITTED))
        exec_copy_lose(x, e, CAUSE_OUTPUT_GONE);
}

void exec_reads_on_packet(struct exec *x, const struct packet *p)
{
    const struct packet_fetch *f = &p->u.fetch;
    const struct attempt_row *e = exec_row(x, p->handle);
    const struct exec_job *job = exec_job_find(x, e->at.job);
    struct told_read t = {
        {p->handle, {e->at.job, f->task, (uint16_t)f->phase, (uint16_t)f->attempt}, f->took_us},
        f->culprit};
    struct job_span span;

    if (!job || job->over || !reads_edge(x, e->at, f->phase, &span) || f->culprit < span.from ||
        f->culprit >= span.to || (f->task != TASK_ALL && f->task != f->culprit))
        return;
    /* The read goes on, and fails at its end: then it is seen whether there is something to read.
     */
    if (p->type == PACKET_SOURCE_LOST) {
        struct attempt_row *lost = reads_culprit(x, &t);
        if (lost && !reads_has_other(x, &t, lost))
            exec_copy_lose(x, lost, CAUSE_OUTPUT_GONE);
        return;
    }
    const struct exec_read *before = reads_find_again(x, &t.read);
    if (before && p->type == PACKET_FETCH_STARTED)
        return;
    t.read.took_us += before ? before->took_us : 0;
    reads_drop(&x->reads.again, p->handle, &t.read.source);
    if (p->type == PACKET_FETCH_FAILED) {
        reads_failed(x, &t, f->error);
        return;
    }
    struct event *event = reads_emit(
        x, p->type == PACKET_FETCH_DONE ? EV_FETCH_DONE : EV_FETCH_STARTED, e, t.read.source);
    event->u.fetch.bytes = f->bytes;
    event->u.fetch.took_us = t.read.took_us;
}
