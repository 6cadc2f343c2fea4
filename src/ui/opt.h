/* opt.h - the command line of a command, from a table that also prints itself as help. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/field.h"

/* Rows of the options of a command. Their members are of OPTIONS, which its file defines. */
#define OPTION(name, value, type, member, help)                                                    \
    FIELD_OPTION(name, value, type, OPTIONS, member, help)
#define FLAG(name, member, help) OPTION(name, NULL, FIELD_FLAG, member, help)

struct opt_command {
    const char *name;
    const char *usage;           /* printed by --help above the options */
    const char *notes;           /* printed below them, after an empty line; NULL: nothing */
    const struct field *options; /* of type FIELD_FLAG where they take no value */
    /* Takes an argument that is not an option. Returns 0, or an exit status after printing the
     * error. NULL: at most one operand is allowed (has_operand). */
    int (*operand)(void *values, const char *text);
    bool has_operand;  /* one operand, a text, is allowed */
    size_t operand_at; /* its offset in *values: a const char *, NULL at first */
    /* An option of other commands that this one does not have, and what to use instead; or NULL. */
    const char *absent, *instead;
};

/* Parses all arguments after argv[0] into *values; texts are borrowed. Options are --name; an alias
 * of one letter is also -letter. Returns true to continue; false to return *status from the
 * command, after printing the help or an error. */
bool opt_parse(const struct opt_command *c, int argc, char **argv, void *values, int *status);
