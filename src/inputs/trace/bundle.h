/* bundle.h - the rows of one job, as bytes, until the job is complete. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "inputs/trace/assemble.h"
#include "inputs/trace/row.h"

struct bundle_row {
    uint32_t from, /* bytes of the bundle; the first `order` sort it */ length, order;
};

/* Zero-initialise; free with bundle_fini. */
struct bundle {
    struct row_bytes bytes;
    VEC(struct bundle_row) rows;
};

void bundle_clear(struct bundle *b);
void bundle_fini(struct bundle *b);

/* Adds a row. */
void bundle_add(struct bundle *b, const struct row *row);
/* Adds the bytes of a row (row_encode). */
void bundle_add_bytes(struct bundle *b, const char *at, uint32_t length);

/* Sorts rows that were not added in their order. */
void bundle_sort(struct bundle *b);

/* The first row; there is at least one. Borrowed until the bundle changes. */
struct row bundle_first(const struct bundle *b);

/* Makes the job of the rows and empties the bundle. Returns false if there is no job
 * (assemble_job). */
bool bundle_job(struct bundle *b, struct assemble *a, struct row_bytes *to, int64_t *arrived_us);
