/* inputs.h - the arguments of all tasks, from command line, files and pipes, and how they are
 * combined into rows.
 *
 * Values are read once and kept as bytes one after the other. Rows are never stored: row i of a
 * combination of sources is computed from i. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/args/template.h"

struct inputs;

enum inputs_trim { INPUTS_TRIM_NONE, INPUTS_TRIM_LEFT, INPUTS_TRIM_RIGHT, INPUTS_TRIM_BOTH };

enum { INPUTS_DELIMITER_MAX = 15 };

struct inputs_options {
    char delimiter;             /* between the values of a file: its last byte */
    const char *delimiter_head; /* the bytes of the delimiter before that; NULL: none */
    const char *colsep;         /* extended regular expression between columns; NULL: none */
    const char *eof;            /* a source ends before this value; NULL: none */
    enum inputs_trim trim;
    bool continues;   /* a value that ends in a blank continues with the next */
    bool split_words; /* words of the command line are split at the delimiter, too */
    bool link;        /* one value of each source per row; shorter ones begin again */
    bool header;      /* the first value of each source names its columns */
    bool skip_empty;  /* skip values that consist of blanks */
};

struct inputs *inputs_create(const struct inputs_options *options, struct err *err);
void inputs_destroy(struct inputs *in); /* NULL is fine */

/* Adds a source with these words. `linked`: rows combine its values one by one with those of the
 * source before, and end with the shorter. Returns 0, or -1 with *err. */
int inputs_add_words(struct inputs *in, const char *const *words, uint32_t count, bool linked,
                     struct err *err);

/* Adds a source with the values of a file ("-": stdin). Returns 0, or -1 with *err. */
int inputs_add_file(struct inputs *in, const char *path, bool linked, struct err *err);

/* Adds a source whose values arrive later (inputs_feed). It must be the only one. */
void inputs_add_feed(struct inputs *in);

/* Adds the values in the next bytes of that source (0 bytes: its end), and so rows. Returns 0, or
 * -1 with *err. */
int inputs_feed(struct inputs *in, const char *bytes, size_t count, struct err *err);

/* Returns the values of a source from `from` on, as they were read, each followed by a NUL; valid
 * until the next is added. Returns NULL if there are none. */
const char *inputs_values(const struct inputs *in, uint32_t source, uint32_t from, size_t *bytes);

/* Adds a source from a file that holds the bytes inputs_values returned. Returns 0, or -1 with
 * *err. */
int inputs_add_saved(struct inputs *in, const char *path, bool linked, struct err *err);

/* Keeps only the first `values` values of the only source; returns false if it has fewer. */
bool inputs_cut(struct inputs *in, uint64_t values);

/* Takes the headers off. Call after the last source was added. Returns 0, or -1 with *err. */
int inputs_close(struct inputs *in, struct err *err);

uint64_t inputs_rows(const struct inputs *in);
uint32_t inputs_sources(const struct inputs *in);

/* Returns the columns named by --header; count 0 without it. */
struct fields inputs_names(const struct inputs *in);

/* Returns the arguments of a row, valid until the next call. */
struct fields inputs_row(struct inputs *in, uint64_t row);
