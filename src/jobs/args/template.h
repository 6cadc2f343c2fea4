/* template.h - a command with replacement strings, and its text for one task.
 *
 *     {}    the argument (all of them)         {#}   number of the task, from 1
 *     {.}   without extension                  {##}  number of tasks
 *     {/}   without its folder                 {%}   slot it runs in, from 1
 *     {//}  its folder                         {2} {2.} {-1/} {name//} ...  of one argument
 *     {/.}  without folder and extension       more: jobs/args/transform.h */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct template;

/* The arguments of one task. */
struct fields {
    const char *const *at;
    uint32_t count;
};

/* Other values of replacement strings. */
struct template_place {
    uint64_t seq, tasks; /* sequence number, from 1; number of tasks */
    uint32_t slot;       /* from 1; 0: not known, {%} is kept */
    uint32_t slots;      /* number of slots */
};

/* Replacement strings that the user can rename: {} {.} {/} {//} {/.} {#} {%}. */
enum template_string {
    REPLACES_WHOLE,
    REPLACES_NO_EXTENSION,
    REPLACES_BASE,
    REPLACES_FOLDER,
    REPLACES_BASE_NO_EXTENSION,
    REPLACES_SEQ,
    REPLACES_SLOT,
    REPLACES
};

struct template_options {
    const char *const *replaces; /* name of each, NULL: the default; NULL: all defaults */
    struct fields names;         /* {name} for each column; count 0: none */
    bool plus;                   /* the transforms of --plus, {0#} and {0%} as well */
};

/* Parses a template, whose text is copied. Returns NULL with *err for an unknown column, or a Perl
 * expression. Destroy with template_destroy. */
struct template *template_parse(const char *text, const struct template_options *options,
                                struct err *err);
/* Parses words joined by blanks, each of which is quoted for the shell: only replacement strings in
 * it have a meaning, and an empty one is a word as well. Returns as template_parse. */
struct template *template_parse_words(struct fields words, const struct template_options *options,
                                      struct err *err);
void template_destroy(struct template *t); /* NULL is fine */

/* Returns true if the template has a replacement string. */
bool template_replaces(const struct template *t);

/* Returns true if its text is made of nothing but text and arguments: it does not depend
 * on the slot or the number of tasks. */
bool template_is_steady(const struct template *t);

/* Returns true if its first word has a replacement string; a text that begins with a blank has
 * none. */
bool template_begins(const struct template *t);

enum template_flags {
    TEMPLATE_QUOTE = 1,  /* quote arguments for the shell */
    TEMPLATE_CONTEXT = 2 /* -X: the word around {} is repeated for each argument */
};

/* Appends the text for one task. A missing argument is empty. */
void template_expand(const struct template *t, struct fields fields,
                     const struct template_place *place, unsigned flags, struct str *out);

/* Returns by how many characters that text grows if `more` is added to its arguments, of which
 * there is at least one. Assumes that arguments named by their position do not change. */
size_t template_growth(const struct template *t, struct fields fields, const char *more,
                       const struct template_place *place, unsigned flags);
