/* Reading the journal: from the bytes of a record to what it says.
 *
 * journal_scan.c finds records whose checksums are right; that keeps accidents out, but not an
 * enemy who can compute a checksum. So every count, enum and string is checked before it is used, a
 * record must be used up exactly, records must stand in the order that the writer gives them, and
 * the size of the file must bear out how many tasks there are. END repeats the digest of all
 * records before it: a journal from which whole records were cut out is found there. */
#include "record/journal/journal_reader.h"

#include <sys/stat.h>

#include "base/check.h"
#include "base/mem.h"
#include "record/journal/journal_decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_scan.h"

struct journal_reader {
    struct journal_scan scan;
    struct wire_scratch scratch; /* behind the pointers of the turn's records */
    XXH3_state_t *hash;          /* of all records so far */
    /* What journal_continue needs while a turn is not whole: all that was before it. */
    struct journal_mark before;
    XXH3_state_t *hash_before;
    uint64_t records; /* so far */
    uint64_t tasks;   /* of all jobs that were submitted */
    int64_t now_us;
    uint32_t events_left, decisions_left; /* of the turn */
    bool begun, ended;                    /* RUN and END were seen */
    bool failed;
    struct err error; /* given again at every later call */
};

/* NULL if a record of this type may stand here, else what is wrong with it. */
static const char *misplaced(const struct journal_reader *r, unsigned type)
{
    if (r->ended)
        return "a record follows the end of the run";
    if ((type == RECORD_RUN) == r->begun)
        return r->begun ? "a second run begins" : "the first record is not that of the run";
    if ((type == RECORD_EVENT) != (r->events_left > 0))
        return "a turn does not have the number of events that it states";
    if (r->events_left == 0 && (type == RECORD_DECISION) != (r->decisions_left > 0))
        return "a turn does not have the number of decisions that it states";
    return NULL;
}

static void get_turn(struct journal_reader *r, struct wire_in *in, struct record *record)
{
    r->before = (struct journal_mark){r->scan.offset, r->now_us, r->hash_before};
    XXH3_copyState(r->hash_before, r->hash);
    uint64_t step = wire_get_max(in, (uint64_t)(INT64_MAX - r->now_us));
    record->u.turn.event_count = r->events_left = wire_get_u32(in);
    record->u.turn.decision_count = r->decisions_left = wire_get_u32(in);
    record->now_us = r->now_us += (int64_t)step;
}

/* Whether so many tasks may have been submitted. Who reads a journal keeps something of each, and a
 * job of a hundred million takes a few hundred bytes to claim. A run that was cut short may have
 * one large phase of which nothing was done; beyond that a task takes a byte somewhere. */
static bool are_borne_out(const struct journal_reader *r, uint64_t tasks)
{
    struct stat file;
    return tasks <= JOB_TASKS_MAX || r->scan.fed || fstat(r->scan.fd, &file) < 0 ||
           !S_ISREG(file.st_mode) || tasks - JOB_TASKS_MAX <= (uint64_t)file.st_size;
}

/* The bytes of a record with strings in it, moved to where they stay until the turn is over. */
static const unsigned char *keep_strings(struct journal_reader *r, const unsigned char *at,
                                         size_t length)
{
    bool has = at[0] == RECORD_RUN ||
               (at[0] == RECORD_EVENT && length > 1 &&
                (at[1] == EV_JOB_SUBMITTED || at[1] == EV_NODE_UP || at[1] == EV_RESOURCE));
    return has ? memcpy(wire_scratch_add(&r->scratch, length, 1), at, length) : at;
}

/* Decodes type and payload. NULL, or what is wrong. */
static const char *decode(struct journal_reader *r, const unsigned char *at, size_t length,
                          struct record *record)
{
    const char *wrong = at[0] < RECORD_RUN || at[0] > RECORD_END ? "the type of a record is unknown"
                                                                 : misplaced(r, at[0]);
    if (wrong)
        return wrong;
    if (at[0] == RECORD_TURN || at[0] == RECORD_END)
        wire_scratch_reset(&r->scratch);
    at = keep_strings(r, at, length);
    struct wire_in in = {at + 1, at + length, .old = r->scan.version < JOURNAL_VERSION_APPS};
    *record = (struct record){.type = at[0], .now_us = r->now_us};

