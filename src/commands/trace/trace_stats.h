/* trace_stats.h - statistics of a trace, as rows of one form for users and programs. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/vec.h"
#include "inputs/trace/import.h"

struct trace_stat {
    const char *id, *what; /* one word for programs; a description for users */
    double value;          /* NaN: not known */
    bool is_whole;
};

struct trace_stats {
    VEC(struct trace_stat) rows;
    uint64_t digest; /* of all jobs */
};

/* Reads all jobs once more, for statistics that depend on their order. Returns 0, or -1 with *err.
 * Free with vec_free(&t->rows). */
int trace_stats_measure(struct import *m, struct trace_stats *t, struct err *err);

/* Prints the assumptions, the errors of the trace, and the statistics on stdout. */
void trace_stats_print(struct import *m, const struct trace_stats *t);

/* Prints the same as JSON. */
void trace_stats_json(struct import *m, const struct trace_stats *t);

/* Returns the assumptions as an array of objects, owned by the caller. */
json_t *trace_stats_assumptions(struct import *m);

/* Returns the errors of the trace as an array of objects, owned by the caller. */
json_t *trace_stats_troubles(const struct import *m);
/* Prints one line about the share of the work that was cut short. */
void trace_stats_print_cut(const struct workload_cut *cut, const char *margin);

/* Prints assumptions and errors as lines that begin with `margin`. */
void trace_stats_print_notes(struct import *m, const char *margin);
