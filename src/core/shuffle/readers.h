/* readers.h - the reads of attempts, task by task or as whole phases, and their progress. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/estimate/phase_set.h"

/* One output to be read. */
enum read_state { READ_WAITS, READ_RUNS, READ_DONE };

struct read {
    uint16_t source; /* ordinal of the upstream attempt */
    uint8_t state;
    bool exclusive; /* no sibling has read it at the same time, task by task */
};

/* The reads of an attempt task by task: those of its edges one after the other. */
struct shuffle_reader {
    struct read *reads;          /* NULL: not a reader */
    uint64_t split;              /* bit e: edge e is read task by task */
    bool put_off;                /* its reads are announced at the end of the decide */
    struct phase_set whole;      /* phases that are being read as a whole */
    uint32_t count, left, waits; /* reads in all, not done, without a source */
    int64_t launched_us, fed_us; /* fed: its last read was done */
};

/* Start with zeros. */
struct readers {
    VEC(struct shuffle_reader) at; /* by attempt */
    uint64_t waits; /* sum of `waits`: mostly 0, and then there is nothing to assign */
};

void readers_fini(struct readers *r);

/* Makes an entry for every attempt of the world, so that entries keep their address while they are
 * used. */
void readers_grow(struct readers *r, const struct world *w);

/* The entry of an attempt. */
static inline struct shuffle_reader *readers_of(struct readers *r, const struct world *w,
                                                const struct attempt *a)
{
    if (r->at.count < w->attempts.count)
        readers_grow(r, w);
    return &r->at.at[a - w->attempts.at];
}

/* Resets the entry of an attempt that was just launched, and returns it. */
struct shuffle_reader *readers_begin(struct readers *r, const struct world *w,
                                     const struct attempt *a);

/* Sets up own->count reads task by task, none of which has a source yet. */
void readers_split(struct readers *r, struct shuffle_reader *own);

/* Returns true if the edge is read task by task. */
bool readers_edge_is_split(const struct shuffle_reader *own, uint16_t edge);
/* The tasks upstream of the edge that task `task` reads. */
struct job_span readers_span(const struct phase *p, uint16_t edge, uint32_t task);

/* The attempt's reads of an edge, one for each task of its span; NULL if it does not read the edge
 * task by task. */
struct read *readers_of_edge(const struct shuffle_reader *own, const struct attempt *a,
                             uint16_t edge);

/* Does the part of readers_find that a reader of all outputs of one phase does not need. */
struct read *readers_find_by_edges(const struct shuffle_reader *own, const struct attempt *a,
                                   uint16_t upstream, uint32_t task);

/* The attempt's read of an upstream task; NULL if it does not read that task by task. */
static inline struct read *readers_find(struct readers *r, const struct world *w,
                                        const struct attempt *a, uint16_t upstream, uint32_t task)
{
    const struct phase *p = attempt_phase(a);
    if (p->edge_count == 0)
        return NULL;
    const struct shuffle_reader *own = readers_of(r, w, a);
    if (!own->reads)
        return NULL;
    const struct edge_spec *first = p->edges;
    if (own->split & 1 && first->from == upstream && first->pattern == EDGE_ALL_TO_ALL)
        return task < p->job->phases[upstream].count ? &own->reads[task] : NULL;
    return readers_find_by_edges(own, a, upstream, task);
}

/* Changes the state of one read of the attempt and updates the counts. */
void readers_set(struct readers *r, const struct world *w, const struct attempt *a,
                 struct read *one, uint8_t state);

/* Clears the entry of an attempt that has ended. */
void readers_forget(struct readers *r, const struct world *w, const struct attempt *a);
