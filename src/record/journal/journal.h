/* journal.h - writes the record of a run: every event and decision, checksummed.
 *
 * Both bodies write the same format; docs/reference/journal.md describes it field by field. A
 * journal is
 *     header, RUN, { TURN, its EVENTs, its DECISIONs, perhaps INTENTs between turns }*, END
 * journal_reader.h reads it record by record, journal_play.h feeds it to taps turn by turn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "core/model/id.h"

struct journal;
struct journal_reader;

struct journal_options {
    const char *path;    /* NULL: keep only the digest */
    size_t buffer_bytes; /* 0: a good default; never changes the digest */
    bool each_turn;      /* every turn reaches the file before it is performed: a run that is killed
                            loses none of them (one that loses power may; see journal_sync) */
    const char *about;   /* a description of the run (inputs/cluster/about.h), or NULL. Not part of
                            the digest: the same run is the same wherever its files lie */
};

/* Creates the file (it must not exist) and writes the header and the RUN record. Returns NULL with
 * *err on failure. Destroy with journal_close. */
struct journal *journal_create(const struct journal_options *options, uint64_t seed,
                               const char *policy, const char *body, struct err *err);

/* Continues an interrupted journal after the last whole turn that `r` has read: cuts the rest off,
 * and appends records. Returns NULL with *err on failure. The reader may be closed after that. */
struct journal *journal_continue(const struct journal_options *options,
                                 const struct journal_reader *r, struct err *err);

/* Returns the tap that writes turns. */
struct tap journal_tap(struct journal *j);

/* Writes an INTENT record. Durable after the next journal_sync. Returns 0, or -1 with *err. */
int journal_intent(struct journal *j, struct attempt_ref at, uint64_t checksum, int64_t bytes,
                   struct err *err);

/* Syncs everything written so far to the disk (group commit: one sync for all of it). Returns 0, or
 * -1 with *err. */
int journal_sync(struct journal *j, struct err *err);

/* Returns a hash of every record so far, without checksums and framing: same run, same digest. */
uint64_t journal_digest(struct journal *j);

/* Writes END if `complete`, flushes, closes and frees. Returns 0, or -1 with *err (freed all the
 * same). NULL is fine. */
int journal_close(struct journal *j, bool complete, struct err *err);
