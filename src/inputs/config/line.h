/* line.h - files made of lines `word name key=value key="quoted value"  # comment`.
 *
 * The shared ground of the workload and the cluster format: where a line begins and ends, what a
 * word is, and how an error says where it is. What the words mean is key.h's and the readers' part.
 */
#ifndef INPUTS_CONFIG_LINE_H
#define INPUTS_CONFIG_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct line_file;

struct line_pair {
    char *key, *value; /* never NULL; the value may be empty */
    uint64_t number;   /* as below; what was no line before (YAML) has its keys on several */
};

/* One line that is not empty. Its strings live in the file's text until line_close. */
struct line {
    const struct line_file *file;
    uint64_t number; /* counts from 1 */
    char *word;      /* the first word */
    char *name;      /* the second one if it stands alone, else NULL */
    VEC(struct line_pair) pairs;
};

/* Reads the whole file and checks that it is text. NULL with *err when it cannot be read, is a
 * directory, holds a NUL byte or is larger than 1 GiB. */
struct line_file *line_open(const char *path, struct err *err);
/* The same of text in memory, which is copied and has no NUL byte; `shown` stands for its name. */
struct line_file *line_open_text(const char *shown, const char *text, size_t length);
void line_close(struct line_file *f); /* NULL is fine */

/* The next line that is not empty: 1 with *line (borrowed until the next call), 0 at the end of
 * the file, -1 with *err when it is not made of words and pairs. */
int line_next(struct line_file *f, const struct line **line, struct err *err);

/* How many lines the file has, at least 1: where an error about its end belongs. */
uint64_t line_count(const struct line_file *f);

/* Sets *err to "file:number: text" and returns -1. Quote the file's words with line_quote. */
__attribute__((format(printf, 4, 5))) int line_error(const struct line_file *f, uint64_t number,
                                                     struct err *err, const char *format, ...);

/* The same about a line. */
#define line_fail(line, err, ...) line_error((line)->file, (line)->number, err, __VA_ARGS__)

/* Where the first pair with this key stands; without one, where the line does. */
uint64_t line_number(const struct line *line, const char *key);

/* The same about that pair. */
#define line_fail_at(line, key, err, ...)                                                          \
    line_error((line)->file, line_number(line, key), err, __VA_ARGS__)

/* A word of the file as a message may show it: short and printable. */
struct line_quote {
    char text[44];
};
struct line_quote line_quote(const char *word);

#endif
