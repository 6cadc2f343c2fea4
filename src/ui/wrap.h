/* wrap.h - text in lines that fit a terminal of 80 columns. */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { WRAP_COLUMNS = 80 };

/* Returns the columns that `length` bytes of UTF-8 take: those that do not continue a character. */
int wrap_columns(const char *text, size_t length);

/* Prints the words of `text` (UTF-8, any white space between them) on stdout, in lines of at most
 * WRAP_COLUMNS columns. The line has `column` columns already; the following ones begin with
 * `indent` blanks. A word that is too long has a line of its own. Ends the last line. */
void wrap_print(const char *text, int column, int indent);

/* Does the same in any file, where the following lines begin with this text. */
void wrap_lines(FILE *to, const char *text, int column, const char *margin);

/* Prints a row of a help text: `left`, padded to `width` columns, and `right`, wrapped in a column
 * of its own. */
void wrap_row(const char *left, const char *right, int width);

/* Prints a text for people. Its paragraphs are wrapped; lines that begin with a blank (examples),
 * empty ones and the usage are printed as they are. Ends the last line. */
void wrap_text(const char *text);
