/* repro_file.h - an experiment file, read and checked: which runs it needs, and which numbers of
 * theirs stand beside which published ones. experiments/README.md is its reference. */
#ifndef REPRODUCE_REPRO_FILE_H
#define REPRODUCE_REPRO_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A published value: a number, a range, or a bound. */
struct repro_paper {
    char *text;       /* as written */
    double low, high; /* equal for one number; infinite where a bound is open */
};

struct repro_run {
    char *name;
    char *command; /* with $seed still in it */
    bool seeded;   /* it has a $seed: one run for each seed; else one for all */
    int line;
};

struct repro_experiment {
    char *id, *title;
};

/* A published number and ours, or an aside: a number of ours alone that shows why a row differs. */
struct repro_row {
    uint32_t experiment;
    char *id, *what, *unit, *basis, *source;
    char *explains;           /* of an aside, the row; else NULL */
    struct repro_paper paper; /* of an aside: without text */
    char *ours, *tuned;       /* expressions; NULL: not measured, no such column */
    char *note;               /* why something is not measured, or NULL */
    int line;
};

struct repro_figure {
    char *id, *kind, *title, *x_label, *y_label;
};

/* A point of a figure, either on its own or the numbers of a row. */
struct repro_point {
    uint32_t figure;
    char *series, *x;
    char *row;                /* id, or NULL */
    struct repro_paper paper; /* text NULL: nothing published */
    char *ours;
    int line;
};

struct repro_let {
    char *name, *value;
};

struct repro_file {
    char *path, *folder; /* folder: where the file is, and where its commands run */
    char *paper, *title;
    uint32_t seeds;
    VEC(struct repro_let) lets;
    VEC(struct repro_run) runs;
    VEC(struct repro_experiment) experiments;
    VEC(struct repro_row) rows;
    VEC(struct repro_figure) figures;
    VEC(struct repro_point) points;
};

/* Reads the file for a quick or a full run. 0, or -1 with *err (file:line: ...). Free with
 * repro_file_fini in either case. */
int repro_file_read(struct repro_file *f, const char *path, bool quick, struct err *err);
void repro_file_fini(struct repro_file *f);

/* The run whose name is the longest beginning of the dotted `name`; *rest is what follows it
 * (empty, or behind the dot). NULL if there is none. */
const struct repro_run *repro_file_run(const struct repro_file *f, const char *name,
                                       const char **rest);

/* The row, or NULL. */
const struct repro_row *repro_file_row(const struct repro_file *f, const char *id);

/* How far `ours` is from what was published: 0 inside a range or bound. */
double repro_paper_difference(const struct repro_paper *p, double ours);

/* One number for it: the value, the bound, or the middle of a range; NaN without text. */
double repro_paper_number(const struct repro_paper *p);

#endif
