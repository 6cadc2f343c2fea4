/* repro_numbers.h - from results of runs to the numbers of rows and points. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "commands/reproduce/repro_file.h"
#include "commands/reproduce/repro_work.h"

/* A mean over seeds with its 95 % interval; all NaN where nothing is measured. */
struct repro_estimate {
    double mean, lo, hi;
};

struct repro_formula {
    const char *text; /* jq */
    int line;
    bool largest;               /* of all seeds, instead of the mean */
    double *at;                 /* its value under each seed */
    struct repro_estimate *out; /* of a row or a point */
};

struct repro_numbers {
    const struct repro_file *f;
    struct repro_work *w;
    int *units; /* runs x seeds: the unit of each, or -1: not needed */
    VEC(struct repro_formula) formulas;
    struct repro_estimate *ours;  /* by row */
    struct repro_estimate *tuned; /* by row */
    struct repro_estimate *point; /* by point */
};

/* Checks every formula and adds the runs that they need to the work. Borrows f and w. Returns 0, or
 * -1 with *err. Free with repro_numbers_fini in either case. */
int repro_numbers_plan(struct repro_numbers *n, const struct repro_file *f, struct repro_work *w,
                       struct err *err);

/* Computes the estimates. Call when the work is done. Returns 0, or -1 with *err. */
int repro_numbers_fill(struct repro_numbers *n, struct err *err);

void repro_numbers_fini(struct repro_numbers *n);
