/* table.h - tables of text: rows of fields, and headers that name the columns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/feed.h"
#include "inputs/trace/lines.h"

enum { TABLE_COLUMNS_MAX = 64 };

/* The first TABLE_COLUMNS_MAX fields of a row. */
struct table_row {
    struct row_text at[TABLE_COLUMNS_MAX];
    uint32_t count;
};

/* Splits a line at each `mark`. */
void table_split(struct row_text line, char mark, struct table_row *row);

/* Splits a line of a table. Returns false if it is empty or begins with `comment` (0: no comments),
 * or has fewer than `least` fields, which is counted. */
bool table_take(struct feed_reader *r, struct row_text line, char comment, char mark,
                uint32_t least, struct table_row *row);

/* Splits the first line that is not a comment; returns false if there is none. */
bool table_first(const char *at, size_t length, bool is_all, char mark, char comment,
                 struct table_row *row);

/* Returns true if the first line begins with this header. */
bool table_begins(const char *at, size_t length, bool is_all, const char *header);

/* Returns true if the field is a whole number. */
bool table_is_int(struct row_text field);

/* Finds the columns of a header by their names: sets column[i] to that of names[i], or -1. Returns
 * how many were found. */
uint32_t table_header(struct row_text line, char mark, const char *const *names, uint32_t count,
                      int *column);

/* Builds a text in a small buffer of the caller. */
struct table_text {
    char at[64];
    size_t length;
};
/* Writes `before` and a number. */
struct row_text table_number(struct table_text *to, const char *before, int64_t value);

/* Writes a name for a row that has only its line: the number of the line and a hash of it, so that
 * it does not depend on the file's order among others, and lines of several files differ. */
struct row_text table_line(struct table_text *to, struct row_text line, uint64_t number);
