/* streaming.h - jobs of a trace whose lines are jobs in order of arrival, made on request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "inputs/trace/bundle.h"
#include "inputs/trace/feed.h"

struct streaming_job {
    char *packed;
    uint32_t length, key; /* number of bytes; the first `key` of them are its name */
};

/* A trace that is read on request. */
struct streaming {
    struct feed *feed;
    struct assemble *assemble;
    struct trouble *trouble;
    struct bundle bundle; /* rows of the current line */
    struct lookup seen;   /* hashes of the keys of jobs of one arrival ... */
    VEC(uint64_t) hashes; /* ... which are these ... */
    int64_t seen_us;      /* ... and this is the arrival */
    struct row_bytes bytes;
    VEC(struct streaming_job) held; /* of one arrival, in order of their names once it is over */
    uint32_t next;                  /* of them */
    struct streaming_job ahead;     /* the first one that arrives later; packed NULL: none */
    int64_t held_us, ahead_us;
    int64_t line_us; /* arrival of the job of the current line */
    bool is_over;
    size_t memory, held_bytes; /* maximum and current bytes of `held` */
    bool is_crowded;
};

/* Initialises the stream; borrows all arguments until streaming_fini. */
void streaming_init(struct streaming *s, const struct import_options *options,
                    struct trouble *trouble, struct draft_context context);
void streaming_fini(struct streaming *s);

/* Gets the next job, in order of (arrival, key): returns 1, its bytes owned by the caller; 0 at the
 * end; -1 with *err, and is_crowded set if sorting the trace would help. */
int streaming_next(struct streaming *s, struct streaming_job *out, struct err *err);
