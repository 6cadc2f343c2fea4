/* options_table.h - the options of `dolly map`, one line each; for options.c and its help. */
#ifndef ARGS_OPTIONS_TABLE_H
#define ARGS_OPTIONS_TABLE_H

#include <stddef.h>

#include "args/options.h"

struct option {
    const char *names; /* separated by blanks; a single letter is a short one */
    const char *value; /* what it is called in the help; NULL: a flag; [X]: may be left out */
    int kind;          /* how it is read, see options_table.c */
    size_t field;      /* where in struct options it goes */
    const char *help;  /* NULL: accepted for the sake of old scripts */
};

/* NULL when there is none of this name. */
const struct option *options_table_find(const char *name, size_t length);

/* How many options have a name that begins like this; the last of them goes to *found, and all such
 * names are appended to `names`. */
uint32_t options_table_complete(const char *name, size_t length, const struct option **found,
                                struct str *names);

/* The one whose name is nearest to this one, or NULL. */
const struct option *options_table_nearest(const char *name);

/* Does what the option says; value NULL for a flag. 0, or -1 with *err. */
int options_table_take(struct options *o, const struct option *option, const char *value,
                       struct err *err);

#endif
