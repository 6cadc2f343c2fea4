/* transform.h - how a replacement string changes an argument.
 *
 * Always: all of it, {.} {/} {//} {/.}. With --plus also
 *     {..} {...} {/..} {/...}       without two, three extensions
 *     {+/} {+.} {+..} {+...}        its folder, its last one, two, three extensions, or nothing
 *     {:-x}                         x where the argument is empty
 *     {:2} {:2:3}                   from its third character on; three of them
 *     {#x} {##x} {%x} {%%x}         without the shortest, longest x at its start, end
 *     {/x/y} {//x/y} {/#x/y} {/%x/y}  y for the first x, each x, x at the start, at the end
 *     {^x} {^^x} {,x} {,,x}         x at its start, each x, in capitals, in small letters
 * where x is a regular expression. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum transform_kind {
    TRANSFORM_WHOLE, /* these five in the order of enum template_string */
    TRANSFORM_NO_EXTENSION,
    TRANSFORM_BASE,
    TRANSFORM_FOLDER,
    TRANSFORM_BASE_NO_EXTENSION,
    TRANSFORM_EXTENSIONS, /* the last `count` */
    TRANSFORM_ONLY_FOLDER,
    TRANSFORM_DEFAULT,
    TRANSFORM_CHARACTERS,
    TRANSFORM_STRIP,
    TRANSFORM_REPLACE,
    TRANSFORM_CASE,
};

enum transform_where { TRANSFORM_FIRST, TRANSFORM_EACH, TRANSFORM_START, TRANSFORM_END };

struct transform {
    enum transform_kind kind;
    enum transform_where where;
    bool longest, upper;
    int32_t from, count; /* characters; extensions */
    char *text;          /* owned; the replacement; NULL: none */
    struct regex *regex; /* owned; NULL: none */
};

/* Parses the text in the braces after the position or name. Returns false if it is not a transform.
 * Free with transform_fini. */
bool transform_read(const char *text, size_t length, bool plus, struct transform *t);
void transform_fini(struct transform *t);

/* Appends the transformed value. */
void transform_add(const struct transform *t, const char *value, struct str *out);
