/* opt.h - the command line of a command, from a table that also prints itself as help. */
#ifndef UI_OPT_H
#define UI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/field.h"

struct opt_command {
    const char *name;
    const char *usage;           /* what help prints above the options */
    const char *notes;           /* and below them, with an empty line first; NULL: nothing */
    const struct field *options; /* of type FIELD_FLAG where they take no value */
    /* Takes an argument that is not an option. 0, or an exit status after printing what is wrong.
     * NULL: there is at most one, if any. */
    int (*operand)(void *values, const char *text);
    bool has_operand;  /* one that is a text ... */
    size_t operand_at; /* ... and where it goes in *values: a const char *, NULL at first */
};

/* Options are --name; one whose alias is a letter, also -letter. Reads all arguments behind argv[0]
 * into *values; texts are borrowed. True: go on. False: return *status, because --help was printed,
 * or what is wrong with an argument. */
bool opt_parse(const struct opt_command *c, int argc, char **argv, void *values, int *status);

#endif
