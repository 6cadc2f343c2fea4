/* feed.h - reads the members of a trace, by their formats, into rows. */
#pragma once

#include "base/text.h"
#include "inputs/trace/import.h"

/* ---- functions for formats ---- */

/* Delivers a row. A row with an impossible value (a negative time, a name that is too long) is
 * refused and counted. */
void feed_row(struct feed_reader *r, const struct row *row);

/* Counts the current line (or byte) as bad in this way; it is left out. */
void feed_bad(struct feed_reader *r, enum trouble_kind kind);
/* Does so unless the line is fine, which it returns. */
bool feed_check(struct feed_reader *r, bool is_fine, enum trouble_kind kind);

/* Sets the position of the reader in the member, for messages, in formats that are not lines. */
void feed_at(struct feed_reader *r, uint64_t byte);

/* Adds a machine of the trace with these cores and bytes (< 0: unknown). */
void feed_machine(struct feed_reader *r, struct row_text name, double cpu, double mem);

/* Adds a rack of the trace. */
void feed_rack(struct feed_reader *r, struct row_text name);

/* The number of the current line. */
uint64_t feed_line(const struct feed_reader *r);
/* The name of the member with its folders. */
struct row_text feed_path(const struct feed_reader *r);
/* The name of the member without its folders. */
struct row_text feed_member(const struct feed_reader *r);

/* Reads a field as a time in units of `unit_us`. Returns false if it is not one, which is counted
 * as a bad line. */
bool feed_time(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us);
/* Reads a field as a whole number, in the same way. */
bool feed_int(struct feed_reader *r, struct row_text field, int64_t *value);

/* Reads a time, but leaves *us unchanged if the field is empty or -1. */
bool feed_time_maybe(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us);
/* Reads a whole number, but leaves *value unchanged if the field is empty or -1. */
bool feed_int_maybe(struct feed_reader *r, struct row_text field, int64_t *value);
/* Reads a number, but leaves *value unchanged if the field is empty or -1. */
bool feed_real_maybe(struct feed_reader *r, struct row_text field, double *value);

enum { FEED_MS = 1000, FEED_S = 1000000 }; /* units in us */

/* ---- functions for readers of traces ---- */

/* Receives a row. Returns -1 with *err to end the reading. */
typedef int feed_sink(void *ctx, const struct row *row, struct err *err);

struct feed;

/* Creates a feed that delivers rows to `sink` and machines to `machines` (NULL: ignored). Borrows
 * all of them until feed_destroy. */
struct feed *feed_create(const struct import_options *options, struct trouble *trouble,
                         struct machines *machines, feed_sink *sink, void *ctx);
void feed_destroy(struct feed *f); /* NULL is fine */

/* Reads one line, or some bytes of a document. Returns 1, or 0 at the end of the last file, or -1
 * with *err. */
int feed_step(struct feed *f, struct err *err);

/* The names of the formats so far, "a, b". */
const char *feed_formats(const struct feed *f);
/* Returns true if each format so far is in order (is_whole). */
bool feed_is_whole(const struct feed *f);
