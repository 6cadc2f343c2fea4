/* part.h - which part of an argument a replacement string stands for.
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
#ifndef ARGS_PART_H
#define ARGS_PART_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum part_kind {
    PART_WHOLE, /* these five in the order of enum template_string */
    PART_NO_EXTENSION,
    PART_BASE,
    PART_FOLDER,
    PART_BASE_NO_EXTENSION,
    PART_EXTENSIONS, /* the last `count` */
    PART_ONLY_FOLDER,
    PART_DEFAULT,
    PART_CHARACTERS,
    PART_STRIP,
    PART_REPLACE,
    PART_CASE,
};

enum part_where { PART_FIRST, PART_EACH, PART_START, PART_END };

struct part {
    enum part_kind kind;
    enum part_where where;
    bool longest, upper;
    int32_t from, count; /* characters; extensions */
    char *text;          /* owned; what is put in; NULL: none */
    regex_t *regex;      /* owned; NULL: none */
};

/* Reads what stands in the braces behind the position or name. False when it is no part. */
bool part_read(const char *text, size_t length, bool plus, struct part *part);
void part_fini(struct part *part);

/* Appends the part of the value. */
void part_add(const struct part *part, const char *value, struct str *out);

#endif
