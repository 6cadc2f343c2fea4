/* Writing the journal.
 *
 * The writer sits in the loop of a simulation that makes millions of records a second, and in the
 * loop of an engine whose records must survive a crash. Both want the same thing: records are
 * encoded straight into one large buffer, with one test for room per record, and leave it rarely.
 * Without a file the buffer holds only types and payloads, and leaves by being hashed in one go;
 * with a file each record also gets its length and checksum, and the buffer leaves by write.
 *
 * The digest covers type and payload of every record but END. Lengths, checksums, the file's header
 * and the buffer's size are not in it, so it is the same with and without a file; END is not, so
 * that it can be asked for before the run is closed, and because END holds the digest itself: a
 * reader that reaches END knows that no record is missing.
 *
 * The first failure is final. It is kept and given again to every later call: a journal with a hole
 * in the middle would be worse than one that ends. Files are never overwritten (O_EXCL): an old
 * journal is the only truth about an old run.
 *
 * Rejected: a writer thread (nothing to gain while the kernel buffers, and order to lose), and
 * padding records to blocks (a torn tail is found by its checksum just as well). */
#include "record/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/write_all.h"
#include "base/rare.h"
#include "record/journal/journal_decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_reader.h"

enum {
    BUFFER_DEFAULT = 1 << 18,
    BUFFER_DEFAULT_NO_FILE = 1 << 15, /* stays in the first cache */
    LENGTH_MAX = WIRE_U32_MAX,
    TURN_MAX = 1 + WIRE_U64_MAX + 2 * WIRE_U32_MAX,
    INTENT_MAX = 1 + WIRE_AT_BYTES + 8 + WIRE_U64_MAX,
};

struct journal {
    char *path; /* NULL: no file, only the digest */
    int fd;
    unsigned char *buffer;
    size_t used, cap;
    XXH3_state_t *hash; /* of what has left the buffer, or with a file of all records */
    int64_t now_us;     /* of the last turn */
    bool unsynced;      /* something was written since the last sync */
    bool entry_synced;  /* the folder's entry is durable, too */
    bool each_turn;     /* turns do not wait in the buffer */
    bool old;           /* it continues one from before JOURNAL_VERSION_APPS */
    bool failed;
    struct err error; /* of the first failure */
};

static int fail(struct journal *j, const char *what)
{
    j->failed = true;
    return err_system(&j->error, "journal %s: %s: %s", j->path, what, strerror(errno));
}

/* Gives the first failure to a caller. */
static int outcome(const struct journal *j, struct err *err)
{
    if (!j->failed)
        return 0;
    *err = j->error;
    return -1;
}

/* Empties the buffer into the file, or into the hash where there is none. */
static int flush(struct journal *j)
{
    if (!j->path)
        XXH3_64bits_update(j->hash, j->buffer, j->used);
    else if (write_all(j->fd, j->buffer, j->used) < 0)
        return fail(j, "cannot write");
    j->unsynced |= j->path && j->used > 0;
    j->used = 0;
    return 0;
}

static int reserve(struct journal *j, size_t bound)
{
    if (flush(j) < 0)
        return -1;
    if (bound > j->cap) {
        j->cap = bound;
        j->buffer = mem_resize(j->buffer, j->cap, 1);
    }
    return 0;
}

/* Where a record of at most `bound` bytes (type and payload) is to be put, or NULL after a failure.
 * With a file, the byte before it is free for the length. */
static inline unsigned char *record_begin(struct journal *j, size_t bound)
{
    size_t framed = bound + LENGTH_MAX + JOURNAL_CHECKSUM_BYTES;
    if (j->cap - j->used < framed && reserve(j, framed) < 0)
        return NULL;
    return j->buffer + j->used + (j->path != NULL);
}

