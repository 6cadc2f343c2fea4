/* The reader against whole, cut, damaged and forged journals. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "record/journal/wire.h"
#include "tests/unit/test.h"

enum { SEED = 11, TURNS = 60 };

/* A sample journal in memory, and where each of its records begins (and the last one ends). */
struct image {
    char path[SAMPLE_PATH_MAX];
    unsigned char bytes[SAMPLE_FILE_MAX];
    size_t length, starts[4 * TURNS + 3];
    uint32_t records;
};

static size_t record_size(const unsigned char *at, const unsigned char *end)
{
    struct wire_in in = {at, end, false, false};
    uint64_t length = wire_get_uint(&in);
    return (size_t)(in.at - at) + (size_t)length + JOURNAL_CHECKSUM_BYTES;
}

static struct image *image_create(const char *name, uint32_t turns)
{
    struct image *m = mem_zalloc(1, sizeof *m);
    journal_sample_path(m->path, name);
    journal_sample_write(m->path, 0, SEED, turns);
    m->length = journal_sample_load(m->path, m->bytes);
    for (size_t at = JOURNAL_HEADER_BYTES; at < m->length; m->records++) {
        m->starts[m->records] = at;
        at += record_size(m->bytes + at, m->bytes + m->length);
    }
    m->starts[m->records] = m->length;
    return m;
}

static void image_destroy(struct image *m)
{
    unlink(m->path);
    mem_free(m);
}

struct result {
    int status;
    uint32_t records;
    uint64_t torn;
    struct err err;
};

static struct result read_file(const char *path)
{
    struct result result = {0};
    struct record record;
    struct journal_reader *r = journal_reader_open(path, NULL, &result.err);
    if (!r) {
        result.status = -2;
        return result;
    }
    while ((result.status = journal_reader_next(r, &record, &result.err)) > 0)
        result.records++;
    result.torn = journal_reader_torn(r);
    expect(journal_reader_next(r, &record, &result.err) == result.status);
    journal_reader_close(r);
    return result;
}

static struct result read_bytes(const struct image *m, const unsigned char *bytes, size_t length)
{
    journal_sample_store(m->path, bytes, length);
    return read_file(m->path);
}

/* Whether the record is what journal_sample_write wrote at turn `i`. */
static bool as_written(struct journal_reader *r, struct journal_sample *s, uint32_t i,
                       int64_t now_us)
{
    struct record record;
    struct err err;
    struct event e = journal_sample_event(s, (uint8_t)(1 + i % (EV_TYPE_END - 1)));
    if (journal_reader_next(r, &record, &err) != 1 || record.type != RECORD_TURN ||
        record.now_us != now_us || record.u.turn.event_count != 1 ||
        record.u.turn.decision_count != 1)
        return false;
    if (journal_reader_next(r, &record, &err) != 1 || record.type != RECORD_EVENT ||
        record.now_us != now_us || !journal_sample_event_equal(&e, &record.u.event))
        return false;
    struct decision d = journal_sample_decision(s, journal_sample_decision_type(i));
    if (journal_reader_next(r, &record, &err) != 1 || record.type != RECORD_DECISION ||
        record.now_us != now_us || !journal_sample_decision_equal(&d, &record.u.decision))
        return false;
    if (i % 3 != 0)
        return true;
    return journal_reader_next(r, &record, &err) == 1 && record.type == RECORD_INTENT &&
           attempt_equal(record.u.intent.at, d.at) &&
           record.u.intent.checksum == rng_u64(&s->rng) && record.u.intent.bytes == i;
}

/* What a run is about can be read, and is no part of the digest. */
TEST(journal_reader_gives_what_a_run_is_about)
{
    struct str long_text = {0};
    for (int i = 0; i < 100000; i++)
        str_add(&long_text, "node ");
    const char *const abouts[] = {NULL, "", "a rack", long_text.text};
    uint64_t digests[4];
    for (size_t i = 0; i < 4; i++) {
        char path[SAMPLE_PATH_MAX];
        struct record record;
        struct err err;
        journal_sample_path(path, "about");
        struct journal *j = journal_create(
            &(struct journal_options){.path = path, .about = abouts[i]}, 1, "none", "sim", &err);
        expect(j != NULL);
        digests[i] = journal_digest(j);
        expect(journal_close(j, true, &err) == 0);
        struct journal_reader *r = journal_reader_open(path, NULL, &err);
        expect(r && journal_reader_next(r, &record, &err) == 1);
        expect(!strcmp(record.u.run.about, abouts[i] ? abouts[i] : ""));
        expect(journal_reader_next(r, &record, &err) == 1 && record.type == RECORD_END);
        expect(journal_reader_digest(r) == digests[i] && digests[i] == digests[0]);
        journal_reader_close(r);
        unlink(path);
    }
    str_free(&long_text);
}

