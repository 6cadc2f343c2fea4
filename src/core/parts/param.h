/* param.h - named, documented, checked parameters of a policy part.
 *
 * A part describes its parameters in a table (base/field.h) and reads them from a plain struct of
 * its own. */
#ifndef CORE_PARTS_PARAM_H
#define CORE_PARTS_PARAM_H

#include "base/field.h"

/* A row of such a table; `at` is the offset of its member. Choices are "a|b|c", or NULL. */
#define PARAM(param, how, at, text, least, most, words, line)                                      \
    {                                                                                              \
        .name = param, .type = how, .offset = at, .fallback = text, .min = least, .max = most,     \
        .choices = words, .help = line                                                             \
    }

/* Defines par(s), which returns the parameters of a part as its own struct. */
#define PARAM_STRUCT(tag)                                                                          \
    static const struct tag *par(const struct part_ctx *s)                                         \
    {                                                                                              \
        return s->params;                                                                          \
    }

/* Appends the bounds of a parameter, as a user may type them, with a word between: "1us to
 * 1000000s", "0 or more". */
void param_range(const struct field *p, const char *to, struct str *out);

/* Parses `text` into the struct at `values`. Returns -1 with *err that names the parameter, the
 * given value and the valid ones; then *values is unchanged. */
int param_set(const struct field *p, void *values, const char *text, struct err *err);

/* Sets every parameter to its default. The table must be valid (checked). */
void param_defaults(const struct field *table, void *values);

#endif
