/* field.h - named, typed, checked values: the one kind of table behind policy parameters, keys of
 * files and options of commands.
 *
 * A table says for each name which member of a struct it fills, how its value is written, which
 * range it has and its meaning. Reading, range checks, help and the words of messages come from
 * it, so a new parameter, key or option is one row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

/* How a value is written, and the type of the member it fills. */
enum field_type {
    FIELD_REAL = 1, /* double */
    FIELD_INT,      /* int64_t */
    FIELD_COUNT,    /* uint32_t */
    FIELD_TIME,     /* int64_t us: 250ms, 5s, 2h, or bare seconds */
    FIELD_WAIT,     /* the same, or "auto" (FIELD_AUTO) or "inf" (FIELD_FOREVER) */
    FIELD_BYTES,    /* int64_t: 64M, 1G, or bare bytes */
    FIELD_MILLI,    /* int32_t thousandths of a number */
    FIELD_MIB_UP,   /* int32_t MiB of a size, rounded up: a need */
    FIELD_MIB_DOWN, /* int32_t MiB of a size, rounded down: a capacity */
    FIELD_PERCENT,  /* uint8_t: 5% or 5 */
    FIELD_CHOICE,   /* int: the index in choices */
    FIELD_NAME,     /* const char *: field_name_ok */
    FIELD_TEXT,     /* const char *: anything of min to max bytes */
    FIELD_LIST,     /* struct field_list: each value is appended */
    FIELD_FLAG,     /* bool: an option without a value, which makes it true */
    FIELD_OWN,      /* read by `take` */
};

#define FIELD_AUTO ((int64_t)-1)
#define FIELD_FOREVER INT64_MAX

/* Free with vec_free(&list.texts). */
struct field_list {
    VEC(const char *) texts;
};

struct field {
    const char *name; /* NULL ends a table */
    enum field_type type;
    size_t offset;        /* of the member */
    const char *fallback; /* the default as text, if the table gives one */
    /* Inclusive. Times in seconds, sizes in bytes, but MiB for FIELD_MIB. max 0 or infinite: no
     * upper limit. */
    double min, max;
    const char *choices; /* "cluster|idle" */
    const char *help;    /* one line, options may have more; NULL hides an option */

    const char *value; /* options: the name of the value in the help */
    const char *alias; /* options: other names, separated by blanks */
    const char *needs; /* keys: another key that this one needs to have a meaning, or NULL */
    const char *want;  /* description of a valid value, for types that field_want cannot describe */
    bool zero;         /* 0 is allowed too, although below min */
    bool filled_in;    /* parameters: each body knows the value, so that users need not */
    /* FIELD_OWN: fills *member. Returns 0, or -1 with *err, a text for the user. */
    int (*take)(void *member, const char *text, struct err *err);
    /* FIELD_OWN of a policy: appends the value as text that `take` reads back. */
    void (*show)(const void *member, struct str *out);
};

/* The beginning of a row with a range, and of an option, for use in braces. */
#define FIELD_ROW(row_name, how, owner, member, least, most)                                       \
    .name = row_name, .type = how, .offset = offsetof(owner, member), .min = least, .max = most
#define FIELD_OPTION(row_name, label, how, owner, member, text)                                    \
    .name = row_name, .value = label, .type = how, .offset = offsetof(owner, member), .help = text

enum field_fault { FIELD_FINE, FIELD_MALFORMED, FIELD_OUTSIDE };

/* Reads `text` into *member, which is changed only if the result is FIELD_FINE. Texts are borrowed.
 * Not for flags and FIELD_OWN. */
enum field_fault field_read(const struct field *f, const char *text, void *member);

/* Appends a description of a valid value: "a whole number from 1 to 9". */
void field_want(const struct field *f, struct str *out);

/* Appends the value of its member in *values as text that field_read reads back exactly. Not for
 * lists and flags. */
void field_text(const struct field *f, const void *values, struct str *out);

/* The row with this name or alias, or NULL. */
const struct field *field_find(const struct field *table, const char *name);

/* The name that is nearest to a wrong one, or NULL. Suggests neither hidden rows nor single
 * letters. */
const char *field_nearest(const struct field *table, const char *name);

/* Returns true if the text may be a name: 1 to FIELD_NAME_BYTES_MAX letters, digits and _.+@:- that
 * do not begin with a dot or a dash. Such a name is safe as a file name and in a list. */
bool field_name_ok(const char *text);
enum { FIELD_NAME_BYTES_MAX = 128 };
#define FIELD_NAME_WANT "1 to 128 letters, digits and _.+@:- that do not begin with . or -"
