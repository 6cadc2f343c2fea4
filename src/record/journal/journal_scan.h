/* journal_scan.h - reads the whole records of a journal file, one after the other, without decoding
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/journal/journal_reader.h"

struct journal_scan {
    char *path;
    int fd;
    unsigned char *window;               /* bytes read from the file */
    size_t from, to, cap;                /* window[from..to) is not consumed yet */
    size_t current;                      /* bytes of the record that was handed out last */
    uint64_t offset;                     /* of window[from] in the file: where that record begins */
    uint64_t torn;                       /* bytes of a torn tail, once it was met */
    uint32_t version;                    /* of the file */
    bool over;                           /* nothing more can be read */
    bool fed;                            /* bytes arrive by journal_scan_feed; there is no file */
    const struct journal_follow *follow; /* the file may grow; NULL: it does not */
};

/* Opens the file and reads its header. Returns 0; or -1 with *err if it does not exist or is not a
 * journal of a supported version; then nothing is left open. `follow`: see journal_reader_open. */
int journal_scan_open(struct journal_scan *s, const char *path, const struct journal_follow *follow,
                      struct err *err);
void journal_scan_close(struct journal_scan *s);

/* Passes the next bytes of a journal that is `fed`. journal_scan_next then returns 1 for a record,
 * 0 if it is not complete, -1 if it cannot be read. */
void journal_scan_feed(struct journal_scan *s, const char *at, size_t length);

/* Reads the next record: *length bytes of type and payload at *at, checksum verified, valid until
 * the next call. Returns 1; 0 at the end or before a torn tail; -1 with *err for damage in the
 * middle, after which it must not be called again. */
int journal_scan_next(struct journal_scan *s, const unsigned char **at, size_t *length,
                      struct err *err);
