/* journal_file.h - the frame around records that the writer and the reader share.
 *
 *     file    header, record, record, ...
 *     header  8 bytes magic, fixed32 version, fixed32 checksum of the 12 bytes before it
 *     record  uint length of type and payload, type (1 byte), payload, fixed32 checksum of type and
 * payload
 *
 * A checksum is the low half of XXH3-64: a torn or flipped record passes it once in four thousand
 * million, and it costs a few nanoseconds. */
#pragma once

#include <xxhash.h>

#include "record/journal/wire.h"

#define JOURNAL_MAGIC "dollyjnl"

enum {
    JOURNAL_VERSION = 6,          /* that is written; ... */
    JOURNAL_VERSION_OLDEST = 2,   /* ... and this is still read */
    JOURNAL_VERSION_READS = 3,    /* the first in which every read says whether it is shared */
    JOURNAL_VERSION_APPS = 4,     /* the first in which jobs have an application, phases may have an
                                     expectation, and a run describes itself */
    JOURNAL_VERSION_LATE = 5,     /* the first in which a start says how late it was reported */
    JOURNAL_VERSION_PRESSURE = 6, /* the first with the event `pressure` */
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

/* The end of the last whole turn, with the intents behind it, that a reader has read: the byte
 * behind it, its time, and the hash of all records so far (borrowed from the reader). */
struct journal_mark {
    uint64_t end;
    int64_t now_us;
    const XXH3_state_t *hash;
};
struct journal_reader;
struct journal_mark journal_reader_mark(const struct journal_reader *r);
