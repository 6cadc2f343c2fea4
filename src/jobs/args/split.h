/* split.h - cuts a stream into blocks of whole records, for --pipe and --pipepart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs/args/regex.h"

/* Describes a block. A record ends after `end` and before `start` (either may be empty; if both
 * are, each byte is a record), or where `regex` matches: after its first group. If `lines` is not
 * 0, a record is that many lines. */
struct split {
    size_t block;     /* bytes at most, more only if the first record alone is longer; */
    bool at_least;    /* or more than that, up to the next end of a record; */
    uint64_t records; /* or, if this is not 0, that many records */
    uint64_t lines;
    const char *start, *end;
    size_t start_length, end_length;
    const struct regex *regex; /* borrowed; NULL: none */
};

/* Returns the length of the first block of these bytes; 0 if more bytes are needed, which never
 * happens if `last` (there are no more) and length > 0. */
size_t split_first(const struct split *s, const char *at, size_t length, bool last);

/* Calls `take` for each run of bytes between separators. */
void split_strip(const struct split *s, const char *at, size_t length,
                 void (*take)(void *ctx, const char *at, size_t length), void *ctx);
