/* options_table.h - the options of `dolly map`, one line each; for options.c and its help. */
#ifndef ARGS_OPTIONS_TABLE_H
#define ARGS_OPTIONS_TABLE_H

#include "args/options.h"

/* Ends with name NULL. A single letter is a short name. A value in brackets may be left out;
 * without a value it is a flag. Without help it is accepted for the sake of old scripts. */
extern const struct field options_table[];

/* How many options have a name that begins like this; the last of them goes to *found, and all such
 * names are appended to `names`. */
uint32_t options_table_complete(const char *name, size_t length, const struct field **found,
                                struct str *names);

/* The name that is nearest to this one, or NULL. */
const char *options_table_nearest(const char *name);

/* Does what the option says; value NULL for a flag. 0, or -1 with *err. */
int options_table_take(struct options *o, const struct field *f, const char *value,
                       struct err *err);

#endif
