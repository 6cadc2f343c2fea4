/* import.h - traces of clusters as streams of jobs.
 *
 * A format turns bytes into rows (row.h); everything else is the same for all: the origin of the
 * bytes (unpacker.h), their errors (trouble.h), how rows become jobs (assemble.h), and how jobs are
 * sorted by arrival within bounded memory (spool.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/trace/assume.h"
#include "inputs/trace/machines.h"
#include "inputs/trace/row.h"
#include "inputs/trace/survey.h"
#include "inputs/trace/trouble.h"
#include "inputs/workload/workload.h"

struct feed_reader;

/* A format: one file in src/inputs/formats, which delivers rows to inputs/trace/feed.h. */
struct import_format {
    const char *name, *help;
    /* Each line is a whole job, and lines are in order of arrival: no sorting is needed. */
    bool is_whole;
    /* The confidence, 0 (no) to 100, that a member that begins with these bytes has this format.
     * is_all: these are all its bytes. */
    int (*detect)(const char *at, size_t length, bool is_all);
    size_t state; /* bytes of its state during a member, zeroed at its beginning */
    /* Logs may be split over members. Returns 1 if the member `name` continues `before`, with its
     * state (NULL: there is none before); 0 if it begins anew; -1 with *err if a member between
     * them is missing. NULL: all begin anew. */
    int (*follows)(const char *before, const char *name, struct err *err);
    /* One of the two: reads a line, or the next bytes. The arguments are borrowed until they
     * return. */
    void (*line)(struct feed_reader *r, void *state, struct row_text line);
    void (*bytes)(struct feed_reader *r, void *state, const char *at, size_t length);
    /* Ends the member; also called after an error. NULL: nothing to do. */
    void (*end)(struct feed_reader *r, void *state);
};

struct import_options {
    const struct import_format *const *formats; /* ends with NULL */
    const struct import_format *format; /* of all members; NULL: detected, for each member */
    const char *const *paths;           /* of one trace; "-": the standard input; copied */
    uint32_t path_count;
    struct assume assume;
    size_t memory; /* for the spool */
    bool is_strict;
    bool is_sorted; /* sort even if a format is in order */
};

enum { IMPORT_MEMORY_MIN = 1 << 20 };

/* A trace that was read. */
struct import {
    struct import_options options; /* its assumptions count their uses */
    struct trouble trouble;        /* its errors */
    struct survey *survey;         /* its statistics */
    struct machines machines;      /* those that it names with their capacities */
    char *formats;                 /* names of the formats of its members, "a, b" */
    struct spool *jobs;            /* sorted; NULL: the trace is read again */
    double *ratios;                /* of struct job_fill; NULL: none are wanted */
    char **paths;                  /* the options' own */
};

/* Reads the whole trace once. Returns NULL with *err. */
struct import *import_open(const struct import_options *options, struct err *err);
void import_close(struct import *m); /* NULL is fine; after all its streams */

/* A selection and scaling of the jobs. Times count from the first arrival. */
struct import_view {
    double time;            /* factor on the times of tasks */
    double load;            /* factor on the rate of arrivals */
    int64_t from_us, to_us; /* only those that arrive from .. to, in the trace's own time; their
                             * times count from `from` */
    uint8_t vary;           /* enum recorded_vary */
    /* whose nodes hold the inputs; NULL: none do; borrowed until the stream is destroyed */
    const struct cluster *cluster;
};
#define IMPORT_VIEW_ALL ((struct import_view){.time = 1, .load = 1, .to_us = INT64_MAX})

/* Sums up how much of the view's jobs was cut short. Returns -1 with *err. */
int import_cut(struct import *m, const struct import_view *view, struct workload_cut *cut,
               struct err *err);

/* Opens the jobs, in order of (arrival, name), from the first on; any number of streams, one after
 * the other. Returns NULL with *err. Destroy with w->destroy(w) before import_close. */
struct workload *import_jobs(struct import *m, const struct import_view *view, struct err *err);
