/* key.h - what the keys of a line mean, as tables: name, type, range, and the field to fill.
 *
 * One table per kind of line says everything about its keys, so that reading, range checks and the
 * words of every message come from one place. */
#ifndef CONFIG_KEY_H
#define CONFIG_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/line.h"

/* Bounds that both formats share. They keep sums of times and bytes far from the end of int64_t. */
#define KEY_TIME_MAX (36500 * 86400e6)       /* us: a hundred years */
#define KEY_BYTES_MAX (1024.0 * (1ll << 40)) /* 1024T */
#define KEY_CPU_MAX 1e6                      /* cores */
#define KEY_UNITS_MAX 1e9                    /* of a resource without a unit */
enum { KEY_NAME_BYTES_MAX = 128 };

/* How a value is written, and the type of the field it fills. */
enum key_type {
    KEY_TIME,     /* int64_t us: 250ms, 5s, 2h, or bare seconds */
    KEY_BYTES,    /* int64_t: 64M, 1G, or bare bytes */
    KEY_COUNT,    /* uint32_t */
    KEY_REAL,     /* double */
    KEY_MILLI,    /* int32_t thousandths of a number */
    KEY_MIB_UP,   /* int32_t MiB of a size, rounded up: what is needed */
    KEY_MIB_DOWN, /* int32_t MiB of a size, rounded down: what is there */
    KEY_PERCENT,  /* uint8_t: 5% or 5 */
    KEY_NAME,     /* char *: letters, digits and _.+@:- */
    KEY_TEXT,     /* char *: anything of at most max bytes */
    KEY_CHOICE,   /* uint8_t: the index in choices */
};

struct key {
    const char *name;
    enum key_type type;
    size_t offset;   /* of the field in the struct that key_fill gets */
    double min, max; /* in the unit of the field, but cores for KEY_MILLI; not for names */
    const char *const *choices; /* KEY_CHOICE; ends with NULL */
    bool zero;                  /* KEY_TIME, KEY_REAL: 0 is fine too, although below min */
    const char *needs;          /* another key without which this one has no meaning, or NULL */
};

/* The fields that every row of a table has, to be put in braces with those that only some have. */
#define KEY_ROW(key_name, how, owner, field, least, most)                                          \
    .name = key_name, .type = how, .offset = offsetof(owner, field), .min = least, .max = most

enum { KEY_COUNT_MAX = 32 }; /* keys of one kind of line */

/* A kind of line. */
struct key_kind {
    const char *word;
    const char *name; /* what its name is, as messages call it; NULL: it has none */
    const struct key *keys;
    uint32_t count;
};

/* A table as the last two members of a struct key_kind. */
#define KEY_TABLE(keys) keys, (uint32_t)(sizeof(keys) / sizeof *(keys))

/* The kind whose word the line begins with, its name being there if and only if the kind has one.
 * NULL with *err. */
const struct key_kind *key_kind(const struct line_file *f, const struct line *line,
                                const struct key_kind *kinds, uint32_t count, struct err *err);

/* Puts each value of the line into its field of *fields, which holds the defaults already, and sets
 * the bit of each key's index in *given. Unknown keys, keys whose bit is set already, missing
 * values and values out of range are errors: -1 with *err. */
int key_fill(const struct line_file *f, const struct line *line, const struct key_kind *kind,
             void *fields, uint64_t *given, struct err *err);

/* -1 with *err if a given key needs one that is not given; `number` is the line to blame. */
int key_needs(const struct line_file *f, uint64_t number, const struct key_kind *kind,
              uint64_t given, struct err *err);

/* Takes the first item of a list a,b,c and moves *rest behind it; NULL at the end. The list is cut
 * in place; items may be empty. */
char *key_item(char **rest);

/* Reads one value as key_fill would, into *field. `as` is the key as the line has it, for the
 * message; it differs from k->name for lists. */
int key_value(const struct line_file *f, const struct line *line, const struct key *k,
              const char *as, char *text, void *field, struct err *err);

/* True for text that may be a name: 1 to KEY_NAME_BYTES_MAX letters, digits and _.+@:- that do not
 * begin with a dot or a dash. Such a name is safe as a file name and in a list. */
bool key_name_ok(const char *text);
#define KEY_NAME_WANT "1 to 128 letters, digits and _.+@:- that do not begin with . or -"

/* "; did you mean 'x'?", or "" where nothing is near. */
struct key_hint {
    char text[KEY_NAME_BYTES_MAX + 24];
};
struct key_hint key_hint(const char *word, const char *const *candidates, size_t count);

#endif
