/* sim_print.h - prints the result of `dolly sim`, for users and for programs. */
#pragma once

#include <jansson.h>

#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"
#include "record/stats/detail.h"
#include "ui/grid.h"

/* Prints aligned text on stdout. Returns how many columns do not fit and were left out. */
int sim_print_table_rows(const struct sim_args *a, const struct sim_numbers *n);

/* Prints a last line about columns, if some were left out. */
void sim_print_table_left_out(int left_out);

/* Prints and frees a table, in 80 columns unless --wide is given. Returns how many of its columns
 * were left out. */
int sim_print_table_grid(const struct sim_args *a, struct grid *g);

/* Returns ">= " or "<= " for a number that is only a bound, else "". */
const char *sim_print_table_bound(const struct sim_args *a, uint32_t row, int number);

/* Returns the JSON object of docs/reference/json.md; owned by the caller. */
json_t *sim_print_json_object(const struct sim_args *a, const struct sim_numbers *n);

/* Prints the readings of a trace as text, one sim_numbers for each. */
void sim_print_trace(struct sim_args *a, const struct sim_numbers *n);

/* Prints the readings of a trace as JSON. */
void sim_print_trace_json(struct sim_args *a, const struct sim_numbers *n);

/* Prints the tables of the readings, with a title for each if they differ (is_titled). */
void sim_print_trace_tables(const struct sim_args *a, const struct sim_numbers *n, bool is_titled);

/* Prints one table if the runs are the same in all readings. Returns false, and prints nothing, if
 * they differ or there is one reading. */
bool sim_print_trace_same(const struct sim_args *a, const struct sim_numbers *n);

/* Returns the readings as an array of objects. */
json_t *sim_print_trace_variations(const struct sim_args *a, const struct sim_numbers *n);

/* Adds the members bin_held_max_frac, span_s, wins, decisions, each_job, each_phase and each_omega
 * (docs/reference/json.md) of `dolly sim --detail` to `policy`. */
void sim_detail_json(const struct detail *d, json_t *policy);

/* Returns a new object with jobs, tasks and the numbers of a policy that one run has by itself. */
json_t *sim_print_json_summary(const struct summary_result *summary);
