/* grid.h - text in aligned columns: the first to the left, the others to the right. */
#pragma once

#include <math.h>

#include "base/vec.h"

/* Zero-initialise; free with grid_fini. The first row is the head; a row of one cell is a title and
 * does not widen a column. */
struct grid {
    VEC(char *) cells; /* NULL ends a row */
};

/* Adds a cell to the row under construction (printf style, UTF-8). */
__attribute__((format(printf, 2, 3))) void grid_cell(struct grid *t, const char *format, ...);

/* Does so for a value that is not known if it is NAN: "-" then. */
#define grid_number(t, value, ...)                                                                 \
    (isnan(value) ? grid_cell(t, "-") : grid_cell(t, __VA_ARGS__))

/* Ends the row. */
void grid_row(struct grid *t);

/* Adds a cell for each text up to NULL, and ends the row. */
void grid_texts(struct grid *t, const char *const *texts);

/* Prints all rows on stdout. */
void grid_print(const struct grid *t);

/* Prints them without the columns, from the right, that do not fit `columns` of a terminal; the
 * first one is always printed. Returns how many it has left out. */
int grid_print_within(const struct grid *t, int columns);

void grid_fini(struct grid *t);
