/* exec_reads.c - reads of attempts that are told what to read.
 *
 * The brain assigns a source; we say where it lies, and the attempt gets it: it tells when it
 * begins, when it has it and how long that took, or that it cannot have it. No byte of it passes
 * through us. A source that an attempt cannot have is lost, for this reader and for all others, and
 * is made again. */
#include <errno.h>

#include "exec/chaos.h"
#include "exec/exec_state.h"
#include "folder/run_dir.h"

/* The tasks above that the attempt reads. */
static const struct edge_spec *reads_edge(struct exec *x, struct attempt_ref at, uint32_t phase,
                                          struct job_span *span)
{
    const struct job_spec *job = &exec_job_find(x, at.job)->source->spec;
    const struct phase_spec *own = &job->phases[at.phase];

    for (uint16_t i = 0; i < own->edge_count; i++)
        if (own->edges[i].from == phase) {
            *span = job_edge_span(&own->edges[i], job->phases[phase].tasks, own->tasks, at.task);
            return &own->edges[i];
        }
    return NULL;
}

/* Where the source lies. False: it is gone, or a part of it. */
static bool reads_find(struct exec *x, struct attempt_ref reader, struct attempt_ref source,
                       char path[PATH_MAX])
{
    struct job_span span;

    if (source.task != TASK_ALL) {
        uint32_t i = attempt_table_find(&x->attempts, source);
        const struct attempt_row *e = i == ATTEMPT_TABLE_NONE ? NULL : exec_row(x, i);
        if (!e || (e->state != ROW_FINISHED && e->state != ROW_COMMITTED))
            return false;
        exec_output_path(x, e, path);
        return true;
    }
    reads_edge(x, reader, source.phase, &span);
    for (source.task = span.from; source.task < span.to; source.task++)
        if (attempt_table_winner(&x->attempts, source) == ATTEMPT_TABLE_NONE)
            return false;
    run_dir_phase(x->dir, &exec_job_find(x, reader.job)->source->spec, source.phase, path);
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

/* Tells the attempt. False: there is nothing to read any more, as the brain learns. */
static bool reads_send(struct exec *x, struct exec_read r)
{
    const struct attempt_row *e = exec_row(x, r.handle);
    char path[PATH_MAX];

    if (!reads_find(x, e->at, r.source, path)) {
        reads_emit(x, EV_FETCH_FAILED, e, r.source)->cause = CAUSE_OUTPUT_GONE;
        return false;
    }
    struct packet p = {.type = PACKET_READ,
                       .handle = r.handle,
                       .u.read = {.phase = r.source.phase,
                                  .task = r.source.task,
                                  .attempt = r.source.attempt,
                                  .path = path,
                                  .slow_us = reads_slow_us(x, e->at, r.source)}};
    exec_runner_send(x, &p);
    return true;
}

void exec_reads_assign(struct exec *x, const struct decision *d, uint32_t handle)
{
    struct exec_read r = {handle, d->u.read.source};
    const struct attempt_row *e = exec_row(x, handle);
    struct job_span span;

    if (!attempt_row_lives(e)) {
        exec_refuse(x, d, CAUSE_ALREADY_ENDED);
        return;
    }
    if (r.source.job.v != d->at.job.v || !reads_edge(x, e->at, r.source.phase, &span)) {
        exec_refuse(x, d, CAUSE_UNKNOWN_ATTEMPT);
        return;
    }
    if ((e->state == ROW_WAITING || reads_send(x, r)) && e->state != ROW_RUNNING)
        vec_push(&x->reads, r);
}

void exec_reads_launched(struct exec *x, uint32_t handle)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < x->reads.count; i++)
        if (x->reads.at[i].handle != handle || reads_send(x, x->reads.at[i]))
            x->reads.at[left++] = x->reads.at[i];
    x->reads.count = left;
}

static void reads_drop(struct exec *x, uint32_t handle, const struct attempt_ref *source)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < x->reads.count; i++)
        if (x->reads.at[i].handle != handle ||
            (source && !attempt_equal(x->reads.at[i].source, *source)))
            x->reads.at[left++] = x->reads.at[i];
    x->reads.count = left;
}

void exec_reads_forget(struct exec *x, uint32_t handle)
{
    reads_drop(x, handle, NULL);
}

/* A command that is not told what to read reads what it likes. */
void exec_reads_revoke(struct exec *x, const struct decision *d, uint32_t handle)
{
    struct attempt_ref source = d->u.read.source;
    struct packet p = {
        .type = PACKET_REVOKE,
        .handle = handle,
        .u.read = {.phase = source.phase, .task = source.task, .attempt = source.attempt}};

    if (!attempt_row_lives(exec_row(x, handle))) {
        exec_refuse(x, d, CAUSE_ALREADY_ENDED);
        return;
    }
    reads_drop(x, handle, &source);
    if (x->options.data && exec_row(x, handle)->state != ROW_WAITING)
        exec_runner_send(x, &p);
}

/* The output that an attempt could not have. */
static void reads_lost(struct exec *x, struct attempt_ref source, uint32_t culprit)
{
    bool all = source.task == TASK_ALL;

    source.task = culprit;
    uint32_t i =
        all ? attempt_table_winner(&x->attempts, source) : attempt_table_find(&x->attempts, source);
    if (i == ATTEMPT_TABLE_NONE)
        return;
    struct attempt_row *e = exec_row(x, i);
    if (e->state == ROW_FINISHED || e->state == ROW_COMMITTED)
        exec_output_lose(x, e, CAUSE_OUTPUT_GONE);
}

void exec_reads_on_packet(struct exec *x, const struct packet *p)
{
    static const uint8_t types[] = {EV_FETCH_STARTED, EV_FETCH_DONE, EV_FETCH_FAILED};
    const struct packet_fetch *f = &p->u.fetch;
    const struct attempt_row *e = exec_row(x, p->handle);
    struct exec_job *job = exec_job_find(x, e->at.job);
    struct attempt_ref source = {e->at.job, f->task, (uint16_t)f->phase, (uint16_t)f->attempt};
    struct job_span span;

    if (!job || job->over || !reads_edge(x, e->at, f->phase, &span) || f->culprit < span.from ||
        f->culprit >= span.to || (f->task != TASK_ALL && f->task != f->culprit))
        return;
    struct event *event = reads_emit(x, types[p->type - PACKET_FETCH_STARTED], e, source);
    event->u.fetch.bytes = f->bytes;
    event->u.fetch.took_us = f->took_us;
    if (p->type != PACKET_FETCH_FAILED)
        return;
    event->cause = CAUSE_OUTPUT_GONE;
    event->detail = f->error;
    reads_lost(x, source, f->culprit);
}