/* Adds length and checksum to the record that lies between `start` and `end`. */
static void record_frame(struct journal *j, unsigned char *start, unsigned char *end)
{
    size_t length = (size_t)(end - start);
    uint32_t checksum = journal_file_checksum(start, length);
    unsigned char *head = start - 1;
    if (length >= 0x80) {
        unsigned char number[WIRE_U64_MAX];
        size_t n = (size_t)(wire_put_uint(number, length) - number);
        memmove(head + n, start, length);
        memcpy(head, number, n);
        end += n - 1;
    } else {
        *head = (unsigned char)length;
    }
    end = wire_put_fixed32(end, checksum);
    j->used = (size_t)(end - j->buffer);
}

static inline void record_end(struct journal *j, unsigned char *start, unsigned char *end)
{
    if (!j->path) {
        j->used = (size_t)(end - j->buffer);
        return;
    }
    XXH3_64bits_update(j->hash, start, (size_t)(end - start));
    record_frame(j, start, end);
}

static int put_run(struct journal *j, uint64_t seed, const char *policy, const char *body,
                   const char *about)
{
    size_t bound =
        1 + 8 + wire_string_bound(policy) + wire_string_bound(body) + wire_string_bound(about);
    unsigned char *start = record_begin(j, bound), *p = start;
    if (!p)
        return -1;
    *p++ = RECORD_RUN;
    p = wire_put_fixed64(p, seed);
    p = wire_put_string(p, policy);
    p = wire_put_string(p, body);
    if (!*about) {
        record_end(j, start, wire_put_string(p, about));
        return 0;
    }
    XXH3_64bits_update(j->hash, start, (size_t)(p - start));
    XXH3_64bits_update(j->hash, WIRE_EMPTY_STRING, sizeof WIRE_EMPTY_STRING);
    record_frame(j, start, wire_put_string(p, about));
    return 0;
}

static unsigned char *put_turn_payload(unsigned char *p, const struct journal *j,
                                       const struct turn *turn)
{
    check(turn->now_us >= j->now_us);
    *p++ = RECORD_TURN;
    p = wire_put_uint(p, (uint64_t)(turn->now_us - j->now_us));
    p = wire_put_uint(p, turn->event_count);
    return wire_put_uint(p, turn->decision_count);
}

static int put_turn(struct journal *j, const struct turn *turn)
{
    unsigned char *start = record_begin(j, TURN_MAX);
    if (!start)
        return -1;
    record_end(j, start, put_turn_payload(start, j, turn));
    j->now_us = turn->now_us;
    return 0;
}

static int too_large(struct journal *j, const struct event *e)
{
    j->failed = true;
    return err_set(&j->error, "journal %s: an event of type %u is too large to be recorded",
                   j->path ? j->path : "(no file)", e->type);
}

static int put_event(struct journal *j, const struct event *e)
{
    size_t bound = 1 + journal_event_bound(e);
    if (bound > JOURNAL_RECORD_MAX)
        return too_large(j, e);
    unsigned char *start = record_begin(j, bound);
    if (!start)
        return -1;
    *start = RECORD_EVENT;
    record_end(j, start, journal_event_put(start + 1, e, j->old));
    return 0;
}

static int put_decision(struct journal *j, const struct decision *d)
{
    unsigned char *start = record_begin(j, 1 + JOURNAL_DECISION_MAX);
    if (!start)
        return -1;
    *start = RECORD_DECISION;
    record_end(j, start, journal_decision_put(start + 1, d));
    return 0;
}

/* ---- records without frames, for a journal without a file ---- */

/* Where a record of at most `bound` bytes goes that follows what ends at `p`. */
static inline unsigned char *bare_begin(struct journal *j, unsigned char *p, size_t bound)
{
    if ((size_t)(j->buffer + j->cap - p) >= bound)
        return p;
    j->used = (size_t)(p - j->buffer);
    reserve(j, bound); /* hashing does not fail */
    return j->buffer;
}