    switch (record->type) {
    case RECORD_RUN:
        record->u.run.seed = wire_get_fixed64(&in);
        record->u.run.policy = wire_get_string(&in);
        record->u.run.body = wire_get_string(&in);
        record->u.run.about = in.old ? "" : wire_get_string(&in);
        r->begun = true;
        if (!record->u.run.policy || !record->u.run.body || !record->u.run.about)
            wire_spoil(&in);
        break;
    case RECORD_TURN:
        get_turn(r, &in, record);
        break;
    case RECORD_EVENT:
        journal_event_get(&in, &record->u.event, &r->scratch);
        r->events_left--;
        if (!in.bad && record->u.event.type == EV_JOB_SUBMITTED)
            r->tasks += job_tasks(record->u.event.u.job);
        if (!are_borne_out(r, r->tasks))
            return "jobs have more tasks than the file has bytes for";
        break;
    case RECORD_DECISION:
        journal_decision_get(&in, &record->u.decision);
        r->decisions_left--;
        break;
    case RECORD_INTENT:
        record->u.intent.at = wire_get_at(&in);
        record->u.intent.checksum = wire_get_fixed64(&in);
        record->u.intent.bytes = wire_get_int(&in);
        break;
    case RECORD_END:
        r->ended = true;
        r->scan.follow = NULL;
        if (wire_get_fixed64(&in) != XXH3_64bits_digest(r->hash))
            return "records are missing: the digest differs";
        break;
    }
    if (in.bad || in.at != in.end)
        return "a record is invalid";
    return NULL;
}

static int fail(struct journal_reader *r, struct err *err)
{
    r->failed = true;
    *err = r->error;
    return -1;
}

int journal_reader_next(struct journal_reader *r, struct record *record, struct err *err)
{
    const unsigned char *at;
    size_t length;
    if (r->failed)
        return fail(r, err);
    int status = journal_scan_next(&r->scan, &at, &length, &r->error);
    if (status < 0)
        return fail(r, err);
    if (status == 0)
        return 0;

    r->records++;
    const char *wrong = decode(r, at, length, record);
    if (wrong) {
        err_set(&r->error, "journal %s: damaged at byte %llu: %s", r->scan.path,
                (unsigned long long)r->scan.offset, wrong);
        return fail(r, err);
    }
    if (record->type == RECORD_RUN && *record->u.run.about) {
        size_t about = wire_string_bytes(record->u.run.about);
        XXH3_64bits_update(r->hash, at, length - about);
        XXH3_64bits_update(r->hash, WIRE_EMPTY_STRING, sizeof WIRE_EMPTY_STRING);
    } else if (record->type != RECORD_END) {
        XXH3_64bits_update(r->hash, at, length);
    }
    return 1;
}

static XXH3_state_t *hash_create(void)
{
    XXH3_state_t *hash = XXH3_createState();
    check(hash && XXH3_64bits_reset(hash) == XXH_OK);
    return hash;
}

static struct journal_reader *reader_create(const struct journal_scan *scan)
{
    struct journal_reader *r = mem_zalloc(1, sizeof *r);
    r->scan = *scan;
    r->hash = hash_create();
    r->hash_before = hash_create();
    return r;
}

struct journal_reader *journal_reader_open(const char *path, const struct journal_follow *follow,
                                           struct err *err)
{
    struct journal_scan scan;
    return journal_scan_open(&scan, path, follow, err) < 0 ? NULL : reader_create(&scan);
}

struct journal_reader *journal_reader_open_fed(const char *shown)
{
    struct journal_scan scan = {.path = mem_strdup(shown), .fd = -1, .fed = true};
    return reader_create(&scan);
}

void journal_reader_feed(struct journal_reader *r, const char *at, size_t length)
{
    journal_scan_feed(&r->scan, at, length);
}

uint64_t journal_reader_byte(const struct journal_reader *r)
{
    return r->scan.offset;
}

size_t journal_reader_unread(const struct journal_reader *r)
{
    return r->scan.to - r->scan.from - r->scan.current;
}

uint64_t journal_reader_torn(const struct journal_reader *r)
{
    return r->scan.torn;
}

uint64_t journal_reader_digest(const struct journal_reader *r)
{
    return XXH3_64bits_digest(r->hash);
}

uint32_t journal_reader_version(const struct journal_reader *r)
{
    return r->scan.version;
}

struct journal_mark journal_reader_mark(const struct journal_reader *r)
{
    if (r->events_left || r->decisions_left)
        return r->before;
    uint64_t end = r->scan.offset + r->scan.current - r->scan.torn;
    return (struct journal_mark){end, r->now_us, r->hash};
}

int journal_reader_object(const struct journal_reader *r, uint64_t back, const char *what,
                          struct err *err)
{
    return err_set(err, "journal %s: record %llu: %s", r->scan.path,
                   (unsigned long long)(r->records - back), what);
}

void journal_reader_close(struct journal_reader *r)
{
    if (!r)
        return;
    journal_scan_close(&r->scan);
    XXH3_freeState(r->hash);
    XXH3_freeState(r->hash_before);
    wire_scratch_reset(&r->scratch);
    mem_free(r);
}
