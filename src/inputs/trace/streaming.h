/* streaming.h - jobs of a trace in which each line is a job in its turn, made as they are asked
 * for.
 */
#ifndef INPUTS_TRACE_STREAMING_H
#define INPUTS_TRACE_STREAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "inputs/trace/bundle.h"
#include "inputs/trace/feed.h"

struct streaming_job {
    char *packed;
    uint32_t length, key; /* bytes, and how many of them are its name, which comes first */
};

/* A trace that is read as its jobs are asked for. */
struct streaming {
    struct feed *feed;
    struct assemble *assemble;
    struct trouble *trouble;
    struct bundle bundle; /* rows of the line at hand */
    struct lookup seen;   /* hashes of the keys of jobs of one arrival ... */
    VEC(uint64_t) hashes; /* ... which are these ... */
    int64_t seen_us;      /* ... and this is when */
    struct row_bytes bytes;
    VEC(struct streaming_job) held; /* of one arrival, in order of their names once it is over */
    uint32_t next;                  /* of them */
    struct streaming_job ahead;     /* the first one that arrives later; packed NULL: none */
    int64_t held_us, ahead_us;
    int64_t line_us; /* arrival of the job of the line at hand */
    bool is_over;
    size_t memory, held_bytes; /* what `held` may take, and takes */
    bool is_crowded;
};

/* All are borrowed until streaming_fini. */
void streaming_init(struct streaming *s, const struct import_options *options,
                    struct trouble *trouble, struct draft_context context);
void streaming_fini(struct streaming *s);

/* The next job, in order of (arrival, key): 1, its bytes owned by the caller; 0 at the end; -1 with
 * *err, with is_crowded set where sorting the trace would help. */
int streaming_next(struct streaming *s, struct streaming_job *out, struct err *err);

#endif
