/* journal.h - the truth of a run: every event and decision, one checksummed record each.
 *
 * Both bodies write the same format; docs/PROTOCOL.md describes it field by field. A journal is
 *     header, RUN, { TURN, its EVENTs, its DECISIONs, perhaps INTENTs between turns }*, END
 * A file that ends in the middle of a record (a torn tail) is read up to the last whole record. */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/engine.h"
#include "model/decision.h"
#include "model/event.h"

/* Numbers are part of the format: append only. */
enum record_type {
    RECORD_RUN = 1, /* how the brain was made */
    RECORD_TURN,    /* now, and how many events and decisions follow */
    RECORD_EVENT,
    RECORD_DECISION,
    RECORD_INTENT, /* a commit is about to become visible */
    RECORD_END,    /* the run is over and nothing is missing */
};

struct record {
    enum record_type type;
    int64_t now_us; /* of the turn the record belongs to */
    union {
        struct {
            uint64_t seed;
            const char *policy; /* policy_describe() text: enough to make the same brain again */
            const char *body;   /* "sim", "exec", or "map": exec, and tasks count from 1 */
        } run;
        struct {
            uint32_t event_count, decision_count;
        } turn;
        struct event event;
        struct decision decision;
        struct {
            struct attempt_ref at;
            uint64_t checksum;
            int64_t bytes;
        } intent;
    } u;
};

/* ---- writing ---- */

struct journal;
struct journal_reader;

struct journal_options {
    const char *path;    /* NULL: keep only the digest */
    size_t buffer_bytes; /* 0: a good default; never changes the digest */
    bool each_turn;      /* every turn reaches the file before it is performed: a run that is killed
                            loses none of them (one that loses power may; see journal_sync) */
};

/* Creates the file (it must not exist) and writes the header and the RUN record. NULL with *err on
 * failure. Destroy with journal_close. */
struct journal *journal_create(const struct journal_options *options, uint64_t seed,
                               const char *policy, const char *body, struct err *err);

/* Goes on with a journal that was cut short, where `r` has stopped reading: what stands behind is
 * cut off, and records are appended there. NULL with *err. The reader may be closed after that. */
struct journal *journal_continue(const struct journal_options *options,
                                 const struct journal_reader *r, struct err *err);

/* The tap that writes turns. */
struct tap journal_tap(struct journal *j);

/* Writes an INTENT record. Durable after the next journal_sync. 0, or -1 with *err. */
int journal_intent(struct journal *j, struct attempt_ref at, uint64_t checksum, int64_t bytes,
                   struct err *err);

/* Everything written so far reaches the disk (group commit: one sync for all of it). 0, or -1 with
 * *err. */
int journal_sync(struct journal *j, struct err *err);

/* A hash of every record so far, checksums and framing left out: same run, same digest. */
uint64_t journal_digest(struct journal *j);

/* Writes END if `complete`, flushes, closes and frees; 0, or -1 with *err (freed all the same).
 * NULL is fine. */
int journal_close(struct journal *j, bool complete, struct err *err);

/* ---- reading ---- */

/* NULL with *err when there is no such file or it is not a journal of a version we read. */
struct journal_reader *journal_open(const char *path, struct err *err);

/* The next record; pointers inside it are valid until the next call. Returns 1; 0 at the end, also
 * before a torn tail; -1 with *err for damage in the middle (a bad checksum with more data behind).
 */
int journal_next(struct journal_reader *r, struct record *record, struct err *err);

/* Bytes of a torn tail that were left unread; meaningful after journal_next returned 0. */
uint64_t journal_torn(const struct journal_reader *r);

/* The digest of every record read so far; at the end of a whole journal, the digest of its run. */
uint64_t journal_reader_digest(const struct journal_reader *r);

/* The version of the file. */
uint32_t journal_reader_version(const struct journal_reader *r);

/* Whether every read says if siblings read along. Older journals say so of reads of single tasks
 * only, and call every read of a whole phase shared. */
bool journal_reader_says_shared(const struct journal_reader *r);

void journal_reader_close(struct journal_reader *r); /* NULL is fine */

/* What a journal holds: how far it can be trusted after a crash, and whether it is whole. */
struct journal_extent {
    uint64_t end;   /* bytes up to the last whole turn, with the intents behind it */
    uint64_t turns; /* whole ones */
    int64_t last_us;
    bool complete; /* END was there: nothing is left to do */
};

/* Reads all of it. 0, or -1 with *err. */
int journal_measure(const char *path, struct journal_extent *extent, struct err *err);

/* The encoded bytes of one decision, as they stand in a journal. Returns the length; `out` has room
 * for at least JOURNAL_DECISION_MAX bytes. For comparing decisions to the byte. */
enum { JOURNAL_DECISION_MAX = 256 };
size_t journal_encode_decision(const struct decision *d, unsigned char *out);

/* ---- re-feeding ---- */

/* Feeds the events of a journal to `brain` turn by turn and compares what it decides with what was
 * recorded, to the byte. The reader must be just after the RUN record. Returns 0 with the number of
 * turns in *turns; -1 with *err that names the first turn and decision that differ (kind
 * ERR_SYSTEM: not the input's fault), tells why the journal cannot be read, or names a record that
 * no body of ours would have told (brain_breach). An incomplete last turn is not counted. Of a
 * journal that does not say of every read whether it is shared, reads are compared without that. */
int journal_refeed(struct journal_reader *r, struct brain *brain, uint64_t *turns, struct err *err);

/* Somebody who is shown each record that was fed: state is the fold of the journal. `event` may
 * object to one that cannot be of the run that the witness knows: it returns what is wrong, or
 * NULL. Then nobody is shown any more. */
struct journal_witness {
    void *ctx;
    const char *(*event)(void *ctx, int64_t now_us, const struct event *e);
    void (*decision)(void *ctx, int64_t now_us, const struct decision *d);
    void (*intent)(void *ctx, const struct record *record);
};

/* The same up to the byte `end` (journal_extent), showing records to the witnesses. */
int journal_recall(struct journal_reader *r, uint64_t end, struct brain *brain,
                   const struct journal_witness *witnesses, uint32_t count, struct err *err);

#endif
