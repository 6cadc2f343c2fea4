/* trace_stats.h - statistics of a trace, as rows of one form for people and programs. */
#ifndef COMMANDS_TRACE_TRACE_STATS_H
#define COMMANDS_TRACE_TRACE_STATS_H

#include <jansson.h>
#include <stdint.h>

#include "base/vec.h"
#include "inputs/trace/import.h"

struct trace_stat {
    const char *id, *what; /* one word, and what people read */
    double value;          /* NaN: cannot be said */
    bool is_whole;
};

struct trace_stats {
    VEC(struct trace_stat) rows;
    uint64_t digest; /* of all jobs */
};

/* Reads all jobs once more, for what depends on their order. -1 with *err. Free with
 * vec_free(&t->rows). */
int trace_stats_measure(struct import *m, struct trace_stats *t, struct err *err);

/* What was assumed, what was wrong, and the statistics, on stdout. */
void trace_stats_print(struct import *m, const struct trace_stats *t);
void trace_stats_json(struct import *m, const struct trace_stats *t);

/* The same two lists for other commands: arrays of objects, owned by the caller; or lines of text
 * that begin with `margin`. */
json_t *trace_stats_assumptions(struct import *m);
json_t *trace_stats_troubles(const struct import *m);
/* One line that says how much of the work was cut short. */
void trace_stats_print_cut(const struct workload_cut *cut, const char *margin);
void trace_stats_print_notes(struct import *m, const char *margin);

#endif
