/* options_table.h - the options of `dolly map`, one line each; for options.c and its help. */
#ifndef JOBS_ARGS_OPTIONS_TABLE_H
#define JOBS_ARGS_OPTIONS_TABLE_H

#include "jobs/args/options.h"

/* Ends with name NULL. A single letter is a short name. A value in brackets may be left out;
 * without a value it is a flag. Without help it is accepted for the sake of old scripts. */
extern const struct field options_table[];

/* What GNU parallel has and dolly map does not; `want` says what to do instead. */
extern const struct field options_refused[];

/* A name in a table. */
struct options_match {
    const struct field *row;
    const char *name;
    int length;
};

/* How many rows of the table (`each`: how many names) begin like this; the first goes to *first,
 * and all such names are appended to `names`. */
uint32_t options_table_complete(const struct field *table, const char *name, bool each,
                                struct options_match *first, struct str *names);

/* Does what the option says; value NULL for a flag. 0, or -1 with *err. */
int options_table_take(struct options *o, const struct field *f, const char *value,
                       struct err *err);

/* Adds a source of arguments: a file, or words where it is NULL. Borrowed. */
void options_table_add_source(struct options *o, const char *file, const char *const *words,
                              uint32_t count, bool linked);

#endif
