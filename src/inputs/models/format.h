/* format.h - the formats that jobs come in: one table, one row for each.
 *
 * A user names a workload by one word. The first format whose `detect` knows the word has it;
 * format_find then reads what is the same for all runs, and format_open makes a stream of jobs for
 * each run. docs/inside/how-to/workload-format.md shows how to add a format. */
#ifndef INPUTS_MODELS_FORMAT_H
#define INPUTS_MODELS_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "inputs/cluster/cluster.h"
#include "inputs/models/synth.h"
#include "inputs/workload/workload.h"

/* A workload as the user named it. */
struct format_source {
    const char *name; /* borrowed */
    const char *text; /* borrowed: of a file that is in memory only, and all that is known of it
                         beside its name; NULL: it has another source */
    const struct format *format;
    /* Of jobs that are generated without end; NULL: the workload has the jobs that it has. It also
     * says on which cluster and how many jobs are measured unless the user does. */
    const struct synth_model *model;
    bool reopened; /* set by a caller that opens it more than once, which a pipe cannot bear */

    struct synth_model *own;   /* of a model that was read from a file */
    struct synth_model scaled; /* of one that format_scale has changed */
};

struct format {
    const char *name, *help; /* as docs/reference/workload-file.md lists them */
    /* Whether the workload has this format. `first` is the first line of a plain file that is
     * neither empty nor a comment, without the blanks before it and cut after some 250 bytes; "" if
     * there is none, or if this is a pipe, which can be read only once; NULL if there is no file of
     * this name. */
    bool (*detect)(const char *name, const char *first);
    /* Reads what is the same for all runs. 0, or -1 with *err. NULL: nothing. */
    int (*find)(struct format_source *s, struct err *err);
    /* The jobs of one run; without a model, the file is there. NULL with *err. */
    struct workload *(*open)(const struct format_source *s, const struct cluster *cluster,
                             uint64_t seed, struct err *err);
};

/* In the order in which they are tried; the last one takes what is left. Ends with name NULL. */
extern const struct format format_table[];

/* Fills *s. 0, or -1 with *err. Free with format_fini in both cases. */
int format_find(struct format_source *s, const char *name, struct err *err);
void format_fini(struct format_source *s);

/* The workload of a model, which is borrowed. */
struct format_source format_model(const struct synth_model *model);

/* The jobs of one run. Replicas are looked up in `cluster`. NULL with *err. Destroy with
 * w->destroy(w) before format_fini. */
struct workload *format_open(const struct format_source *s, const struct cluster *cluster,
                             uint64_t seed, struct err *err);

/* Lets the jobs of a model arrive `load` times as often. Only with a model. */
void format_scale(struct format_source *s, double load);

/* Reads what --scale says, `load=F`, into a double: for a struct field. 0, or -1 with *err. */
int format_take_scale(void *load, const char *text, struct err *err);

#endif
