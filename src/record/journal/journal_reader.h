/* journal_reader.h - the records of a journal, decoded and checked, one by one.
 *
 * A file that ends in the middle of a record (a torn tail) is read up to the last whole record. */
#ifndef RECORD_JOURNAL_JOURNAL_READER_H
#define RECORD_JOURNAL_JOURNAL_READER_H

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
            const char *about;  /* what it is about, "": not said */
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

/* Asked at the end of what the file holds so far: true if the reader shall look again for more,
 * false if that was all. It decides how long to wait. */
struct journal_follow {
    void *ctx;
    bool (*more)(void *ctx);
};

/* NULL with *err when there is no such file or it is not a journal of a version we read. With
 * `follow` (borrowed; may be NULL) the file may still be written to: a header or record of which
 * only the beginning is there is waited for, and becomes a torn tail when `more` returns false. */
struct journal_reader *journal_reader_open(const char *path, const struct journal_follow *follow,
                                           struct err *err);
void journal_reader_close(struct journal_reader *r); /* NULL is fine */

/* A journal of which the bytes are handed in as they come, from wherever: journal_reader_next
 * returns 0 when it needs more of them, and any damage is an error. `shown` is what messages call
 * it. */
struct journal_reader *journal_reader_open_fed(const char *shown);
void journal_reader_feed(struct journal_reader *r, const char *at, size_t length);

/* The byte at which the record that was read last begins, and bytes that were fed but not read. */
uint64_t journal_reader_byte(const struct journal_reader *r);
size_t journal_reader_unread(const struct journal_reader *r);

/* The next record; pointers inside it are valid until the next TURN or END is read. Returns 1; 0 at
 * the end, also before a torn tail; -1 with *err for damage in the middle (a bad checksum with more
 * data behind). */
int journal_reader_next(struct journal_reader *r, struct record *record, struct err *err);

/* Bytes of a torn tail that were left unread; meaningful after journal_reader_next returned 0. */
uint64_t journal_reader_torn(const struct journal_reader *r);

/* The digest of every record read so far; at the end of a whole journal, the digest of its run. */
uint64_t journal_reader_digest(const struct journal_reader *r);

/* The version of the file. */
uint32_t journal_reader_version(const struct journal_reader *r);

/* The record that lies `back` records before the last one does not fit to those before it: -1 with
 * *err, which names the file and the record. */
int journal_reader_object(const struct journal_reader *r, uint64_t back, const char *what,
                          struct err *err);

#endif
