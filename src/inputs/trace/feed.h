/* feed.h - the parts of a trace, read as their formats say, into rows. */
#ifndef INPUTS_TRACE_FEED_H
#define INPUTS_TRACE_FEED_H

#include "base/text.h"
#include "inputs/trace/import.h"

/* ---- what a format calls ---- */

/* A row that was read. What no row may have (a negative time, a name that is too long) is refused
 * and counted. */
void feed_row(struct feed_reader *r, const struct row *row);

/* The line (or the byte) at hand is wrong in this way, and is left out. */
void feed_bad(struct feed_reader *r, enum trouble_kind kind);

/* In formats that are no lines: where in the part the reader is, for messages. */
void feed_at(struct feed_reader *r, uint64_t byte);

/* The trace has a machine of this name with these cores and bytes (< 0: unknown). */
void feed_machine(struct feed_reader *r, struct row_text name, double cpu, double mem);

/* ... and a rack of this name. */
void feed_rack(struct feed_reader *r, struct row_text name);

/* Number of the line at hand, and the name of the part with and without its folders. */
uint64_t feed_line(const struct feed_reader *r);
struct row_text feed_path(const struct feed_reader *r);
struct row_text feed_part(const struct feed_reader *r);

/* A field as a number: false if it is none, which is counted as a bad line. */
bool feed_time(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us);
bool feed_int(struct feed_reader *r, struct row_text field, int64_t *value);

/* The same, but an empty field and -1 leave *us (*value) as it is. */
bool feed_time_maybe(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us);
bool feed_int_maybe(struct feed_reader *r, struct row_text field, int64_t *value);
bool feed_real_maybe(struct feed_reader *r, struct row_text field, double *value);

enum { FEED_MS = 1000, FEED_S = 1000000 }; /* units in us */

/* ---- what reads a trace ---- */

/* Takes a row. -1 with *err ends the reading. */
typedef int feed_sink(void *ctx, const struct row *row, struct err *err);

struct feed;

/* Rows go to `sink`, machines to `machines` (NULL: nowhere). All are borrowed until feed_destroy.
 */
struct feed *feed_create(const struct import_options *options, struct trouble *trouble,
                         struct machines *machines, feed_sink *sink, void *ctx);
void feed_destroy(struct feed *f); /* NULL is fine */

/* Reads on: one line, or some bytes of a document. 1, or 0 at the end of the last file, or -1 with
 * *err. */
int feed_step(struct feed *f, struct err *err);

/* Names of the formats so far, "a, b"; and whether each was in order (is_whole). */
const char *feed_formats(const struct feed *f);
bool feed_is_whole(const struct feed *f);

#endif
