/* key.h - what the keys of a line mean: a table (base/field.h) for each kind of line. */
#ifndef INPUTS_CONFIG_KEY_H
#define INPUTS_CONFIG_KEY_H

#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "inputs/config/line.h"

/* Bounds that both formats share. They keep sums of times and bytes far from the end of int64_t. */
#define KEY_TIME_MAX (36500 * 86400.0)       /* s: a hundred years */
#define KEY_BYTES_MAX (1024.0 * (1ll << 40)) /* 1024T */
#define KEY_CPU_MAX 1e6                      /* cores */
#define KEY_UNITS_MAX 1e9                    /* of a resource without a unit */

enum { KEY_COUNT_MAX = 32 }; /* keys of one kind of line */

/* A kind of line. */
struct key_kind {
    const char *word;
    const char *name;         /* what its name is, as messages call it; NULL: it has none */
    const struct field *keys; /* NULL: it takes none */
};

/* The kind whose word the line begins with, its name being there if and only if the kind has one.
 * NULL with *err. */
const struct key_kind *key_kind(const struct line *line, const struct key_kind *kinds,
                                uint32_t count, struct err *err);

/* Puts each value of the line into its field of *fields, which holds the defaults already, and sets
 * the bit of each key's index in *given. Unknown keys, keys (but for lists) whose bit is set
 * already, missing values and values out of range are errors: -1 with *err. */
int key_fill(const struct line *line, const struct key_kind *kind, void *fields, uint64_t *given,
             struct err *err);

/* -1 with *err if a given key needs one that is not given; `number` is the line to blame. */
int key_needs(const struct line_file *f, uint64_t number, const struct key_kind *kind,
              uint64_t given, struct err *err);

/* -1 with *err unless this is a name (field_name_ok) of `what`, as the line says. */
int key_name(const struct line *line, const char *what, const char *name, struct err *err);

/* Reads one value as key_fill would, into *field. `as` is the key as the line has it, for the
 * message; it differs from k->name for lists. */
int key_value(const struct line *line, const struct field *k, const char *as, char *text,
              void *field, struct err *err);

/* "; did you mean 'x'?", or "" where nothing is near. */
struct key_hint {
    char text[FIELD_NAME_BYTES_MAX + 24];
};
struct key_hint key_hint(const char *word, const char *const *candidates, size_t count);

#endif
