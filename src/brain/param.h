/* param.h - named, documented, checked parameters of a policy part.
 *
 * A part describes its parameters in a table and reads them from a plain struct of its own; the
 * table says where each one lies in it. Everything the command line needs (names, defaults, limits,
 * help) is in the table, so a new parameter is one line. */
#ifndef BRAIN_PARAM_H
#define BRAIN_PARAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum param_type {
    PARAM_REAL,   /* double */
    PARAM_INT,    /* int64_t */
    PARAM_TIME,   /* int64_t microseconds; written with a unit, bare numbers are seconds */
    PARAM_WAIT,   /* the same, or "auto" (PARAM_AUTO) or "inf" (PARAM_FOREVER) */
    PARAM_CHOICE, /* int: index into the choices */
};

#define PARAM_AUTO ((int64_t)-1)
#define PARAM_FOREVER INT64_MAX

struct param {
    const char *name; /* NULL ends a table */
    enum param_type type;
    size_t offset;        /* in the part's parameter struct */
    const char *fallback; /* the default, as text */
    double min, max;      /* inclusive; times in seconds; both 0 for a choice */
    const char *choices;  /* "cluster|idle" for a choice */
    const char *help;     /* one line */
};

/* Writes `text` into the struct at `values`. -1 with *err that names the parameter, what was given
 * and what would be right. */
int param_set(const struct param *p, void *values, const char *text, struct err *err);

/* Writes every default of the table. The table must be valid (checked). */
void param_defaults(const struct param *table, void *values);

/* Appends the value as text that param_set reads back exactly. */
struct str;
void param_text(const struct param *p, const void *values, struct str *out);

/* The table's entry with this name, or NULL. */
const struct param *param_find(const struct param *table, const char *name);

#endif
