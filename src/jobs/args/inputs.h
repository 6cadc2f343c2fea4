/* inputs.h - the arguments of all tasks, from command line, files and pipes, and how they are
 * combined into rows.
 *
 * Values are read once and kept as bytes one after the other. Rows are never stored: row i of a
 * combination of sources is worked out from i. */
#ifndef JOBS_ARGS_INPUTS_H
#define JOBS_ARGS_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/args/template.h"

struct inputs;

enum inputs_trim { INPUTS_TRIM_NONE, INPUTS_TRIM_LEFT, INPUTS_TRIM_RIGHT, INPUTS_TRIM_BOTH };

enum { INPUTS_DELIMITER_MAX = 15 };

struct inputs_options {
    char delimiter;             /* between the values of a file: its last byte, */
    const char *delimiter_head; /* and those before it; NULL: none */
    const char *colsep;         /* extended regular expression between columns; NULL: none */
    const char *eof;            /* a source ends before this value; NULL: none */
    enum inputs_trim trim;
    bool continues;   /* a value that ends in a blank goes on with the next */
    bool split_words; /* words of the command line are cut at the delimiter, too */
    bool link;       /* one value of each source per row; shorter ones begin again */
    bool header;     /* the first value of each source names its columns */
    bool skip_empty; /* leave out values of blanks only */
};

struct inputs *inputs_create(const struct inputs_options *options, struct err *err);
void inputs_destroy(struct inputs *in); /* NULL is fine */

/* Adds a source of these words, or of the file's values ("-": stdin). `linked`: rows take
 * its values together with those of the source before, and end with the shorter. -1 with *err. */
int inputs_add_words(struct inputs *in, const char *const *words, uint32_t count, bool linked,
                     struct err *err);
int inputs_add_file(struct inputs *in, const char *path, bool linked, struct err *err);

/* Adds a source whose values come later; the only one. Then adds what the next bytes of it hold, 0
 * at its end: rows become more. -1 with *err. */
void inputs_add_feed(struct inputs *in);
int inputs_feed(struct inputs *in, const char *bytes, size_t count, struct err *err);

/* The values of a source from this one on, as they were read, each with a NUL behind it; valid
 * until the next is added. NULL: none. */
const char *inputs_values(const struct inputs *in, uint32_t source, uint32_t from, size_t *bytes);

/* Adds a source from a file with such bytes. -1 with *err. */
int inputs_add_saved(struct inputs *in, const char *path, bool linked, struct err *err);

/* Forgets all but the first values of the only source; false when it has fewer. */
bool inputs_cut(struct inputs *in, uint64_t values);

/* No more sources: takes the headers off. -1 with *err. */
int inputs_close(struct inputs *in, struct err *err);

uint64_t inputs_rows(const struct inputs *in);
uint32_t inputs_sources(const struct inputs *in);

/* Columns named by --header; count 0 without. */
struct fields inputs_names(const struct inputs *in);

/* The arguments of a row, valid until the next call. */
struct fields inputs_row(struct inputs *in, uint64_t row);

#endif
