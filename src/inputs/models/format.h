/* format.h - the formats of workloads: one table, one row for each.
 *
 * A user names a workload by one word. The first format whose `detect` accepts the word is used;
 * format_find then reads the data that all runs share, and format_open makes a stream of jobs for
 * each run. CONTRIBUTING.md says how to add a format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/synth.h"
#include "inputs/workload/workload.h"

/* A workload as the user named it. */
struct named_workload {
    const char *name; /* borrowed */
    /* The contents of a file that is in memory only, borrowed; NULL: it has another source. */
    const char *text;
    const struct format *format;
    /* The model of an endless workload; NULL: the number of jobs is fixed. It also has the default
     * cluster and number of measured jobs. */
    const struct synth_model *model;
    bool reopened; /* set by a caller that opens it more than once, which a pipe does not allow */

    struct synth_model *own;   /* a model that was read from a file */
    struct synth_model scaled; /* a model that format_scale has changed */
};

struct format {
    const char *name, *help; /* as in docs/reference/workload-file.md */
    /* Returns true if the workload has this format. `first` is the first line of a plain file that
     * is neither empty nor a comment, without leading blanks and cut after some 250 bytes; "" if
     * there is none, or for a pipe, which can be read only once; NULL if there is no file of this
     * name. */
    bool (*detect)(const char *name, const char *first);
    /* Reads the data that all runs share. Returns 0, or -1 with *err. NULL: there are none. */
    int (*find)(struct named_workload *s, struct err *err);
    /* Opens the jobs of one run; without a model, the file exists. Returns NULL with *err. */
    struct workload *(*open)(const struct named_workload *s, const struct cluster *cluster,
                             uint64_t seed, struct err *err);
};

/* All formats, in the order in which they are tried; the last accepts every word. Ends with name
 * NULL. */
extern const struct format format_table[];

/* Fills *s from the name of a workload. Returns 0, or -1 with *err. Free with format_fini in both
 * cases. */
int format_find(struct named_workload *s, const char *name, struct err *err);
void format_fini(struct named_workload *s);

/* The workload of a model, which is borrowed. */
struct named_workload format_model(const struct synth_model *model);

/* Opens the jobs of one run. Replicas are looked up in `cluster`. Returns NULL with *err. Destroy
 * with w->destroy(w) before format_fini. */
struct workload *format_open(const struct named_workload *s, const struct cluster *cluster,
                             uint64_t seed, struct err *err);

/* Multiplies the rate of arrivals of a model by `load`. Only with a model. */
void format_scale(struct named_workload *s, double load);

/* Parses the value of --scale, `load=F`, into a double: for a struct field. Returns 0, or -1 with
 * *err. */
int format_take_scale(void *load, const char *text, struct err *err);
