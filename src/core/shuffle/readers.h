/* readers.h - what attempts read, task by task or as whole phases, and how far they are. */
#ifndef CORE_SHUFFLE_READERS_H
#define CORE_SHUFFLE_READERS_H

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
    bool exclusive; /* no sibling has read it along, task by task */
};

/* What an attempt reads task by task: the reads of its edges one after the other. */
struct shuffle_reader {
    struct read *reads;          /* NULL: not a reader */
    uint64_t split;              /* bit e: edge e is read task by task */
    bool put_off;                /* what it reads will be said at the end of the decide */
    struct phase_set whole;      /* phases that are being read as a whole */
    uint32_t count, left, waits; /* reads in all, not done, without a source */
    int64_t launched_us, fed_us; /* fed: its last read was done */
};

/* Start with zeros. */
struct readers {
    VEC(struct shuffle_reader) at; /* by attempt */
    uint64_t waits; /* of all of them: mostly 0, and then nothing is to be assigned */
};

void readers_fini(struct readers *r);

/* As many as there are attempts, so that entries stay where they are while they are looked at. */
void readers_grow(struct readers *r, const struct world *w);

static inline struct shuffle_reader *readers_of(struct readers *r, const struct world *w,
                                                const struct attempt *a)
{
    if (r->at.count < w->attempts.count)
        readers_grow(r, w);
    return &r->at.at[a - w->attempts.at];
}

/* The attempt's entry begins anew: it was launched. */
struct shuffle_reader *readers_begin(struct readers *r, const struct world *w,
                                     const struct attempt *a);

/* It reads `count` outputs task by task, and none has a source. */
void readers_split(struct readers *r, struct shuffle_reader *own);

/* Whether the edge is read task by task; the tasks above it that task `task` reads. */
bool readers_edge_is_split(const struct shuffle_reader *own, uint16_t edge);
struct job_span readers_span(const struct phase *p, uint16_t edge, uint32_t task);

/* The attempt's entry for an upstream task; NULL when it does not read it task by task. */
struct read *readers_find(struct readers *r, const struct world *w, const struct attempt *a,
                          uint16_t upstream, uint32_t task);

/* Changes the state of one read of the attempt and keeps the counts. */
void readers_set(struct readers *r, const struct world *w, const struct attempt *a,
                 struct read *one, uint8_t state);

/* The attempt has ended. */
void readers_forget(struct readers *r, const struct world *w, const struct attempt *a);

#endif
