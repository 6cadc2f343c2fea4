/* sim_print.h - the result of `dolly sim`, for people and for programs. */
#ifndef COMPARE_SIM_PRINT_H
#define COMPARE_SIM_PRINT_H

#include "compare/sim_args.h"
#include "compare/sim_numbers.h"

/* Aligned text on stdout. */
void sim_print_table(const struct sim_args *a, const struct sim_numbers *n);

/* The JSON object of docs/CLI.md on stdout. */
void sim_print_json(const struct sim_args *a, const struct sim_numbers *n);

#endif
