/* table.h - tables of text: rows of fields, and headers that name the columns. */
#ifndef INPUTS_FORMATS_TABLE_H
#define INPUTS_FORMATS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/feed.h"
#include "inputs/trace/lines.h"

enum { TABLE_COLUMNS_MAX = 64 };

/* The fields of a row, of which the reader looks at the first TABLE_COLUMNS_MAX. */
struct table_row {
    struct row_text at[TABLE_COLUMNS_MAX];
    uint32_t count;
};

void table_split(struct row_text line, char mark, struct table_row *row);

/* The fields of a line of a table. False: it is empty or a comment (0: there are none), or has
 * fewer than `least` fields, which was counted. */
bool table_take(struct feed_reader *r, struct row_text line, char comment, char mark,
                uint32_t least, struct table_row *row);

/* The first line that is not a comment, cut; false if there is none. */
bool table_first(const char *at, size_t length, bool is_all, char mark, char comment,
                 struct table_row *row);

/* Whether the first line begins with this header. */
bool table_begins(const char *at, size_t length, bool is_all, const char *header);

/* Whether the field is a whole number. */
bool table_is_int(struct row_text field);

/* Finds the columns of a header by their names: place[i] is that of names[i], or -1. Returns how
 * many were found. */
uint32_t table_header(struct row_text line, char mark, const char *const *names, uint32_t count,
                      int *place);

/* Builds a text in a small buffer of the caller. */
struct table_text {
    char at[64];
    size_t length;
};
struct row_text table_number(struct table_text *to, const char *before, int64_t value);

/* A name for what has none but its line: the number of the line and a hash of it, so that it is
 * the same wherever the file stands among others, and lines of several files differ. */
struct row_text table_line(struct table_text *to, struct row_text line, uint64_t number);

#endif
