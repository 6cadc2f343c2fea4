/* number.h - numbers in the fields of traces. Each parser takes the whole text or nothing: it
 * returns false on junk, overflow, or an empty text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/row.h"

/* Parses a whole number; a fraction of zeros only ("12.0") is allowed. */
bool number_int(struct row_text t, int64_t *value);

/* Parses a finite decimal number with an optional exponent. */
bool number_real(struct row_text t, double *value);

/* Parses a time in units of `unit_us` (1000000: seconds), rounded to microseconds, at most
 * NUMBER_US_MAX on either side of 0. Exact for decimals of up to six digits. */
bool number_time(struct row_text t, int64_t unit_us, int64_t *us);

#define NUMBER_US_MAX (36500 * INT64_C(86400000000)) /* the limit of a workload file */
