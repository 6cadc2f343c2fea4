/* sim_read.c - assign_read: which attempt may read what.
 *
 * What a reader needs of a phase above follows from the pattern of the edge between them and is
 * always a range of tasks. Without a network a read that can succeed does so at once, and nothing
 * is remembered of it; the time that reading takes is then part of a task's size. With a network it
 * becomes a fetch (sim_fetch.c). */
#include "sim/sim_read.h"
#include "sim/sim_attempt.h"

void sim_read_init(struct sim *s)
{
    if (!s->cluster->wires.is_simulated)
        return;
    struct sim_reads *reads = mem_zalloc(1, sizeof *reads);
    reads->network = network_create(s->cluster);
    reads->on_node = mem_zalloc(s->cluster->node_count, sizeof *reads->on_node);
    vec_push(&reads->fetches, (struct fetch){0}); /* FETCH_NONE */
    s->reads = reads;
}

void sim_read_fini(struct sim *s)
{
    struct sim_reads *reads = s->reads;
    if (!reads)
        return;
    for (uint32_t i = 0; i < reads->readers.count; i++)
        sim_reader_drop(s, i);
    network_destroy(reads->network);
    vec_free(&reads->readers);
    vec_free(&reads->fetches);
    vec_free(&reads->fetches_free);
    vec_free(&reads->flows);
    vec_free(&reads->read_of);
    vec_free(&reads->parts);
    vec_free(&reads->copies);
    vec_free(&reads->list.places);
    vec_free(&reads->list.racks);
    mem_free(reads->on_node);
    mem_free(reads);
    s->reads = NULL; /* jobs are freed later */
}

static const struct edge_spec *edge_between(const struct sim_phase *reader, uint16_t upstream)
{
    for (uint16_t e = 0; e < reader->spec->edge_count; e++)
        if (reader->spec->edges[e].from == upstream)
            return &reader->spec->edges[e];
    return NULL;
}

/* ---- what is there ---- */

/* True if the committed outputs of the span are there. With slow start, tasks that have not been
 * committed yet are no obstacle, only lost ones. */
static bool span_there(const struct sim_phase *phase, struct job_span span, bool slowstart)
{
    if (phase->committed == phase->spec->tasks || (slowstart && phase->lost == 0))
        return true;
    for (uint32_t t = span.from; t < span.to; t++)
        if (phase->tasks[t].mark == TASK_LOST || (phase->tasks[t].mark == TASK_OPEN && !slowstart))
            return false;
    return true;
}

/* The same, but outputs that the reader has already need not be there. */
static bool rest_there(const struct sim_phase *phase, const struct sim_upstream *in)
{
    if (in->got == 0)
        return span_there(phase, (struct job_span){in->from, in->to}, in->edge->slowstart > 0);
    for (uint32_t t = in->from; t < in->to; t++)
        if (!sim_upstream_has(in, t) &&
            !span_there(phase, (struct job_span){t, t + 1}, in->edge->slowstart > 0))
            return false;
    return true;
}

static bool output_there(const struct sim *s, struct attempt_ref source)
{
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, source, &cause);
    return i != NO_ATTEMPT && !sim_attempt_lives(&s->attempts.at[i]);
}

static void read_failed(struct sim *s, const struct decision *d, uint32_t node)
{
    sim_emit(s, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, d->at, node)->u.fetch.source = d->u.read.source;
}

/* ---- without a network: a reader starts when all that it reads is there ---- */

static void lose_at_once(struct sim *s, uint32_t i)
{
    sim_output_lost(s, i, CAUSE_OUTPUT_GONE);
}