/* All records of a turn, each of which is given room of its own. */
RARE static int bare_turn_by_records(struct journal *j, const struct turn *turn, struct err *err)
{
    unsigned char *p = bare_begin(j, j->buffer + j->used, TURN_MAX);
    p = put_turn_payload(p, j, turn);
    j->now_us = turn->now_us;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *e = &turn->events[i];
        size_t bound = 1 + journal_event_bound(e);
        if (bound > JOURNAL_RECORD_MAX) {
            too_large(j, e);
            return outcome(j, err);
        }
        p = bare_begin(j, p, bound);
        *p++ = RECORD_EVENT;
        p = journal_event_put(p, e, false);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        p = bare_begin(j, p, 1 + JOURNAL_DECISION_MAX);
        *p++ = RECORD_DECISION;
        p = journal_decision_put(p, &turn->decisions[i]);
    }
    j->used = (size_t)(p - j->buffer);
    return 0;
}

/* Whether no record of the turn may be long. */
static inline bool turn_is_plain(const struct turn *turn)
{
    for (uint32_t i = 0; i < turn->event_count; i++)
        if (journal_event_has_more(&turn->events[i]))
            return false;
    return true;
}

/* All records of a turn. Flat, because a simulation does little else with most of its events, and
 * room is made once for all of them if that is not too large for the buffer. */
__attribute__((flatten)) static int bare_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct journal *j = ctx;
    size_t bound = TURN_MAX + turn->event_count * (size_t)(1 + JOURNAL_EVENT_MAX) +
                   turn->decision_count * (size_t)(1 + JOURNAL_DECISION_MAX);
    if (j->failed)
        return outcome(j, err);
    if (bound > j->cap || !turn_is_plain(turn))
        return bare_turn_by_records(j, turn, err);
    unsigned char *p = bare_begin(j, j->buffer + j->used, bound);
    p = put_turn_payload(p, j, turn);
    j->now_us = turn->now_us;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        *p++ = RECORD_EVENT;
        p = journal_event_put(p, &turn->events[i], false);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        *p++ = RECORD_DECISION;
        p = journal_decision_put(p, &turn->decisions[i]);
    }
    j->used = (size_t)(p - j->buffer);
    return 0;
}

static int framed_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct journal *j = ctx;
    int status = j->failed ? -1 : put_turn(j, turn);
    for (uint32_t i = 0; i < turn->event_count && status == 0; i++)
        status = put_event(j, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count && status == 0; i++)
        status = put_decision(j, &turn->decisions[i]);
    if (status == 0 && j->each_turn)
        flush(j);
    return outcome(j, err);
}

struct tap journal_tap(struct journal *j)
{
    return (struct tap){.ctx = j, .turn = j->path ? framed_turn : bare_turn};
}

int journal_intent(struct journal *j, struct attempt_ref at, uint64_t checksum, int64_t bytes,
                   struct err *err)
{
    unsigned char *start = j->failed ? NULL : record_begin(j, INTENT_MAX);
    if (!start)
        return outcome(j, err);
    unsigned char *p = start;
    *p++ = RECORD_INTENT;
    p = wire_put_at(p, at);
    p = wire_put_fixed64(p, checksum);
    p = wire_put_int(p, bytes);
    record_end(j, start, p);
    return 0;
}

/* A synced file whose name is lost is lost. A folder that cannot be opened for reading or does not
 * support it cannot be synced; that is no reason to stop. */
