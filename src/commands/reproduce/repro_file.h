/* repro_file.h - an experiment file, read and checked: which runs it needs, and which of
 * their numbers are compared with which published ones. experiments/README.md is its reference. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "commands/reproduce/repro_paper.h"

/* What names of runs are made of. */
#define REPRO_FILE_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* All texts belong to the file. */
struct repro_run {
    const char *name;
    const char *command; /* with $seed still in it: one run for each seed; else one for all */
    int line;
};

struct repro_experiment {
    const char *id, *title;
};

/* A published number and dolly's, or an aside: a number that shows why a row differs. */
struct repro_row {
    uint32_t experiment;
    const char *id, *what, *unit, *basis, *citation;
    const char *explains;     /* of an aside, the row; else NULL */
    struct repro_paper paper; /* of an aside: without text */
    const char *ours, *tuned; /* formulas; NULL: not measured, no such column */
    const char *note;         /* why something is not measured, or NULL */
    int line;
};

struct repro_figure {
    const char *id, *kind, *title, *x_label, *y_label;
};

/* A point of a figure, either on its own or the numbers of a row. */
struct repro_point {
    uint32_t figure;
    const char *series, *x;
    const char *row; /* id, or NULL */
    struct repro_paper paper;
    const char *ours;
    int line;
};

struct repro_let {
    const char *name, *value;
};

struct repro_file {
    const char *path;
    const char *folder;  /* where the file is, and where its commands run */
    const char *library; /* the folder above, with the jq that papers share */
    const char *paper, *title;
    uint32_t seeds;
    VEC(struct repro_let) lets;
    VEC(struct repro_run) runs;
    VEC(struct repro_experiment) experiments;
    VEC(struct repro_row) rows;
    VEC(struct repro_figure) figures;
    VEC(struct repro_point) points;
    VEC(char *) texts; /* what all the others point into */
};

/* Reads the file for a quick or a full run. Returns 0, or -1 with *err (file:line: ...). Free with
 * repro_file_fini in either case. */
int repro_file_read(struct repro_file *f, const char *path, bool quick, struct err *err);
void repro_file_fini(struct repro_file *f);

/* Returns the run whose name is the longest beginning of the dotted `name`, or NULL. */
const struct repro_run *repro_file_run(const struct repro_file *f, const char *name);

/* Returns the row or aside with this id, or NULL. */
const struct repro_row *repro_file_row(const struct repro_file *f, const char *id);
