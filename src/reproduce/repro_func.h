/* repro_func.h - the functions of formulas in experiment files; experiments/README.md lists them.
 */
#ifndef REPRODUCE_REPRO_FUNC_H
#define REPRODUCE_REPRO_FUNC_H

#include <stdbool.h>

#include "base/err.h"
#include "reproduce/repro_expr.h"

enum { REPRO_ARGS_MAX = 32 };

/* Whether there is such a function of so many arguments. */
bool repro_func_known(const char *name, int count);

/* Calls a known one. 0 with *out (NaN: nothing to measure), or -1 with *err: an argument is not
 * what the function needs. */
int repro_func_call(const char *name, const struct repro_value *args, int count, double *out,
                    struct err *err);

#endif
