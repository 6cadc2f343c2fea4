/* Journals that somebody has changed on purpose.
 *
 * A journal is taken apart into records. One to four changes are made: a byte of a record, a number
 * of any length in the place of a byte, an attempt's coordinates, an event or decision that is left
 * out, doubled (the turn counts along) or put in the place of another. Then it is put together
 * again with the right lengths, checksums and digest, which is what an enemy would do. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_reader.h"
#include "tests/fuzz/fuzz.h"

/* Type and payload. */
struct piece {
    const uint8_t *at;
    size_t length;
    bool owned;
};

struct pieces {
    VEC(struct piece) at;
};

/* The bytes of the length in front of a record, with how long it is; 0: there is none. */
static size_t frame_head(const uint8_t *at, size_t left, size_t *length)
{
    struct wire_in in = {at, at + left, false, false};
    uint64_t n = wire_get_uint(&in);
    size_t head = (size_t)(in.at - at);

    if (in.bad || n == 0 || n > left - head || left - head - n < JOURNAL_CHECKSUM_BYTES)
        return 0;
    *length = (size_t)n;
    return head;
}

/* Hashes a record as the reader does: what a run is about is no part of the digest. */
static void hash_record(XXH3_state_t *hash, const uint8_t *at, size_t length, uint8_t version)
{
    struct wire_in in = {at + 1, at + length, false, false};

    if (at[0] == RECORD_RUN && version >= JOURNAL_VERSION_APPS) {
        wire_get_fixed64(&in);
        wire_get_string(&in);
        wire_get_string(&in);
        const uint8_t *about = in.at;
        const char *text = in.bad ? NULL : wire_get_string(&in);
        if (text && *text && !in.bad) {
            XXH3_64bits_update(hash, at, (size_t)(about - at));
            XXH3_64bits_update(hash, WIRE_EMPTY_STRING, sizeof WIRE_EMPTY_STRING);
            return;
        }
    }
    XXH3_64bits_update(hash, at, length);
}

uint8_t *fuzz_signed(const uint8_t *at, size_t length)
{
    uint8_t *copy = (uint8_t *)fuzz_text(at, length);
    XXH3_state_t *hash = XXH3_createState();
    size_t head, n;

    XXH3_64bits_reset(hash);
    if (length >= JOURNAL_HEADER_BYTES)
        journal_file_header(copy, copy[JOURNAL_MAGIC_BYTES]);
    for (size_t i = JOURNAL_HEADER_BYTES; i < length; i += head + n + JOURNAL_CHECKSUM_BYTES) {
        head = frame_head(copy + i, length - i, &n);
        if (head == 0)
            break;
        uint8_t *record = copy + i + head;
        if (record[0] == RECORD_END && n == 1 + sizeof(uint64_t))
            wire_put_fixed64(record + 1, XXH3_64bits_digest(hash));
        wire_put_fixed32(record + n, journal_file_checksum(record, n));
        hash_record(hash, record, n, copy[JOURNAL_MAGIC_BYTES]);
    }
    XXH3_freeState(hash);
    return copy;
}

bool fuzz_is_whole(const uint8_t *at, size_t length)
{
    struct err err = {0};
    struct record record = {0};
    struct journal_reader *r = journal_reader_open(fuzz_file(at, length), NULL, &err);
    int status = r ? 1 : -1;

    while (status > 0)
        status = journal_reader_next(r, &record, &err);
    bool whole = status == 0 && record.type == RECORD_END && journal_reader_torn(r) == 0;
    if (!whole)
        fprintf(stderr, "%s\n", status < 0 ? err.text : "it has no end");
    journal_reader_close(r);
    return whole;
}

static void take_apart(struct pieces *p, const uint8_t *at, size_t length)
{
    size_t head, n;

    for (size_t i = JOURNAL_HEADER_BYTES; i < length; i += head + n + JOURNAL_CHECKSUM_BYTES) {
        head = frame_head(at + i, length - i, &n);
        if (head == 0)
            break;
        vec_push(&p->at, ((struct piece){at + i + head, n, false}));
    }
}

/* The piece as bytes that may be changed, with room for `more`. */
static uint8_t *own(struct piece *p, size_t more)
{
    uint8_t *copy = mem_zalloc(p->length + more, 1);

    memcpy(copy, p->at, p->length);
    if (p->owned)
        mem_free((void *)(uintptr_t)p->at);
    p->at = copy;
    p->owned = true;
    return copy;
}

static void change_byte(struct piece *p, struct rng *r)
{
    uint8_t *at = own(p, 0), *byte = &at[rng_below(r, p->length)];
    const uint8_t values[] = {
        0, 1, 0x7f, 0xff, (uint8_t)(*byte + 1), (uint8_t)(*byte - 1), (uint8_t)rng_u64(r)};

    *byte = values[rng_below(r, sizeof values)];
}

/* A number in the place of one byte; the type of the record stays. */
static void change_number(struct piece *p, struct rng *r)
{
    static const uint64_t numbers[] = {0,          1,          126,           255,
                                       65535,      10000000,   INT32_MAX,     UINT32_MAX - 1,
                                       UINT32_MAX, 1ULL << 40, INT64_MAX - 1, UINT64_MAX};
    unsigned char number[WIRE_U64_MAX];

    if (p->length < 3)
        return;
    uint64_t value = numbers[rng_below(r, sizeof numbers / sizeof *numbers)];
    size_t n = (size_t)(wire_put_uint(number, value) - number);
    size_t from = 2 + (size_t)rng_below(r, p->length - 2), to = from + 1;
    uint8_t *at = own(p, n);
    while (to < p->length && at[to - 1] & 0x80)
        to++;
    memmove(at + from + n, at + to, p->length - to);
    memcpy(at + from, number, n);
    p->length = p->length - (to - from) + n;
}

