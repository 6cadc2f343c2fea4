/* template.h - a command with replacement strings, and what becomes of it for one task.
 *
 *     {}    the argument (all of them)         {#}   number of the task, from 1
 *     {.}   without extension                  {##}  number of tasks
 *     {/}   without its folder                 {%}   slot it runs in, from 1
 *     {//}  its folder                         {2} {2.} {-1/} {name//} ...  of one argument
 *     {/.}  without folder and extension       more: jobs/args/transform.h
 */
#ifndef JOBS_ARGS_TEMPLATE_H
#define JOBS_ARGS_TEMPLATE_H

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

/* What else replacement strings stand for. */
struct template_place {
    uint64_t seq, tasks; /* from 1; of all */
    uint32_t slot;       /* from 1 */
    uint32_t slots;      /* of all */
};

/* Replacement strings that may be written in another way: {} {.} {/} {//} {/.} {#} {%}. */
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
    const char *const *replaces; /* how each is written, NULL: as ever; NULL: all of them */
    struct fields names;         /* {name} for each column; count 0: none */
    bool plus;                   /* the transforms of --plus, {0#} and {0%} as well */
};

/* Reads a template; the text is copied. NULL with *err for an unknown column, or a Perl
 * expression. Destroy with template_destroy. */
struct template *template_parse(const char *text, const struct template_options *options,
                                struct err *err);
/* The same for words with blanks between them, each of which the shell is to take as it is: only
 * the replacement strings in it mean anything, and an empty one is a word as well. */
struct template *template_parse_words(struct fields words, const struct template_options *options,
                                      struct err *err);
void template_destroy(struct template *t); /* NULL is fine */

/* Whether there is any replacement string in it, and whether {##} is. */
bool template_replaces(const struct template *t);

/* Returns true if its text is made of nothing but text and arguments: it is the same whenever, and
 * in whichever slot, it is made. */
bool template_is_steady(const struct template *t);

/* Whether there is one in its first word; a text that begins with a blank has none. */
bool template_begins(const struct template *t);

enum template_flags {
    TEMPLATE_QUOTE = 1,  /* arguments as words of the shell */
    TEMPLATE_CONTEXT = 2 /* -X: the word around {} is repeated for each argument */
};

/* Appends the text for one task. An argument that is not there is empty. */
void template_expand(const struct template *t, struct fields fields,
                     const struct template_place *place, unsigned flags, struct str *out);

/* By how many characters that text grows if `more` joins its arguments, of which there is one at
 * least. Arguments that are named by their position are taken to stay the same. */
size_t template_growth(const struct template *t, struct fields fields, const char *more,
                       const struct template_place *place, unsigned flags);

#endif
