/* journal_reader.h - reads the records of a journal, decoded and checked, one by one.
 *
 * A file that ends in the middle of a record (a torn tail) is read up to the last whole record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/decision.h"
#include "core/model/event.h"

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
            const char *about;  /* description of the run, "": none */
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

struct journal_reader;

/* Called at the current end of the file: returns true if the reader should try again for more,
 * false if that was all. It decides how long to wait. */
struct journal_follow {
    void *ctx;
    bool (*more)(void *ctx);
};

/* Opens a journal. Returns NULL with *err if the file does not exist or is not a journal of a
 * supported version. With `follow` (borrowed; may be NULL) the file may still be written to: waits
 * for the rest of an incomplete header or record, which becomes a torn tail when `more` returns
 * false. */
struct journal_reader *journal_reader_open(const char *path, const struct journal_follow *follow,
                                           struct err *err);
void journal_reader_close(struct journal_reader *r); /* NULL is fine */

/* Opens a journal whose bytes are passed to journal_reader_feed: journal_reader_next returns 0 when
 * it needs more of them, and any damage is an error. `shown` is its name in messages. */
struct journal_reader *journal_reader_open_fed(const char *shown);
void journal_reader_feed(struct journal_reader *r, const char *at, size_t length);

/* Returns the offset of the record that was read last. */
uint64_t journal_reader_byte(const struct journal_reader *r);

/* Returns the number of bytes that were fed but not read. */
size_t journal_reader_unread(const struct journal_reader *r);

/* Reads the next record; pointers inside it are valid until the next TURN or END is read. Returns
 * 1; 0 at the end, also before a torn tail; -1 with *err for damage in the middle (a bad checksum
 * with more data after it). */
int journal_reader_next(struct journal_reader *r, struct record *record, struct err *err);

/* Returns the number of unread bytes of a torn tail; valid after journal_reader_next returned 0. */
uint64_t journal_reader_torn(const struct journal_reader *r);

/* Returns the digest of every record read so far; at the end of a whole journal, the digest of its
 * run. */
uint64_t journal_reader_digest(const struct journal_reader *r);

/* Returns the version of the file. */
uint32_t journal_reader_version(const struct journal_reader *r);

/* Reports that the record `back` records before the last one contradicts earlier records: returns
 * -1 with *err, which names the file and the record. */
int journal_reader_object(const struct journal_reader *r, uint64_t back, const char *what,
                          struct err *err);
