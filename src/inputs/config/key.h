/* key.h - the meaning of a line's keys: a table (base/field.h) for each kind of line. */
#pragma once

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
    const char *name;         /* description of its name in messages; NULL: it has no name */
    const struct field *keys; /* NULL: no keys */
};

/* Finds the kind whose word the line begins with, and checks that the line has a name if and only
 * if the kind does. Returns NULL with *err. */
const struct key_kind *key_kind(const struct line *line, const struct key_kind *kinds,
                                uint32_t count, struct err *err);

/* Puts each value of the line into its field of *fields, which holds the defaults already, and sets
 * the bit of each key's index in *given. Unknown keys, keys (except lists) whose bit is set
 * already, missing values and values out of range are errors: returns -1 with *err. */
int key_fill(const struct line *line, const struct key_kind *kind, void *fields, uint64_t *given,
             struct err *err);

/* Checks that each given key has the key that it needs; returns -1 with *err, for line `number`, if
 * not. */
int key_needs(const struct line_file *f, uint64_t number, const struct key_kind *kind,
              uint64_t given, struct err *err);

/* Checks that this is a valid name (field_name_ok) of `what`; returns -1 with *err if not. */
int key_name(const struct line *line, const char *what, const char *name, struct err *err);

/* Reads one value into *field, as key_fill does. `as` is the key in the line, for the message; it
 * differs from k->name for lists. */
int key_value(const struct line *line, const struct field *k, const char *as, char *text,
              void *field, struct err *err);

/* A suggestion "; did you mean 'x'?", or "" if no candidate is near. */
struct key_hint {
    char text[FIELD_NAME_BYTES_MAX + 24];
};
struct key_hint key_hint(const char *word, const char *const *candidates, size_t count);
