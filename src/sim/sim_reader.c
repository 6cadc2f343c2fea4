/* sim_reader.c - attempts that read what the phases above have left.
 *
 * The life of such an attempt is start-up, waiting and reading, then work. Its fetches come and go;
 * what counts is which upstream tasks it has, each of them once. As soon as its start-up is over
 * and nothing is missing it works, and from then on it is an attempt like any other.
 *
 * Which tasks it has is one number while it has none or all, which is what nearly every reader goes
 * through; only one that gets them in several parts keeps a bit for each.
 *
 * A reader that is ready and has nothing on its way is starved: it depends on a decision, or on
 * another attempt. The run has stalled if all live attempts are. */
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"
#include "sim/sim_report.h"

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
        int64_t bytes = sim_read_bytes(above, span.to - span.from, shares, at.task);
        r->need_bytes =
            bytes < INT64_MAX / 2 - r->need_bytes ? r->need_bytes + bytes : INT64_MAX / 2;
    }
    reads->readers.at[i] = r;
}

void sim_reader_drop(struct sim *s, uint32_t i)
{
    struct sim_reader *r = sim_reader_of(s, i);
    if (!r)
        return;
    while (r->first != FETCH_NONE)
        sim_fetch_drop(s, r->first);
    sim_input_stop(s, r);
    s->starved -= r->starved;
    for (uint16_t e = 0; e < r->upstream_count; e++)
        mem_free(r->upstreams[e].have);
    mem_free(r);
    s->reads->readers.at[i] = NULL;
}

void sim_reader_ready(struct sim *s, uint32_t i)
{
    if (!sim_attempt_runs(&s->attempts.at[i]))
        return;
    struct sim_reader *r = sim_reader_of(s, i);
    r->ready = true;
    /* The newest is first in the list: begin with the one that was asked for first. */
    uint32_t f = r->first;
    while (f != FETCH_NONE && s->reads->fetches.at[f].next != FETCH_NONE)
        f = s->reads->fetches.at[f].next;
    for (uint32_t before; f != FETCH_NONE; f = before) {
        before = s->reads->fetches.at[f].prev;
        sim_fetch_begin(s, f);
    }
    if (r->input)
        sim_input_begin(s, r);
    sim_reader_update(s, r);
}

void sim_reader_update(struct sim *s, struct sim_reader *r)
{
    bool waits = r->ready && r->compute_us < 0;
    if (waits && r->missing == 0) {
        r->compute_us = s->now_us;
        waits = false;
        sim_attempt_compute(s, r->attempt);
    }
    bool starved = waits && r->flowing == 0;
    s->starved += starved;
    s->starved -= r->starved;
    r->starved = starved;
    if (r->silent && !starved) {
        r->silent = false;
        sim_report_resume(s, r->attempt);
    }
}

static void has(struct sim_reader *r, struct sim_upstream *in, uint32_t got)
{
    uint32_t need = in->to - in->from;
    if (in->got < need && got == need)
        r->missing--;
    in->got = got;
}

void sim_reader_got(struct sim *s, struct sim_reader *r, struct sim_upstream *in,
                    const uint64_t *batch)
{
    if (!batch) {
        has(r, in, in->to - in->from);
    } else {
        uint32_t words = bit_words(in->to - in->from), got = 0;
        if (!in->have)
            in->have = mem_zalloc(words, sizeof *in->have);
        for (uint32_t w = 0; w < words; w++) {
            in->have[w] |= batch[w];
            got += (uint32_t)__builtin_popcountll(in->have[w]);
        }
        has(r, in, got);
    }
    sim_reader_update(s, r);
}

void sim_reader_got_one(struct sim *s, struct sim_reader *r, struct sim_upstream *in, uint32_t task)
{
    if (sim_upstream_has(in, task))
        return;
    if (!in->have)
        in->have = mem_zalloc(bit_words(in->to - in->from), sizeof *in->have);
    bit_set(in->have, task - in->from);
    has(r, in, in->got + 1);
    sim_reader_update(s, r);
}

int64_t sim_reader_bytes(const struct sim *s, uint32_t i)
{
    const struct sim_reader *r = sim_reader_of(s, i);
    if (!r)
        return 0;
    double bytes = (double)r->had_bytes;
    for (uint32_t f = r->first; f != FETCH_NONE; f = s->reads->fetches.at[f].next)
        bytes += sim_fetch_arrived(s, f);
    if (r->input_flow != FLOW_NONE)
        bytes = (double)r->need_bytes - network_left(s->reads->network, s->now_us, r->input_flow);
    return bytes < (double)r->need_bytes ? (int64_t)bytes : r->need_bytes;
}