static int sync_entry(struct journal *j)
{
    char *copy = mem_strdup(j->path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(copy);
    if (folder < 0)
        return 0;
    int status = fsync(folder) < 0 && errno != EINVAL ? fail(j, "cannot sync its folder") : 0;
    close(folder);
    return status;
}

int journal_sync(struct journal *j, struct err *err)
{
    if (j->failed || !j->path || flush(j) < 0 || !j->unsynced)
        return outcome(j, err);
    if (fdatasync(j->fd) < 0) {
        fail(j, "cannot sync");
        return outcome(j, err);
    }
    j->unsynced = false;
    if (!j->entry_synced && sync_entry(j) == 0)
        j->entry_synced = true;
    return outcome(j, err);
}

uint64_t journal_digest(struct journal *j)
{
    if (!j->path)
        flush(j);
    return XXH3_64bits_digest(j->hash);
}

static void destroy(struct journal *j)
{
    XXH3_freeState(j->hash);
    mem_free(j->buffer);
    mem_free(j->path);
    mem_free(j);
}

/* The fault of the machine, or of the path? */
static int open_error(struct err *err, const char *path)
{
    switch (errno) {
    case EEXIST:
        return err_set(err, "journal %s: exists already; remove it or choose another name", path);
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return err_system(err, "journal %s: cannot create: %s", path, strerror(errno));
    default:
        return err_set(err, "journal %s: cannot create: %s", path, strerror(errno));
    }
}

static struct journal *make(const struct journal_options *options, int fd)
{
    struct journal *j = mem_zalloc(1, sizeof *j);
    size_t normal = options->path ? BUFFER_DEFAULT : BUFFER_DEFAULT_NO_FILE;
    j->path = mem_strdup(options->path);
    j->fd = fd;
    j->each_turn = options->each_turn;
    j->cap = options->buffer_bytes ? options->buffer_bytes : normal;
    if (j->cap < JOURNAL_HEADER_BYTES)
        j->cap = JOURNAL_HEADER_BYTES;
    j->buffer = mem_resize(NULL, j->cap, 1);
    j->hash = XXH3_createState();
    check(j->hash);
    return j;
}

struct journal *journal_create(const struct journal_options *options, uint64_t seed,
                               const char *policy, const char *body, struct err *err)
{
    check(policy && body);
    int fd = -1;
    if (options->path) {
        fd = open(options->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) {
            open_error(err, options->path);
            return NULL;
        }
    }

    struct journal *j = make(options, fd);

    check(XXH3_64bits_reset(j->hash) == XXH_OK);
    if (j->path) {
        journal_file_header(j->buffer, JOURNAL_VERSION);
        j->used = JOURNAL_HEADER_BYTES;
    }
    /* Flushed at once: a disk that is full already shows before anything runs. */
    const char *about = options->path && options->about ? options->about : "";
    if (put_run(j, seed, policy, body, about) == 0 && flush(j) == 0)
        return j;
    outcome(j, err);
    unlink(j->path);
    close(fd);
    destroy(j);
    return NULL;
}

struct journal *journal_continue(const struct journal_options *options,
                                 const struct journal_reader *r, struct err *err)
{
    struct journal_mark mark = journal_reader_mark(r);
    off_t end = (off_t)mark.end;
    int fd = open(options->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        err_system(err, "journal %s: cannot open: %s", options->path, strerror(errno));
        return NULL;
    }
    if (ftruncate(fd, end) < 0 || lseek(fd, end, SEEK_SET) < 0) {
        err_system(err, "journal %s: cannot truncate it: %s", options->path, strerror(errno));
        close(fd);
        return NULL;
    }
    struct journal *j = make(options, fd);
    XXH3_copyState(j->hash, mark.hash);
    j->now_us = mark.now_us;
    j->old = journal_reader_version(r) < JOURNAL_VERSION_APPS;
    j->unsynced = true; /* what the last run wrote may not have reached the disk */
    return j;
}

int journal_close(struct journal *j, bool complete, struct err *err)
{
    if (!j)
        return 0;
    if (j->path && complete && !j->failed) {
        uint64_t digest = journal_digest(j);
        unsigned char *start = record_begin(j, 1 + 8);
        if (start) {
            *start = RECORD_END;
            record_frame(j, start, wire_put_fixed64(start + 1, digest));
        }
    }
    if (j->path && !j->failed)
        flush(j);
    if (j->path && close(j->fd) < 0 && errno != EINTR && !j->failed)
        fail(j, "cannot close");
    int status = outcome(j, err);
    destroy(j);
    return status;
}
