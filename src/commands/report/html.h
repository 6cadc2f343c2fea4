/* html.h - writes pieces of pages.
 *
 * Texts of a journal are not trusted: they are always shown as text. No script runs except dolly's
 * own, whose hashes the page names, and nothing is fetched from anywhere. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/each.h"
#include "base/err.h"
#include "base/text.h"
#include "commands/report/read_run.h"
#include "commands/report/web.h"
#include "ui/words.h"

/* Begins a page: everything up to its contents. `script` is the page's own; NULL: the page is
 * served, and its style and scripts with it, as page.css and page.js. */
void html_begin(const char *title, const struct web_file *script, struct str *to);

/* Ends a page: everything below its contents, where that script runs. */
void html_end(const struct web_file *script, struct str *to);

/* Adds a text between two pieces of markup. */
void html_text(const char *before, const char *text, const char *after, struct str *to);

/* Adds a text from outside between two pieces of markup, without its control characters. */
void html_tame(const char *before, const char *text, const char *after, struct str *to);

/* Adds a heading: an element of this tag. */
void html_heading(const char *tag, const char *text, struct str *to);

/* Adds the result of a page: a headline with its range ("": none) behind it. Commands stand between
 * backticks, as in the next. */
void html_headline(const char *text, const char *range, bool bad, struct str *to);

/* Adds lines of text as a list; nothing if there are none. Changes the text. */
void html_sentences(char *lines, struct str *to);

/* Begins a part that the reader unfolds; ends with html_fold_end. */
void html_fold(const char *id, const char *title, struct str *to);
void html_fold_end(struct str *to);

/* Begins a table that may be wider than the screen, with a column for each name up to NULL. `id`
 * may be NULL. Followed by cells and html_table_end. */
void html_table(const char *id, const char *const *columns, struct str *to);
void html_table_end(struct str *to);
void html_cell(const char *text, struct str *to);
void html_number(uint64_t number, struct str *to);
void html_words(struct words words, struct str *to); /* to the right, as numbers */

/* Adds a cell for each value: a text, a number without a sign, or words. */
#define html_cells(to, ...)                                                                        \
    do {                                                                                           \
        EACH(HTML_CELL, to, , __VA_ARGS__)                                                         \
    } while (0)
#define HTML_CELL(to, none, value)                                                                 \
    _Generic((value), char *: html_cell, const char *: html_cell, struct words: html_words,        \
             default: html_number)(value, to);

/* Adds a row of them. */
#define html_row(to, ...)                                                                          \
    do {                                                                                           \
        str_add(to, "<tr>");                                                                       \
        html_cells(to, __VA_ARGS__);                                                               \
        str_add(to, "</tr>\n");                                                                    \
    } while (0)

/* Return words for cells, "-" for NAN and for a negative time. */
struct words html_real(double number, int digits);
struct words html_time(int64_t us);

/* Adds JSON in an element of the page. Takes the reference. */
void html_json(const char *id, json_t *data, struct str *to);

/* Adds the data from which the script draws run `number`: elements data-N, columns-N and stories-N.
 */
void html_run(struct read_run *r, uint32_t number, struct str *to);

/* Writes the page, which replaces an existing file as a whole. "-" is stdout. Returns 0, or -1 with
 * *err. */
int html_save(const char *path, const struct str *page, struct err *err);