static void read_at_once(struct sim *s, const struct decision *d, const struct edge_spec *edge,
                         uint32_t node)
{
    struct attempt_ref source = d->u.read.source;
    const struct sim_phase *phase = sim_phase_of(s, source);
    uint32_t readers = sim_phase_of(s, d->at)->spec->tasks;
    struct job_span span = job_edge_span(edge, phase->spec->tasks, readers, d->at.task);
    bool all = source.task == TASK_ALL;
    if (phase->spoilt > 0 && (all || source.task < phase->spec->tasks))
        sim_spoil_meet(
            s, source, span, NULL,
            (struct sim_look){NODE_NONE.v, sim_look_partition(edge, d->at.task), lose_at_once});
    if (!(all ? span_there(phase, span, false) : output_there(s, source))) {
        read_failed(s, d, node);
        return;
    }
    sim_emit(s, EV_FETCH_STARTED, CAUSE_NONE, d->at, node)->u.fetch.source = source;
    struct event *done = sim_emit(s, EV_FETCH_DONE, CAUSE_NONE, d->at, node);
    done->u.fetch.source = source;
    done->u.fetch.bytes =
        sim_content_bytes(phase, all ? span.to - span.from : 1,
                          edge->pattern == EDGE_ALL_TO_ALL ? readers : 1, d->at.task);
}

/* ---- with a network ---- */

/* Why a reader cannot read this source: it has it or gets it already, or does not need it.
 * CAUSE_NONE: it can. */
static uint8_t read_conflict(const struct sim *s, const struct sim_reader *r, uint16_t upstream,
                             struct attempt_ref source)
{
    const struct sim_upstream *in = &r->upstreams[upstream];
    bool all = source.task == TASK_ALL;
    if (!all && (source.task < in->from || source.task >= in->to))
        return CAUSE_UNKNOWN_ATTEMPT;
    if (all ? in->got == in->to - in->from && in->got > 0 : sim_upstream_has(in, source.task))
        return CAUSE_ALREADY_ENDED;
    uint32_t singles = 0;
    for (uint32_t f = r->first; f != FETCH_NONE; f = fetch_at(s, f)->next) {
        const struct fetch *other = fetch_at(s, f);
        if (other->upstream != upstream)
            continue;
        if (fetch_is_all(other) || (!all && other->source.task == source.task))
            return CAUSE_ALREADY_STARTED;
        singles++;
    }
    bool nothing_left = all && singles > 0 && in->got + singles == in->to - in->from;
    return nothing_left ? CAUSE_ALREADY_STARTED : CAUSE_NONE;
}

static void read_by_network(struct sim *s, const struct decision *d, uint32_t i, uint16_t upstream)
{
    struct attempt_ref source = d->u.read.source;
    const struct sim_reader *r = sim_reader_of(s, i);
    uint8_t cause =
        sim_job_find(s, source.job)->over ? CAUSE_JOB_OVER : read_conflict(s, r, upstream, source);
    if (cause != CAUSE_NONE)
        sim_answer_refuse(s, d, cause);
    else if (source.task == TASK_ALL ? rest_there(sim_phase_of(s, source), &r->upstreams[upstream])
                                     : output_there(s, source))
        sim_fetch_add(s, i, upstream, source);
    else
        read_failed(s, d, s->attempts.at[i].node);
}

/* ---- the decision ---- */

void sim_read_assign(struct sim *s, const struct decision *d)
{
    struct attempt_ref source = d->u.read.source;
    uint8_t cause;
    uint32_t i = sim_attempt_find(s, d->at, &cause);
    if (i == NO_ATTEMPT || !sim_attempt_reads(&s->attempts.at[i])) {
        sim_answer_refuse(s, d, cause);
        return;
    }
    const struct sim_phase *reader = sim_phase_of(s, d->at);
    const struct edge_spec *edge =
        source.job.v == d->at.job.v ? edge_between(reader, source.phase) : NULL;
    if (!edge)
        sim_answer_refuse(s, d, CAUSE_UNKNOWN_ATTEMPT);
    else if (s->reads)
        read_by_network(s, d, i, (uint16_t)(edge - reader->spec->edges));
    else
        read_at_once(s, d, edge, s->attempts.at[i].node);
}
