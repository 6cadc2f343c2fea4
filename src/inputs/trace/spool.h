/* spool.h - any number of records, sorted in bounded memory.
 *
 * Records that do not fit are sorted in pieces (runs) and written to a file in $TMPDIR that has no
 * name; reading merges the runs. The order is that of `rank`, then of the key's bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct spool_record {
    uint64_t rank;
    uint32_t length, key; /* number of bytes; the first `key` of them are the key */
    const char *at;
};

struct spool;

/* Creates a spool that holds up to about `memory` bytes of records, and more only if one record is
 * larger. */
struct spool *spool_create(size_t memory);
void spool_destroy(struct spool *s); /* NULL is fine */

/* Adds a copy of the record. Returns -1 with *err if the file cannot be written. */
int spool_add(struct spool *s, const struct spool_record *r, struct err *err);

/* Sorts the records; no more can be added. Returns -1 with *err. */
int spool_sort(struct spool *s, struct err *err);

/* Reads all records of a sorted spool in order, from the first on; there may be several readers. */
struct spool_reader;
struct spool_reader *spool_read(struct spool *s);
void spool_reader_destroy(struct spool_reader *r); /* NULL is fine */

/* Returns 1 with the next record, borrowed until the next call; 0 at the end; -1 with *err. */
int spool_next(struct spool_reader *r, struct spool_record *out, struct err *err);