TEST(journal_reader_gives_what_was_written)
{
    enum { MANY = 20000 }; /* more than the reader's window holds */
    char path[SAMPLE_PATH_MAX];
    struct journal_sample s;
    struct record record;
    struct err err;
    journal_sample_path(path, "written");
    uint64_t digest = journal_sample_write(path, 0, SEED, MANY);
    journal_sample_init(&s, SEED);

    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    expect(r && journal_reader_next(r, &record, &err) == 1 && record.type == RECORD_RUN);
    expect(record.u.run.seed == SEED && !strcmp(record.u.run.policy, "dolly;beta=0.05") &&
           !strcmp(record.u.run.body, "sim"));
    int64_t now_us = 0;
    bool same = true;
    for (uint32_t i = 0; i < MANY && same; i++) {
        same = as_written(r, &s, i, now_us);
        now_us += (int64_t)rng_below(&s.rng, 1000000);
    }
    expect(same);
    expect(journal_reader_next(r, &record, &err) == 1 && record.type == RECORD_END);
    expect(journal_reader_next(r, &record, &err) == 0 && journal_reader_torn(r) == 0);
    expect(journal_reader_digest(r) == digest);
    journal_reader_close(r);
    unlink(path);
}

TEST(journal_reader_cut_anywhere)
{
    struct image *m = image_create("cut", 40);
    uint32_t whole = 0;
    for (size_t cut = 0; cut < m->length; cut++) {
        struct result got = read_bytes(m, m->bytes, cut);
        while (whole < m->records && m->starts[whole + 1] <= cut)
            whole++;
        if (cut < JOURNAL_HEADER_BYTES) {
            expect(got.status == -2 && got.err.kind == ERR_INPUT);
            continue;
        }
        expect(got.status == 0 && got.records == whole && got.torn == cut - m->starts[whole]);
    }
    image_destroy(m);
}

TEST(journal_reader_flipped_anywhere)
{
    struct image *m = image_create("flip", 40);
    struct rng rng = rng_stream(SEED, RNG_TEST, 1, 0, 0, 0);
    uint32_t record = 0;
    for (size_t at = 0; at < m->length; at++) {
        unsigned char was = m->bytes[at];
        m->bytes[at] ^= (unsigned char)(1u << rng_below(&rng, 8));
        struct result got = read_bytes(m, m->bytes, m->length);
        m->bytes[at] = was;
        while (m->starts[record + 1] <= at)
            record++;
        if (at < JOURNAL_HEADER_BYTES)
            expect(got.status == -2);
        else if (record == m->records - 1)
            expect(got.status <= 0 && got.records == record);
        else
            expect(got.status == -1 && got.err.kind == ERR_INPUT && got.records == record);
    }
    image_destroy(m);
}

TEST(journal_reader_bad_last_record_is_torn)
{
    struct image *m = image_create("last", 5);
    m->bytes[m->length - 1] ^= 1;
    struct result got = read_bytes(m, m->bytes, m->length);
    expect(got.status == 0 && got.records == m->records - 1);
    expect(got.torn == m->length - m->starts[m->records - 1]);
    image_destroy(m);
}

TEST(journal_reader_zeros_behind_are_torn)
{
    struct image *m = image_create("zeros", 5);
    size_t keep = m->starts[m->records - 1];
    memset(m->bytes + keep, 0, 5000);
    struct result got = read_bytes(m, m->bytes, keep + 5000);
    expect(got.status == 0 && got.records == m->records - 1 && got.torn == 5000);
    /* Half a record, then zeros. */
    keep = m->starts[m->records - 2] + 3;
    memset(m->bytes + keep, 0, 5000);
    got = read_bytes(m, m->bytes, keep + 5000);
    expect(got.status == 0 && got.records == m->records - 2 && got.torn == 5003);
    m->bytes[keep + 4999] = 1;
    got = read_bytes(m, m->bytes, keep + 5000);
    expect(got.status == -1 && got.records == m->records - 2);
    image_destroy(m);
}

/* Cuts record `which` out of the middle, all others whole. */
static struct result without(struct image *m, uint32_t which)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    size_t from = m->starts[which], to = m->starts[which + 1];
    memcpy(bytes, m->bytes, from);
    memcpy(bytes + from, m->bytes + to, m->length - to);
    return read_bytes(m, bytes, m->length - (to - from));
}

TEST(journal_reader_misses_records)
{
    struct image *m = image_create("missing", 10);
    for (uint32_t i = 0; i + 1 < m->records; i++)
        expect(without(m, i).status == -1);
    expect(without(m, m->records - 1).status == 0); /* only END: a run that was not closed */

    size_t run = m->starts[1] - m->starts[0];
    memcpy(m->bytes + m->length, m->bytes + m->starts[0], run);
    struct result got = read_bytes(m, m->bytes, m->length + run);
    expect(got.status == -1 && strstr(got.err.text, "end of the run"));
    image_destroy(m);
}

