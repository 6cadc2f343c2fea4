/* split.h - cutting a stream into blocks of whole records, for --pipe and --pipepart. */
#ifndef JOBS_ARGS_SPLIT_H
#define JOBS_ARGS_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs/args/regex.h"

/* What a block is. A record ends behind `end` and before `start` (either may be empty; if both are,
 * each byte is a record), or where `regex` matches: behind its first group. Where `lines` is not 0,
 * a record is that many lines. */
struct split {
    size_t block;     /* bytes at most, more only if the first record alone is longer; */
    bool at_least;    /* or more than that, up to the next end of a record; */
    uint64_t records; /* or, where this is not 0, that many records */
    uint64_t lines;
    const char *start, *end;
    size_t start_length, end_length;
    const struct regex *regex; /* borrowed; NULL: none */
};

/* How long the first block of these bytes is. 0 when more bytes are needed to tell, never if `last`
 * says that there are no more and length > 0. */
size_t split_first(const struct split *s, const char *at, size_t length, bool last);

/* Calls `take` with the bytes of a block that are no separators, piece by piece. */
void split_strip(const struct split *s, const char *at, size_t length,
                 void (*take)(void *ctx, const char *at, size_t length), void *ctx);

#endif
