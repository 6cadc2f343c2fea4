/* param.h - named, documented, checked parameters of a policy part.
 *
 * A part describes its parameters in a table (base/field.h) and reads them from a plain struct of
 * its own. */
#pragma once

#include "base/field.h"

/* The macros below are for files that name this struct first: #define PARAMS struct NAME_params. */
#define PARAM_ROW(param, how, member, text, ...)                                                   \
    {                                                                                              \
        .name = param, .type = how, .offset = offsetof(PARAMS, member), .fallback = text,          \
        __VA_ARGS__                                                                                \
    }

/* Rows of the table: name, member, default as text, bounds and help. Choices are "a|b|c". */
#define PARAM_REAL(param, member, text, least, most, line)                                         \
    PARAM_ROW(param, FIELD_REAL, member, text, .min = least, .max = most, .help = line)
#define PARAM_INT(param, member, text, least, most, line)                                          \
    PARAM_ROW(param, FIELD_INT, member, text, .min = least, .max = most, .help = line)
#define PARAM_TIME(param, member, text, least, most, line)                                         \
    PARAM_ROW(param, FIELD_TIME, member, text, .min = least, .max = most, .help = line)
#define PARAM_WAIT(param, member, text, least, most, line)                                         \
    PARAM_ROW(param, FIELD_WAIT, member, text, .min = least, .max = most, .help = line)
#define PARAM_CHOICE(param, member, text, words, line)                                             \
    PARAM_ROW(param, FIELD_CHOICE, member, text, .choices = words, .help = line)

/* The fields of struct policy_part for such a table, and for a tick every `member`. */
#define PART_PARAMS(table) .params = table, .params_size = sizeof(PARAMS)
#define PART_TICK(hook, member) .tick = hook, .tick_at = offsetof(PARAMS, member)

/* The parameters of the part that a hook was called for. */
#define par(ctx) ((const PARAMS *)(ctx)->params)

/* Appends the bounds of a parameter, as a user may type them, with a word between: "1us to
 * 1000000s", "0 or more". */
void param_range(const struct field *p, const char *to, struct str *out);

/* Parses `text` into the struct at `values`. Returns -1 with *err that names the parameter, the
 * given value and the valid ones; then *values is unchanged. */
int param_set(const struct field *p, void *values, const char *text, struct err *err);

/* Sets every parameter to its default. The table must be valid (checked). */
void param_defaults(const struct field *table, void *values);
