/* options_table.h - the options of `dolly map`, one line each; for options.c and its help. */
#pragma once

#include "jobs/args/options.h"

/* Ends with name NULL. A single letter is a short name. A value in brackets is optional; an option
 * without a value is a flag. One without help is accepted for compatibility with old scripts. */
extern const struct field options_table[];

/* Options of GNU parallel that dolly map does not have; `want` is the alternative. */
extern const struct field options_refused[];

/* A name in a table. */
struct options_match {
    const struct field *row;
    const char *name;
    int length;
};

/* Returns the number of rows of the table (`each`: of names) that begin like this; sets *first to
 * the first, and appends all such names to `names`. */
uint32_t options_table_complete(const struct field *table, const char *name, bool each,
                                struct options_match *first, struct str *names);

/* Applies an option; value NULL for a flag. Returns 0, or -1 with *err. */
int options_table_take(struct options *o, const struct field *f, const char *value,
                       struct err *err);
