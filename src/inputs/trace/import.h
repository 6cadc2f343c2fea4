/* import.h - traces as people have them, as streams of jobs.
 *
 * A format turns bytes into rows (row.h); everything else is the same for all: where the bytes come
 * from (source.h), what is wrong with them (trouble.h), how rows become jobs (assemble.h), and how
 * jobs are put in order of arrival within bounded memory (spool.h). */
#ifndef INPUTS_TRACE_IMPORT_H
#define INPUTS_TRACE_IMPORT_H

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

/* A format: one file in src/inputs/formats, which gives rows to inputs/trace/feed.h. */
struct import_format {
    const char *name, *help;
    /* Each line is a whole job, and lines are in order of arrival: nothing has to be sorted. */
    bool is_whole;
    /* How sure it is, 0 (no) to 100, that a part that begins with these bytes has this format.
     * is_all: there are no more. */
    int (*detect)(const char *at, size_t length, bool is_all);
    size_t state; /* bytes that it remembers during a part, zeroed at its beginning */
    /* Logs may be split over parts. 1: the part `name` goes on where `before` ended, with its state
     * (NULL: there is none before); 0: it begins anew; -1 with *err: one between them is missing.
     * NULL: all begin anew. */
    int (*follows)(const char *before, const char *name, struct err *err);
    /* One of the two: a line, or the next bytes. What they get is borrowed until they return. */
    void (*line)(struct feed_reader *r, void *state, struct row_text line);
    void (*bytes)(struct feed_reader *r, void *state, const char *at, size_t length);
    /* The part is over; also after an error. NULL: no matter. */
    void (*end)(struct feed_reader *r, void *state);
};

struct import_options {
    const struct import_format *const *formats; /* ends with NULL */
    const struct import_format *format;         /* of all parts; NULL: detected, for each part */
    const char *const *paths;                   /* of one trace; "-": the standard input. Copied */
    uint32_t path_count;
    struct assume assume;
    size_t memory; /* for the spool */
    bool is_strict;
    bool is_sorted; /* sort even where a format is in order */
};

enum { IMPORT_MEMORY_MIN = 1 << 20 };

struct import;

/* Reads the whole trace once. NULL with *err. */
struct import *import_open(const struct import_options *options, struct err *err);
void import_close(struct import *m); /* NULL is fine; after all its streams */

/* What was read. Borrowed. */
const struct survey *import_survey(const struct import *m);
const struct trouble *import_trouble(const struct import *m);
struct assume *import_assume(struct import *m);
/* Machines that it names with what they hold; none where it does not say. */
const struct machines *import_machines(const struct import *m);
/* Names of the formats that its parts have, "a, b". */
const char *import_formats(const struct import *m);
/* Whether it went through the spool. */
bool import_is_spooled(const struct import *m);

/* How its jobs are handed out. Times count from the first arrival. */
struct import_view {
    double time;            /* factor on what tasks take */
    double load;            /* jobs come this many times as often */
    int64_t from_us, to_us; /* only those that arrive from .. to, in the trace's own time; their
                             * times count from `from` */
    uint8_t vary;           /* enum recorded_vary */
    const struct cluster *cluster; /* whose nodes hold the inputs; NULL: none do. Borrowed until the
                                    * stream is destroyed */
};
#define IMPORT_VIEW_ALL ((struct import_view){.time = 1, .load = 1, .to_us = INT64_MAX})

/* How much of the jobs that the view hands out was cut short. -1 with *err. */
int import_cut(struct import *m, const struct import_view *view, struct workload_cut *cut,
               struct err *err);

/* The jobs, in order of (arrival, name), from the first on; as many streams as one likes, one after
 * the other. NULL with *err. Destroy with w->destroy(w) before import_close. */
struct workload *import_jobs(struct import *m, const struct import_view *view, struct err *err);

#endif
