#include "core/shuffle/readers.h"

#include "base/check.h"
#include "base/mem.h"

void readers_fini(struct readers *r)
{
    for (uint32_t i = 0; i < r->at.count; i++) {
        mem_free(r->at.at[i].reads);
        phase_set_fini(&r->at.at[i].whole);
    }
    vec_free(&r->at);
}

void readers_grow(struct readers *r, const struct world *w)
{
    while (r->at.count < w->attempts.count)
        vec_push(&r->at, ((struct shuffle_reader){0}));
}

struct shuffle_reader *readers_begin(struct readers *r, const struct world *w,
                                     const struct attempt *a)
{
    struct shuffle_reader *own = readers_of(r, w, a);
    check(own->reads == NULL && !own->put_off);
    phase_set_fini(
        &own->whole); /* of the last reader here: ends are only reported where it matters */
    *own = (struct shuffle_reader){.launched_us = w->now_us};
    return own;
}

void readers_split(struct readers *r, struct shuffle_reader *own)
{
    own->left = own->waits = own->count;
    r->waits += own->count;
    own->reads = mem_zalloc(own->count, sizeof *own->reads);
}

bool readers_edge_is_split(const struct shuffle_reader *own, uint16_t edge)
{
    return edge < 64 && (own->split >> edge & 1);
}

struct job_span readers_span(const struct phase *p, uint16_t edge, uint32_t task)
{
    return job_edge_span(&p->edges[edge], p->job->phases[p->edges[edge].from].count, p->count,
                         task);
}

struct read *readers_of_edge(const struct shuffle_reader *own, const struct attempt *a,
                             uint16_t edge)
{
    struct read *reads = own->reads;
    if (!reads || !readers_edge_is_split(own, edge))
        return NULL;
    for (uint16_t e = 0; e < edge; e++) {
        if (!readers_edge_is_split(own, e))
            continue;
        struct job_span span = readers_span(attempt_phase(a), e, a->task);
        reads += span.to - span.from;
    }
    return reads;
}

struct read *readers_find_by_edges(const struct shuffle_reader *own, const struct attempt *a,
                                   uint16_t upstream, uint32_t task)
{
    const struct phase *p = attempt_phase(a);
    uint32_t at = 0;
    for (uint16_t e = 0; e < p->edge_count; e++) {
        if (!readers_edge_is_split(own, e))
            continue;
        struct job_span span = readers_span(p, e, a->task);
        if (p->edges[e].from == upstream)
            return task >= span.from && task < span.to ? &own->reads[at + task - span.from] : NULL;
        at += span.to - span.from;
    }
    return NULL;
}

void readers_set(struct readers *r, const struct world *w, const struct attempt *a,
                 struct read *one, uint8_t state)
{
    struct shuffle_reader *own = readers_of(r, w, a);
    uint32_t waited = one->state == READ_WAITS, waits = state == READ_WAITS;
    own->waits += waits - waited;
    r->waits += (uint64_t)waits - waited;
    own->left -= state == READ_DONE && one->state != READ_DONE;
    one->state = state;
}

void readers_forget(struct readers *r, const struct world *w, const struct attempt *a)
{
    struct shuffle_reader *own = readers_of(r, w, a);
    r->waits -= own->waits;
    mem_free(own->reads);
    phase_set_fini(&own->whole);
    *own = (struct shuffle_reader){0};
}