/* Job, task, phase or attempt of an event: behind the types of the record and of the event. */
static void change_place(struct piece *p, struct rng *r)
{
    static const size_t places[] = {2, 6, 10, 12};

    if (p->length < 2 + WIRE_AT_BYTES)
        return;
    uint8_t *byte = own(p, 0) + places[rng_below(r, 4)];
    *byte = (uint8_t)(rng_below(r, 2) ? *byte + 1 : *byte - 1);
}

/* The turn before piece `i` has so many more (or less) events or decisions. */
static void count_turn(struct pieces *p, uint32_t i, bool decision, int by)
{
    while (i > 0 && p->at.at[i].at[0] != RECORD_TURN)
        i--;
    struct piece *turn = &p->at.at[i];
    if (turn->at[0] != RECORD_TURN)
        return;
    struct wire_in in = {turn->at + 1, turn->at + turn->length, false, false};
    uint64_t step = wire_get_uint(&in), events = wire_get_uint(&in), decisions = wire_get_uint(&in);
    *(decision ? &decisions : &events) += (uint64_t)by;
    uint8_t *at = own(turn, 3 * WIRE_U64_MAX);
    unsigned char *end =
        wire_put_uint(wire_put_uint(wire_put_uint(at + 1, step), events), decisions);
    turn->length = (size_t)(end - at);
}

static void leave_out(struct pieces *p, uint32_t i)
{
    count_turn(p, i, p->at.at[i].at[0] == RECORD_DECISION, -1);
    if (p->at.at[i].owned)
        mem_free((void *)(uintptr_t)p->at.at[i].at);
    memmove(&p->at.at[i], &p->at.at[i + 1], (p->at.count - i - 1) * sizeof(struct piece));
    p->at.count--;
}

static void repeat(struct pieces *p, uint32_t i)
{
    struct piece copy = {p->at.at[i].at, p->at.at[i].length, false};

    own(&copy, 0);
    count_turn(p, i, copy.at[0] == RECORD_DECISION, 1);
    vec_push(&p->at, copy);
    memmove(&p->at.at[i + 1], &p->at.at[i], (p->at.count - i - 1) * sizeof copy);
    p->at.at[i] = copy;
}

static void exchange(struct pieces *p, uint32_t i, uint32_t k)
{
    struct piece was = p->at.at[i];

    if (was.at[0] != p->at.at[k].at[0])
        return;
    p->at.at[i] = p->at.at[k];
    p->at.at[k] = was;
}

static void change(struct pieces *p, struct rng *r)
{
    uint32_t i = (uint32_t)rng_below(r, p->at.count);
    bool told = p->at.at[i].at[0] == RECORD_EVENT || p->at.at[i].at[0] == RECORD_DECISION;

    switch (rng_below(r, told ? 8 : 4)) {
    case 0:
    case 1:
        change_byte(&p->at.at[i], r);
        break;
    case 2:
    case 3:
        change_number(&p->at.at[i], r);
        break;
    case 4:
        change_place(&p->at.at[i], r);
        break;
    case 5:
        leave_out(p, i);
        break;
    case 6:
        repeat(p, i);
        break;
    default:
        exchange(p, i, (uint32_t)rng_below(r, p->at.count));
        break;
    }
}

/* Returns how much of it found room. */
static size_t put_together(const struct pieces *p, uint8_t version, uint8_t *out, size_t room)
{
    size_t used = JOURNAL_HEADER_BYTES;

    journal_file_header(out, version);
    for (uint32_t i = 0; i < p->at.count; i++) {
        const struct piece *piece = &p->at.at[i];
        if (room - used < piece->length + WIRE_U64_MAX + JOURNAL_CHECKSUM_BYTES)
            break;
        unsigned char *at = wire_put_uint(out + used, piece->length);
        memcpy(at, piece->at, piece->length);
        used = (size_t)(at - out) + piece->length + JOURNAL_CHECKSUM_BYTES;
    }
    uint8_t *mended = fuzz_signed(out, used);
    memcpy(out, mended, used);
    mem_free(mended);
    return used;
}

size_t fuzz_mutate_journal(const uint8_t *at, size_t length, uint64_t seed, uint8_t *out,
                           size_t room)
{
    struct pieces p = {0};
    struct rng r = rng_stream(seed, 0, 0, 0, 0, 0);
    size_t used = 0;

    if (length > JOURNAL_HEADER_BYTES && room > JOURNAL_HEADER_BYTES)
        take_apart(&p, at, length);
    for (uint64_t left = 1 + rng_below(&r, 4); p.at.count > 0 && left > 0; left--)
        change(&p, &r);
    if (p.at.count > 0)
        used = put_together(&p, at[JOURNAL_MAGIC_BYTES], out, room);
    for (uint32_t i = 0; i < p.at.count; i++)
        if (p.at.at[i].owned)
            mem_free((void *)(uintptr_t)p.at.at[i].at);
    vec_free(&p.at);
    return used;
}