static void sign(unsigned char *at, const unsigned char *end)
{
    size_t size = record_size(at, end);
    struct wire_in in = {at, end, false, false};
    size_t length = (size_t)wire_get_uint(&in);
    wire_put_fixed32(at + size - JOURNAL_CHECKSUM_BYTES,
                     journal_file_checksum(at + size - JOURNAL_CHECKSUM_BYTES - length, length));
}

/* An enemy computes checksums: nothing but the reader's own care stands in the way. */
TEST(journal_reader_forged_records)
{
    struct image *m = image_create("forged", TURNS);
    static unsigned char bytes[SAMPLE_FILE_MAX];
    struct rng rng = rng_stream(SEED, RNG_TEST, 2, 0, 0, 0);
    uint32_t refused = 0;
    for (int round = 0; round < 3000; round++) {
        memcpy(bytes, m->bytes, m->length);
        uint32_t which = (uint32_t)rng_below(&rng, m->records - 1);
        size_t from = m->starts[which], to = m->starts[which + 1] - JOURNAL_CHECKSUM_BYTES;
        size_t head = bytes[from] < 0x80 ? 1 : 2;
        for (uint64_t n = 1 + rng_below(&rng, 4); n > 0; n--)
            bytes[from + head + rng_below(&rng, to - from - head)] = (unsigned char)rng_u64(&rng);
        sign(bytes + from, bytes + m->length);
        struct result got = read_bytes(m, bytes, m->length);
        expect(got.status == -1 || memcmp(bytes, m->bytes, m->length) == 0);
        refused += got.records == which;
    }
    expect(refused > 1000 && refused < 3000); /* the rest is found out at the end, by the digest */
    image_destroy(m);
}

/* A journal of jobs with one phase of JOB_TASKS_MAX tasks each, `last` in the last one. */
static struct result read_claim(uint32_t jobs, uint32_t last)
{
    char path[SAMPLE_PATH_MAX];
    struct err err;
    journal_sample_path(path, "claim");
    struct journal *j =
        journal_create(&(struct journal_options){.path = path}, 1, "none", "sim", &err);
    struct tap tap = journal_tap(j);
    for (uint32_t i = 0; i < jobs; i++) {
        struct phase_spec phase = {.name = "p", .tasks = i + 1 < jobs ? JOB_TASKS_MAX : last};
        struct job_spec job = {.id = {i},
                               .name = "j",
                               .user = "",
                               .queue = "",
                               .app = "",
                               .weight = 1,
                               .phase_count = 1,
                               .phases = &phase};
        struct event e = {.type = EV_JOB_SUBMITTED, .at.job = {i}, .u.job = &job};
        expect(tap.turn(tap.ctx, &(struct turn){i, &e, NULL, 1, 0, NULL}, &err) == 0);
    }
    expect(journal_close(j, true, &err) == 0);
    struct result got = read_file(path);
    unlink(path);
    return got;
}

/* A phase as large as can be, of which nothing was done yet, and then a task for each byte. */
TEST(journal_reader_wants_tasks_borne_out)
{
    expect(read_claim(1, JOB_TASKS_MAX).status == 0);
    expect(read_claim(2, 100).status == 0);
    struct result got = read_claim(2, 1000);
    expect(got.status == -1 && strstr(got.err.text, "more tasks than the file has bytes for"));
    expect(read_claim(10, JOB_TASKS_MAX).status == -1);
}

TEST(journal_reader_other_files)
{
    char path[SAMPLE_PATH_MAX];
    struct err err;
    journal_sample_path(path, "other");
    expect(!journal_reader_open(path, NULL, &err) && err.kind == ERR_INPUT &&
           strstr(err.text, path));
    expect(!journal_reader_open("/", NULL, &err) && err.kind == ERR_INPUT);
    expect(!strcmp(err.text, "/: is a folder, not a journal"));
    expect(!journal_reader_open("/proc/self/mem", NULL, &err) && err.kind == ERR_SYSTEM);
    expect(!strcmp(err.text, "journal /proc/self/mem: cannot read: Input/output error"));

    unsigned char header[JOURNAL_HEADER_BYTES];
    for (uint32_t version = JOURNAL_VERSION_OLDEST; version <= JOURNAL_VERSION; version++) {
        journal_file_header(header, version);
        journal_sample_store(path, header, sizeof header);
        struct result got = read_file(path);
        expect(got.status == 0 && got.records == 0 && got.torn == 0);
    }

    header[JOURNAL_MAGIC_BYTES] = JOURNAL_VERSION + 1;
    journal_sample_store(path, header, sizeof header);
    expect(!journal_reader_open(path, NULL, &err) && strstr(err.text, "checksum of the header"));
    static const uint32_t others[] = {0, JOURNAL_VERSION_OLDEST - 1, JOURNAL_VERSION + 1};
    for (int i = 0; i < 3; i++) {
        journal_file_header(header, others[i]);
        journal_sample_store(path, header, sizeof header);
        expect(!journal_reader_open(path, NULL, &err) && strstr(err.text, "reads versions 2 to 6"));
    }

    journal_sample_store(path, (const unsigned char *)"{\"not\": \"a journal\"}\n", 21);
    expect(!journal_reader_open(path, NULL, &err) && err.kind == ERR_INPUT &&
           strstr(err.text, "not a journal"));
    unlink(path);
}

