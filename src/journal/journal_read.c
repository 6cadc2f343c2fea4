/* Reading the journal: from the bytes of a record to what it says.
 *
 * journal_scan.c finds records whose checksums are right; that keeps accidents out, but not an
 * enemy who can compute a checksum. So every count, enum and string is checked before it is used, a
 * record must be used up exactly, and records must stand in the order that the writer gives them.
 * END repeats the digest of all records before it: a journal from which whole records were cut out
 * is found there. */
#include "base/check.h"
#include "base/mem.h"
#include "journal/journal.h"
#include "journal/journal_decision.h"
#include "journal/journal_event.h"
#include "journal/journal_file.h"
#include "journal/journal_scan.h"

struct journal_reader {
    struct journal_scan scan;
    struct journal_scratch scratch; /* behind the pointers of the last record */
    XXH3_state_t *hash;             /* of all records so far */
    uint64_t records;               /* so far */
    int64_t now_us;
    uint32_t events_left, decisions_left; /* of the turn */
    bool begun, ended;                    /* RUN and END were seen */
    bool failed;
    struct err error; /* given again to whoever asks again */
};

/* NULL if a record of this type may stand here, else what is wrong with it. */
static const char *misplaced(const struct journal_reader *r, unsigned type)
{
    if (r->ended)
        return "a record follows the end of the run";
    if ((type == RECORD_RUN) == r->begun)
        return r->begun ? "a second run begins" : "the first record is not that of the run";
    if ((type == RECORD_EVENT) != (r->events_left > 0))
        return "the events of a turn are not as many as it says";
    if (r->events_left == 0 && (type == RECORD_DECISION) != (r->decisions_left > 0))
        return "the decisions of a turn are not as many as it says";
    return NULL;
}

static void get_turn(struct journal_reader *r, struct wire_in *in, struct record *record)
{
    uint64_t step = wire_get_max(in, (uint64_t)(INT64_MAX - r->now_us));
    record->u.turn.event_count = r->events_left = wire_get_u32(in);
    record->u.turn.decision_count = r->decisions_left = wire_get_u32(in);
    record->now_us = r->now_us += (int64_t)step;
}

/* Decodes type and payload. NULL, or what is wrong. */
static const char *decode(struct journal_reader *r, const unsigned char *at, size_t length,
                          struct record *record)
{
    struct wire_in in = {at + 1, at + length, false};
    const char *wrong = at[0] < RECORD_RUN || at[0] > RECORD_END ? "the type of a record is unknown"
                                                                 : misplaced(r, at[0]);
    if (wrong)
        return wrong;
    *record = (struct record){.type = at[0], .now_us = r->now_us};

    switch (record->type) {
    case RECORD_RUN:
        record->u.run.seed = wire_get_fixed64(&in);
        record->u.run.policy = wire_get_string(&in);
        record->u.run.body = wire_get_string(&in);
        r->begun = true;
        if (!record->u.run.policy || !record->u.run.body)
            wire_spoil(&in);
        break;
    case RECORD_TURN:
        get_turn(r, &in, record);
        break;
    case RECORD_EVENT:
        journal_event_get(&in, &record->u.event, &r->scratch);
        r->events_left--;
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
        if (wire_get_fixed64(&in) != XXH3_64bits_digest(r->hash))
            return "records are missing: the digest differs";
        break;
    }
    if (in.bad || in.at != in.end)
        return "a record makes no sense";
    return NULL;
}

static int fail(struct journal_reader *r, struct err *err)
{
    r->failed = true;
    *err = r->error;
    return -1;
}

int journal_next(struct journal_reader *r, struct record *record, struct err *err)
{
    const unsigned char *at;
    size_t length;
    if (r->scratch.blocks.count)
        journal_scratch_reset(&r->scratch);
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
    if (record->type != RECORD_END)
        XXH3_64bits_update(r->hash, at, length);
    return 1;
}

struct journal_reader *journal_open(const char *path, struct err *err)
{
    struct journal_scan scan;
    if (journal_scan_open(&scan, path, err) < 0)
        return NULL;
    struct journal_reader *r = mem_zalloc(1, sizeof *r);
    r->scan = scan;
    r->hash = XXH3_createState();
    check(r->hash && XXH3_64bits_reset(r->hash) == XXH_OK);
    return r;
}

uint64_t journal_torn(const struct journal_reader *r)
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

bool journal_reader_says_shared(const struct journal_reader *r)
{
    return r->scan.version >= JOURNAL_VERSION_READS;
}

uint64_t journal_reader_at(const struct journal_reader *r)
{
    return r->scan.offset + r->scan.current;
}

bool journal_reader_between(const struct journal_reader *r)
{
    return r->begun && r->events_left == 0 && r->decisions_left == 0;
}

int64_t journal_reader_now(const struct journal_reader *r)
{
    return r->now_us;
}

const XXH3_state_t *journal_reader_hash(const struct journal_reader *r)
{
    return r->hash;
}

int journal_reader_object(const struct journal_reader *r, const char *what, struct err *err)
{
    return err_set(err, "journal %s: record %llu: %s", r->scan.path, (unsigned long long)r->records,
                   what);
}

int journal_measure(const char *path, struct journal_extent *extent, struct err *err)
{
    struct journal_reader *r = journal_open(path, err);
    struct record record;
    bool in_turn = false;
    int status;

    *extent = (struct journal_extent){0};
    if (!r)
        return -1;
    while ((status = journal_next(r, &record, err)) > 0) {
        in_turn |= record.type == RECORD_TURN;
        extent->complete = record.type == RECORD_END;
        if (!journal_reader_between(r))
            continue;
        extent->end = journal_reader_at(r);
        extent->last_us = r->now_us;
        extent->turns += in_turn;
        in_turn = false;
    }
    journal_reader_close(r);
    return status;
}

void journal_reader_close(struct journal_reader *r)
{
    if (!r)
        return;
    journal_scan_close(&r->scan);
    XXH3_freeState(r->hash);
    journal_scratch_reset(&r->scratch);
    mem_free(r);
}
