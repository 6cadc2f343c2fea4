/* http_query.h - the part of an address behind `?`: which of a list, and how much of it.
 *
 * A key or value that is not understood is refused: a misspelt filter must not look like an
 * answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "commands/watch/http_request.h"

enum { HTTP_QUERY_LIMIT = 1000, HTTP_QUERY_LIMIT_MAX = 10000, HTTP_QUERY_TAIL = 20 };

struct http_query {
    unsigned given;  /* a bit for each key that was taken */
    char state[8];   /* of jobs: open, done, failed; of tasks: waiting, running, done, failed */
    int64_t after;   /* only larger numbers; -1: all */
    uint32_t limit;  /* length of a list at most */
    uint32_t tail;   /* number of lines */
    int64_t from_us; /* of the run */
    int64_t to_us;   /* INT64_MAX: its end */
    uint32_t steps;  /* 0: as many as are known */
    char only[8];    /* "sums": a stream without single events; "": with them */
};

/* Begins a query in which nothing is asked for. */
void http_query_init(struct http_query *q);

/* Takes one key with its value (NULL: it has none). Returns false if the route does not know the
 * key, if it was given before, or if the value is not valid. */
bool http_query_take(struct http_query *q, enum http_route route, const char *key,
                     const char *value);
