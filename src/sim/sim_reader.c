/* sim_reader.c - attempts that read what the phases above have left.
 *
 * Made at the launch of an attempt and dropped, with the fetches and flows that it has under way,
 * at its end. */
#include "base/list.h"
#include "sim/sim_read.h"

void sim_reader_create(struct sim *s, uint32_t i)
{
    struct sim_reads *reads = s->reads;
    while (reads->readers.count <= i)
        vec_push(&reads->readers, NULL);
    check(!reads->readers.at[i]);

    struct attempt_ref at = s->attempts.at[i].at;
    const struct sim_job *job = sim_job_find(s, at.job);
    const struct phase_spec *spec = job->phases[at.phase].spec;
    bool input = sim_input_reads(s, spec, at.task);
    if (spec->edge_count == 0 && !input)
        return;
    struct sim_reader *r =
        mem_zalloc(1, sizeof *r + spec->edge_count * sizeof(struct sim_upstream));
    r->attempt = i;
    r->compute_us = -1;
    r->input_flow = FLOW_NONE;
    if (input) {
        r->input = true;
        r->missing = 1;
        r->need_bytes = phase_input_bytes(spec, at.task);
    }
    r->upstream_count = spec->edge_count;
    for (uint16_t e = 0; e < spec->edge_count; e++) {
        const struct edge_spec *edge = &spec->edges[e];
        const struct sim_phase *above = &job->phases[edge->from];
        struct job_span span = job_edge_span(edge, above->spec->tasks, spec->tasks, at.task);
        uint32_t shares = edge->pattern == EDGE_ALL_TO_ALL ? spec->tasks : 1;
        r->upstreams[e] =
            (struct sim_upstream){.edge = edge, .from = span.from, .to = span.to, .shares = shares};
        if (span.from < span.to)
            r->missing++;
        int64_t bytes = sim_content_bytes(above, span.to - span.from, shares, at.task);
        r->need_bytes =
            bytes < INT64_MAX / 2 - r->need_bytes ? r->need_bytes + bytes : INT64_MAX / 2;
    }
    reads->readers.at[i] = r;
}

void sim_reader_stop(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    if (f->read != READ_NONE)
        network_read_stop(s->reads->network, s->now_us, f->read);
    f->read = READ_NONE;
}

void sim_reader_drop_fetch(struct sim *s, uint32_t i)
{
    struct sim_reads *reads = s->reads;
    struct fetch *f = fetch_at(s, i);
    struct sim_reader *r = fetch_reader(s, f);
    struct sim_job *job = sim_job_find(s, f->source.job);
    sim_reader_stop(s, i);
    r->flowing -= f->state == FETCH_FLOWING;
    mem_free(f->batch);
    list_remove(reads->fetches.at, r->first, i, prev, next, FETCH_NONE);
    list_remove(reads->fetches.at, job->fetches, i, job_prev, job_next, FETCH_NONE);
    vec_push(&reads->fetches_free, i);
}

void sim_reader_drop(struct sim *s, uint32_t i)
{
    struct sim_reader *r = sim_reader_of(s, i);
    if (!r)
        return;
    while (r->first != FETCH_NONE)
        sim_reader_drop_fetch(s, r->first);
    sim_input_stop(s, r);
    s->starved -= r->starved;
    for (uint16_t e = 0; e < r->upstream_count; e++)
        mem_free(r->upstreams[e].have);
    mem_free(r);
    s->reads->readers.at[i] = NULL;
}

/* Bytes that have arrived by a fetch. */
static double fetch_arrived(const struct sim *s, const struct fetch *f)
{
    double bytes = (double)f->bytes;
    if (f->read != READ_NONE)
        bytes += network_read_arrived(s->reads->network, s->now_us, f->read);
    return bytes;
}

int64_t sim_reader_bytes(const struct sim *s, uint32_t i)
{
    const struct sim_reader *r = sim_reader_of(s, i);
    if (!r)
        return 0;
    double bytes = (double)r->had_bytes;
    for (uint32_t f = r->first; f != FETCH_NONE; f = s->reads->fetches.at[f].next)
        bytes += fetch_arrived(s, fetch_at(s, f));
    if (r->input_flow != FLOW_NONE)
        bytes = (double)r->need_bytes - network_left(s->reads->network, s->now_us, r->input_flow);
    return bytes < (double)r->need_bytes ? (int64_t)bytes : r->need_bytes;
}
