/* aggregate.h - Hadoop's `-reducer aggregate`: each line names the function that aggregates it.
 *
 * A line is TYPE:ID TAB VALUE; lines with the same TYPE:ID are adjacent. The result is printed as
 * ID TAB RESULT, or, for further aggregation, as lines of the same kind. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Aggregates all lines of `in`. `again`: prints lines that can be aggregated again. Returns -1 with
 * *err. */
int aggregate_run(FILE *in, FILE *out, bool again, struct err *err);
