/* line.h - files made of lines `word name key=value key="quoted value" # comment`.
 *
 * The common basis of the workload and the cluster format: the bounds of a line, the form of words,
 * and the location in error messages. key.h and the readers define the meaning of the words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

struct line_file;

struct line_pair {
    char *key, *value; /* never NULL; the value may be empty */
    uint64_t number;   /* line number; keys of one YAML entry may be on several lines */
};

/* One line that is not empty. Its strings live in the file's text until line_close. */
struct line {
    const struct line_file *file;
    uint64_t number; /* counts from 1 */
    char *word;      /* the first word */
    char *name;      /* the second word if it has no value, else NULL */
    VEC(struct line_pair) pairs;
};

/* Reads the whole file and checks that it is text. Returns NULL with *err if it cannot be read, is
 * a directory, holds a NUL byte or is larger than 1 GiB. */
struct line_file *line_open(const char *path, struct err *err);
/* Reads text from memory, which is copied and has no NUL byte; `shown` is its name in messages. */
struct line_file *line_open_text(const char *shown, const char *text, size_t length);
void line_close(struct line_file *f); /* NULL is fine */

/* Finds the next line that is not empty: returns 1 with *line (borrowed until the next call), 0 at
 * the end of the file, -1 with *err if it is not made of words and pairs. */
int line_next(struct line_file *f, const struct line **line, struct err *err);

/* The number of lines, at least 1: the location of an error at the end. */
uint64_t line_count(const struct line_file *f);

/* Sets *err to "file:number: text" and returns -1. Quote words of the file with line_quote. */
__attribute__((format(printf, 4, 5))) int line_error(const struct line_file *f, uint64_t number,
                                                     struct err *err, const char *format, ...);

/* Does the same for a line. */
#define line_fail(line, err, ...) line_error((line)->file, (line)->number, err, __VA_ARGS__)

/* The number of the line of the first pair with this key, or else of the line itself. */
uint64_t line_number(const struct line *line, const char *key);

/* Does the same for that pair. */
#define line_fail_at(line, key, err, ...)                                                          \
    line_error((line)->file, line_number(line, key), err, __VA_ARGS__)

/* Appends ` key="value"` so that line_next reads it; line breaks become blanks, other control
 * characters question marks. */
void line_add_pair(struct str *to, const char *key, const char *value);

/* A word of the file in a form for messages: short and printable. */
struct line_quote {
    char text[44];
};
struct line_quote line_quote(const char *word);