/* The end of a file is no error, whatever errno was before. */
TEST(journal_reader_ends_whatever_was_interrupted_before)
{
    struct image *m = image_create("errno", 3);
    struct err err;
    struct record record;
    struct journal_reader *r = journal_reader_open(m->path, NULL, &err);
    uint32_t records = 0;
    do
        errno = EINTR;
    while (r && journal_reader_next(r, &record, &err) > 0 && ++records <= m->records);
    expect(records == m->records);
    journal_reader_close(r);
    image_destroy(m);
}

/* However the bytes come, the records are the same; what is not whole is waited for. */
TEST(journal_reader_takes_bytes_as_they_come)
{
    struct image *m = image_create("reader-fed", TURNS);
    struct result whole = read_file(m->path);
    for (size_t step = 1; step < 400; step += 133) {
        struct journal_reader *r = journal_reader_open_fed("fed");
        struct record record;
        struct err err;
        uint32_t records = 0;
        int got = 0;
        for (size_t at = 0; at < m->length && got == 0; at += step) {
            size_t n = m->length - at < step ? m->length - at : step;
            journal_reader_feed(r, (const char *)m->bytes + at, n);
            while ((got = journal_reader_next(r, &record, &err)) > 0)
                records++;
        }
        expect(got == 0 && records == whole.records && journal_reader_unread(r) == 0);
        journal_reader_close(r);
    }
    image_destroy(m);
}

TEST(journal_reader_that_is_fed_finds_damage)
{
    struct image *m = image_create("reader-fed-bad", TURNS);
    struct journal_reader *r = journal_reader_open_fed("fed");
    struct record record;
    struct err err;
    uint32_t records = 0;
    int got;
    m->bytes[m->starts[5] + 3] ^= 1;
    journal_reader_feed(r, (const char *)m->bytes, m->length);
    while ((got = journal_reader_next(r, &record, &err)) > 0)
        records++;
    expect(got == -1 && records == 5 && strstr(err.text, "damaged at byte"));
    journal_reader_close(r);
    r = journal_reader_open_fed("fed");
    journal_reader_feed(r, "no journal at all", 17);
    expect(journal_reader_next(r, &record, &err) == -1 && strstr(err.text, "not a journal"));
    journal_reader_close(r);
    image_destroy(m);
}

/* Names stay where they are until the turn is over, however much comes behind them. */
TEST(journal_reader_that_is_fed_keeps_names)
{
    enum { NODES = 12000 };
    char path[SAMPLE_PATH_MAX], name[] = "a-node-with-a-name-of-forty-characters-1";
    struct err err;
    journal_sample_path(path, "reader-names");
    struct journal *j =
        journal_create(&(struct journal_options){.path = path}, 1, "none", "sim", &err);
    struct event *events = mem_zalloc(NODES + 1, sizeof *events);
    events[0] = (struct event){.type = EV_RESOURCE, .u.resource.name = "quicksilver"};
    for (uint32_t i = 1; i <= NODES; i++)
        events[i] = (struct event){.type = EV_NODE_UP, .node = {i}, .u.node.name = name};
    struct turn turn = {.events = events, .event_count = NODES + 1};
    expect(j && journal_tap(j).turn(j, &turn, &err) == 0 && journal_close(j, true, &err) == 0);
    struct journal_reader *r = journal_reader_open_fed("fed");
    FILE *f = fopen(path, "re");
    const char *kept = NULL;
    uint32_t nodes = 0, wrong = 0;
    for (int c; f && (c = getc(f)) != EOF;) {
        struct record record;
        char byte = (char)c;
        journal_reader_feed(r, &byte, 1);
        while (journal_reader_next(r, &record, &err) > 0) {
            bool event = record.type == RECORD_EVENT;
            if (event && record.u.event.type == EV_RESOURCE)
                kept = record.u.event.u.resource.name;
            nodes += event && record.u.event.type == EV_NODE_UP;
            wrong += event && strcmp(kept, "quicksilver") != 0;
        }
    }
    expect(nodes == NODES && wrong == 0);
    if (f)
        fclose(f);
    journal_reader_close(r);
    mem_free(events);
    unlink(path);
}
