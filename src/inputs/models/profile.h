/* profile.h - statistics of a stream of jobs that need no simulation, next to the published
 * ones. */
#pragma once

#include "base/vec.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* One statistic. Unknown numbers are NAN. Rows from elsewhere, such as simulations, have the same
 * form. */
struct profile_row {
    const char *id;     /* of one word, ends with its unit: _pct, ... */
    const char *what;   /* one line for people */
    double paper, ours; /* published, and measured here */
    const char *citation; /* the paper and its section; "" if nothing is published */
};

/* Zero-initialise; free with vec_free(&t.rows). */
struct profile_table {
    VEC(struct profile_row) rows;
};

/* A statistic, and the published values for the built-in models, in their order. */
struct profile_stat {
    const char *id, *what;
    double paper[SYNTH_MODELS];
    const char *citation[SYNTH_MODELS]; /* NULL: no row for this model */
};

/* Appends the row of a statistic of the model if it has one: a model from a file names the
 * statistics with which it is compared. */
void profile_put(struct profile_table *to, const struct synth_model *m,
                 const struct profile_stat *stat, double ours);

/* Collects statistics of jobs one by one. `luck` (borrowed) determines the time of an attempt in
 * addition to the size of its task; it has no Pareto factor, whose mean may not exist. */
struct profile;
struct profile *profile_create(const struct luck *luck);
void profile_destroy(struct profile *p); /* NULL is fine */

/* Adds a job, which may be freed afterwards. */
void profile_add(struct profile *p, const struct workload_job *job);

/* Appends one row for each statistic of the jobs added so far, with the published numbers of `m`; a
 * model from a file has only those rows that it names. */
void profile_rows(struct profile *p, const struct synth_model *m, struct profile_table *to);
