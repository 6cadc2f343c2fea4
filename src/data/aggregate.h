/* aggregate.h - Hadoop's `-reducer aggregate`: lines say themselves how they are to be summed up.
 *
 * A line is TYPE:ID TAB VALUE, those with the same TYPE:ID behind one another. What they come to is
 * printed as ID TAB RESULT; or, to be summed up again later, as lines of the same kind. */
#ifndef DATA_AGGREGATE_H
#define DATA_AGGREGATE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Reads to the end. `again`: what is printed is read by another. -1 with *err. */
int aggregate_run(FILE *in, FILE *out, bool again, struct err *err);

#endif
