/* repro_print.h - the numbers of a reproduction for people, for programs and for pictures. */
#pragma once

#include <jansson.h>

#include "commands/reproduce/repro_numbers.h"

/* Prints a table on stdout. */
void repro_print_table(const struct repro_numbers *n);

/* Prints the id of each row, a line each, on stdout. */
void repro_print_list(const struct repro_file *f);

/* Returns {paper, title, seeds, experiments: [...], asides: [...]}; release it with json_decref. */
json_t *repro_print_json(const struct repro_numbers *n);

/* Writes DIR/PAPER.csv (rows) and DIR/PAPER-FIGURE.csv (points). Returns 0, or -1 with *err. */
int repro_print_csv(const struct repro_numbers *n, const char *folder, struct err *err);

/* Returns {paper, title, seeds, rows: [...], figures: [{id, kind, title, x_label, y_label,
 * points}]}, as figures_page takes it; release it with json_decref. */
json_t *repro_print_figures(const struct repro_numbers *n);

/* Draws DIR/PAPER-FIGURE.svg with gnuplot. Returns 0, or -1 with *err. */
int repro_print_plots(const struct repro_numbers *n, const char *folder, struct err *err);
