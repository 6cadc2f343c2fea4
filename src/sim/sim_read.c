/* sim_read.c - readers and what they read.
 *
 * There is no network yet: a read that can succeed does so at once. What counts is whether its
 * source is there. The time that reading takes is part of a task's size until links exist. */
#include "sim/sim_state.h"

/* The tasks [from, to) of the phase above that a reader reads. Where there are more upstream tasks
 * than readers, many-to-one deals them out in order and in equal shares. */
struct span {
    uint32_t from, to;
};

static struct span edge_span(const struct edge_spec *edge, uint32_t upstream, uint32_t readers,
                             uint32_t reader)
{
    if (edge->pattern == EDGE_ALL_TO_ALL)
        return (struct span){0, upstream};
    if (edge->pattern == EDGE_ONE_TO_ONE && reader < upstream)
        return (struct span){reader, reader + 1};
    return (struct span){(uint32_t)((uint64_t)reader * upstream / readers),
                         (uint32_t)((uint64_t)(reader + 1) * upstream / readers)};
}

/* True if the committed outputs of the span are there. With slow start, tasks that have not been
 * committed yet are no obstacle, only lost ones. */
static bool span_there(const struct sim_phase *phase, struct span span, bool slowstart)
{
    if (phase->committed == phase->spec->tasks || (slowstart && phase->lost == 0))
        return true;
    for (uint32_t t = span.from; t < span.to; t++)
        if (phase->tasks[t].mark == TASK_LOST || (phase->tasks[t].mark == TASK_OPEN && !slowstart))
            return false;
    return true;
}

static bool source_there(const struct sim *s, const struct sim_phase *phase,
                         struct attempt_ref source, struct span span, bool slowstart)
{
    if (source.task == TASK_ALL)
        return span_there(phase, span, slowstart);
    uint8_t cause;
    uint32_t i = sim_slot_find(s, source, &cause);
    return i != SLOT_NONE && !sim_slot_lives(&s->slots.at[i]);
}

/* Bytes of `count` outputs, of which the reader gets one of `shares` equal parts. */
static int64_t share_bytes(int64_t output_bytes, uint32_t count, uint32_t shares)
{
    int64_t whole, bytes;
    if (__builtin_mul_overflow(output_bytes / shares, (int64_t)count, &whole) ||
        __builtin_add_overflow(whole, output_bytes % shares * count / shares, &bytes))
        return INT64_MAX;
    return bytes;
}

static const struct edge_spec *edge_between(const struct sim_phase *reader, uint16_t upstream)
{
    for (uint16_t e = 0; e < reader->spec->edge_count; e++)
        if (reader->spec->edges[e].from == upstream)
            return &reader->spec->edges[e];
    return NULL;
}

void sim_read_assign(struct sim *s, const struct decision *d)
{
    struct attempt_ref source = d->u.read.source;
    uint8_t cause;
    uint32_t i = sim_slot_find(s, d->at, &cause);
    if (i == SLOT_NONE || !sim_slot_lives(&s->slots.at[i])) {
        sim_refuse(s, d, cause);
        return;
    }
    const struct sim_phase *reader = sim_phase_of(s, d->at);
    const struct edge_spec *edge =
        source.job.v == d->at.job.v ? edge_between(reader, source.phase) : NULL;
    if (!edge) {
        sim_refuse(s, d, CAUSE_UNKNOWN_ATTEMPT);
        return;
    }
    const struct sim_phase *phase = &sim_job_find(s, source.job)->phases[source.phase];
    struct span span = edge_span(edge, phase->spec->tasks, reader->spec->tasks, d->at.task);
    uint32_t node = s->slots.at[i].node;
    if (!source_there(s, phase, source, span, edge->slowstart > 0)) {
        sim_tell(s, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, d->at, node)->u.fetch.source = source;
        return;
    }
    sim_tell(s, EV_FETCH_STARTED, CAUSE_NONE, d->at, node)->u.fetch.source = source;
    struct event *done = sim_tell(s, EV_FETCH_DONE, CAUSE_NONE, d->at, node);
    done->u.fetch.source = source;
    done->u.fetch.bytes =
        share_bytes(phase->truth->output_bytes, source.task == TASK_ALL ? span.to - span.from : 1,
                    edge->pattern == EDGE_ALL_TO_ALL ? reader->spec->tasks : 1);
}
