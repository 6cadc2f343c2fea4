/* html.h - pieces of pages.
 *
 * Texts of a journal are its writer's, not ours: whatever they are, they are text on the page. No
 * script runs but ours, whose hashes the page names, and nothing is fetched from anywhere. */
#ifndef COMMANDS_REPORT_HTML_H
#define COMMANDS_REPORT_HTML_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "commands/report/read_run.h"
#include "commands/report/web.h"

/* A whole page: everything up to the title above its contents, whose own script is `script`; and
 * everything below, where that script runs. */
void html_begin(const char *title, const struct web_file *script, struct str *to);
void html_end(const struct web_file *script, struct str *to);

/* A value, and below it what it is. */
void html_card(const char *value, const char *what, struct str *to);
void html_count_card(uint64_t count, const char *what, struct str *to);
void html_time_card(int64_t us, const char *what, struct str *to); /* hours and minutes, too */

/* A table that may be wider than the screen: its head, with a column for each name up to NULL, and
 * its end. `id` may be NULL. Then its cells. */
void html_table(const char *id, const char *const *columns, struct str *to);
void html_table_end(struct str *to);
void html_cell(const char *text, struct str *to);
void html_number(uint64_t number, struct str *to);
void html_real(double number, int digits, struct str *to);
void html_time(int64_t us, struct str *to); /* below 0: none */
void html_span(int64_t us, struct str *to); /* hours and minutes, too */

/* JSON in an element of the page. Takes the reference. */
void html_json(const char *id, json_t *data, struct str *to);

/* What the script draws run `number` from: elements data-N, columns-N and stories-N. */
void html_run(struct read_run *r, uint32_t number, struct str *to);

/* Writes the page beside its place first: one that is there is never half of one. "-" is stdout. 0,
 * or -1 with *err. */
int html_save(const char *path, const struct str *page, struct err *err);

#endif
