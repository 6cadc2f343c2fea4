/* sim_print.h - the result of `dolly sim`, for people and for programs. */
#ifndef COMMANDS_SIM_SIM_PRINT_H
#define COMMANDS_SIM_SIM_PRINT_H

#include <jansson.h>

#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"

/* Aligned text on stdout. */
void sim_print_table(const struct sim_args *a, const struct sim_numbers *n);

/* ">= " or "<= " before a number that is a bound only, else "". */
const char *sim_print_table_bound(const struct sim_args *a, uint32_t row, int number);

/* The JSON object of docs/reference/json.md on stdout. */
void sim_print_json(const struct sim_args *a, const struct sim_numbers *n);

/* The same without printing it; owned by the caller. */
json_t *sim_print_json_object(const struct sim_args *a, const struct sim_numbers *n);

/* The same two for the readings of a trace, one sim_numbers for each. */
void sim_print_trace(struct sim_args *a, const struct sim_numbers *n);
void sim_print_trace_json(struct sim_args *a, const struct sim_numbers *n);

/* Parts of these: the tables, with a title for each reading where they differ (is_titled), and an
 * array of objects. */
void sim_print_trace_tables(const struct sim_args *a, const struct sim_numbers *n, bool is_titled);
json_t *sim_print_trace_variations(const struct sim_args *a, const struct sim_numbers *n);

/* A new object with jobs, tasks and those numbers of a policy that one run has by itself. */
json_t *sim_print_json_summary(const struct summary_result *summary);

#endif
