/* journal_file.h - the frame around records that the writer and the reader share.
 *
 *     file    header, record, record, ...
 *     header  8 bytes magic, fixed32 version, fixed32 checksum of the 12 bytes before it
 *     record  uint length of type and payload, type (1 byte), payload, fixed32 checksum of type and
 * payload
 *
 * A checksum is the low half of XXH3-64: a torn or flipped record passes it once in four thousand
 * million, and it costs a few nanoseconds. */
#ifndef JOURNAL_JOURNAL_FILE_H
#define JOURNAL_JOURNAL_FILE_H

#include <stdbool.h>
#include <xxhash.h>

#include "base/err.h"
#include "journal/wire.h"

#define JOURNAL_MAGIC "dollyjnl"

enum {
    JOURNAL_VERSION = 3,        /* that is written; ... */
    JOURNAL_VERSION_OLDEST = 2, /* ... and this is still read: its records are the same */
    JOURNAL_VERSION_READS = 3,  /* the first in which every read says whether it is shared */
    JOURNAL_MAGIC_BYTES = 8,
    JOURNAL_HEADER_BYTES = 16,
    JOURNAL_CHECKSUM_BYTES = 4,
    JOURNAL_RECORD_MAX = 1 << 30, /* type and payload; a job of ten million tasks takes a tenth */
};

static inline uint32_t journal_file_checksum(const unsigned char *at, size_t length)
{
    return (uint32_t)XXH3_64bits(at, length);
}

/* Writes the JOURNAL_HEADER_BYTES of a file's header. */
static inline void journal_file_header(unsigned char *out, uint32_t version)
{
    memcpy(out, JOURNAL_MAGIC, JOURNAL_MAGIC_BYTES);
    unsigned char *p = wire_put_fixed32(out + JOURNAL_MAGIC_BYTES, version);
    wire_put_fixed32(p, journal_file_checksum(out, (size_t)(p - out)));
}

/* Where a reader stands, for whoever goes on from there: the byte behind the last record, whether
 * that was the last of its turn, the time of the turn, and the hash of all records so far. */
struct journal_reader;
uint64_t journal_reader_at(const struct journal_reader *r);
bool journal_reader_between(const struct journal_reader *r);
int64_t journal_reader_now(const struct journal_reader *r);
const XXH3_state_t *journal_reader_hash(const struct journal_reader *r);

/* The last record does not fit to those before it: -1 with *err, which names the file and the
 * record. */
int journal_reader_object(const struct journal_reader *r, const char *what, struct err *err);

#endif
