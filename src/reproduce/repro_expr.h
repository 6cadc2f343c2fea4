/* repro_expr.h - formulas over the results of runs, such as gain(fb.late.bins.1, fb.dolly.bins.1).
 *
 * Numbers, + - * /, parentheses, the functions of repro_func.h, and names: that of a run, then a
 * path into its result. A path goes into objects by key, and into lists by the `id`, `bin`,
 * `yardstick` or `policy` of the element, or by its number from 0. */
#ifndef REPRODUCE_REPRO_EXPR_H
#define REPRODUCE_REPRO_EXPR_H

#include <jansson.h>

#include "base/err.h"

/* A number, or a part of a result that a function will look into. */
struct repro_value {
    double number;      /* NaN: there is none */
    const json_t *node; /* borrowed, or NULL */
};

/* Where names lead. */
struct repro_names {
    /* The result of the run that the dotted name begins with, with *rest behind it; NULL with *err
     * when there is no such run or result. */
    const json_t *(*find)(void *ctx, const char *name, const char **rest, struct err *err);
    void *ctx;
};

/* Evaluates the formula into *out. 0, or -1 with *err. */
int repro_expr_eval(const char *text, const struct repro_names *names, double *out,
                    struct err *err);

/* The names of runs that it needs are asked for in the same way, without any result: `see` is
 * called with each dotted name. 0, or -1 with *err: bad syntax. */
int repro_expr_scan(const char *text, int (*see)(void *ctx, const char *name, struct err *err),
                    void *ctx, struct err *err);

#endif
