/* row.c - rows as bytes that sort by memcmp.
 *
 * Names of digits sort as numbers: task 2 comes before task 10. A row in the spool holds only its
 * known fields, after a mask of them. All fields but the position in the file are part of the sort
 * key, so that equal rows are neighbours and the order of files does not matter. */
#include "inputs/trace/row.h"

#include "base/check.h"

struct row row_blank(enum row_kind kind, struct row_text job)
{
    return (struct row){
        .kind = kind,
        .job = job,
        .submit_us = ROW_UNKNOWN,
        .start_us = ROW_UNKNOWN,
        .end_us = ROW_UNKNOWN,
        .limit_us = ROW_UNKNOWN,
        .attempt = ROW_UNKNOWN,
        .mean_us = ROW_UNKNOWN,
        .span_us = ROW_UNKNOWN,
        .tasks = ROW_UNKNOWN,
        .input_bytes = ROW_UNKNOWN,
        .output_bytes = ROW_UNKNOWN,
        .cpu = -1,
        .mem = -1,
    };
}

bool row_text_next(struct row_text *list, struct row_text *name)
{
    if (list->length == 0)
        return false;
    const char *end = memchr(list->at, '\n', list->length);
    size_t length = end ? (size_t)(end - list->at) : list->length;
    *name = (struct row_text){list->at, length};
    list->at += length + (end != NULL);
    list->length -= length + (end != NULL);
    return true;
}

bool row_end_read(const struct row_end_word *words, struct row_text word, enum row_end *end)
{
    while (words->word && !row_text_is(word, words->word))
        words++;
    if (words->word)
        *end = words->end;
    return words->word != NULL;
}

/* ---- writing ---- */

void row_bytes_put(struct row_bytes *to, const void *at, size_t length)
{
    check(length <= UINT32_MAX - to->at.count);
    vec_append(&to->at, at, length);
}

struct row_kept row_bytes_keep(struct row_bytes *to, struct row_text text)
{
    struct row_kept kept = {to->at.count, (uint32_t)text.length};
    row_bytes_put(to, text.at, text.length);
    return kept;
}

struct row_text row_bytes_text(const struct row_bytes *bytes, struct row_kept text)
{
    return (struct row_text){text.length ? bytes->at.at + text.at : "", text.length};
}

static void put_byte(struct row_bytes *to, uint8_t byte)
{
    row_bytes_put(to, &byte, 1);
}

/* Most significant byte first. */
static void put_number(struct row_bytes *to, uint64_t v)
{
    uint8_t b[8];
    for (int i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> (56 - 8 * i));
    row_bytes_put(to, b, sizeof b);
}

#define SIGN (UINT64_C(1) << 63)

static void put_signed(struct row_bytes *to, int64_t v)
{
    put_number(to, (uint64_t)v ^ SIGN);
}

enum { TEXT_DIGITS = 1, TEXT_BYTES = 2, DIGITS_MAX = 200 };

static bool is_number(struct row_text t)
{
    if (t.length == 0 || t.length > DIGITS_MAX || (t.at[0] == '0' && t.length > 1))
        return false;
    for (size_t i = 0; i < t.length; i++)
        if (t.at[i] < '0' || t.at[i] > '9')
            return false;
    return true;
}

static void put_text(struct row_bytes *to, struct row_text t)
{
    if (is_number(t)) {
        put_byte(to, TEXT_DIGITS);
        put_byte(to, (uint8_t)t.length);
        row_bytes_put(to, t.at, t.length);
    } else {
        put_byte(to, TEXT_BYTES);
        row_bytes_put(to, t.at, t.length);
        put_byte(to, 0); /* no text has a zero: lines with one are refused */
    }
}

/* ---- the fields ---- */

/* Where an attempt stands among those of its task. */
static int64_t time_of(const struct row *r)
{
    if (r->kind == ROW_SUBMIT)
        return r->submit_us;
    if (r->kind == ROW_END || r->start_us == ROW_UNKNOWN)
        return r->end_us;
    return r->start_us;
}

enum { NUMBERS = 10, REALS = 2, TEXTS = 7 };
enum { HAS_SHARE = NUMBERS + REALS + TEXTS, HAS_TASK_PARENTS, HAS_MEM_SHARE, HAS_GANG };

#define ROW_NUMBERS(r)                                                                             \
    {                                                                                              \
        &(r)->attempt, &(r)->submit_us, &(r)->start_us, &(r)->end_us, &(r)->mean_us,               \
            &(r)->span_us, &(r)->limit_us, &(r)->tasks, &(r)->input_bytes, &(r)->output_bytes      \
    }
#define ROW_REALS(r)                                                                               \
    {                                                                                              \
        &(r)->cpu, &(r)->mem                                                                       \
    }
#define ROW_TEXTS(r)                                                                               \
    {                                                                                              \
        &(r)->parents, &(r)->user, &(r)->queue, &(r)->app, &(r)->node, &(r)->name, &(r)->hosts     \
    }

size_t row_encode(const struct row *r, struct row_bytes *to)
{
    const int64_t *const numbers[NUMBERS] = ROW_NUMBERS(r);
    const double *const reals[REALS] = ROW_REALS(r);
    const struct row_text *const texts[TEXTS] = ROW_TEXTS(r);
    uint32_t from = to->at.count, mask = 0;

    put_text(to, r->job);
    put_byte(to, r->job_hash != 0);
    if (r->job_hash)
        put_number(to, r->job_hash);
    put_byte(to, r->kind < ROW_TASK ? (uint8_t)r->kind : ROW_TASK);
    put_text(to, r->phase);
    put_text(to, r->task);
    put_signed(to, time_of(r));
    put_byte(to, (uint8_t)r->kind);
    put_byte(to, (uint8_t)r->end);
    for (int i = 0; i < NUMBERS; i++)
        mask |= (uint32_t)(*numbers[i] != ROW_UNKNOWN) << i;
    for (int i = 0; i < REALS; i++)
        mask |= (uint32_t)(*reals[i] >= 0) << (NUMBERS + i);
    for (int i = 0; i < TEXTS; i++)
        mask |= (uint32_t)(texts[i]->length > 0) << (NUMBERS + REALS + i);
    mask |= (uint32_t)r->is_share << HAS_SHARE |
            (uint32_t)r->tasks_are_parents << HAS_TASK_PARENTS |
            (uint32_t)r->is_mem_share << HAS_MEM_SHARE | (uint32_t)r->is_gang << HAS_GANG;
    row_bytes_put(to, &mask, sizeof mask);
    for (int i = 0; i < NUMBERS; i++)
        if (mask >> i & 1)
            put_signed(to, *numbers[i]);
    for (int i = 0; i < REALS; i++)
        if (mask >> (NUMBERS + i) & 1)
            row_bytes_put(to, reals[i], sizeof *reals[i]);
    for (int i = 0; i < TEXTS; i++)
        if (mask >> (NUMBERS + REALS + i) & 1)
            put_text(to, *texts[i]);
    size_t order = to->at.count - from;
    put_number(to, r->where);
    return order;
}

void row_job_key(const struct row *r, struct row_bytes *to)
{
    row_bytes_put(to, r->job.at, r->job.length);
    if (r->job_hash)
        put_number(to, r->job_hash);
}

/* ---- reading ---- */

struct row_cursor {
    const char *at, *end;
};

static const char *get_bytes(struct row_cursor *c, size_t length)
{
    const char *at = c->at;
    check((size_t)(c->end - at) >= length);
    c->at += length;
    return at;
}

static uint8_t get_byte(struct row_cursor *c)
{
    return (uint8_t)*get_bytes(c, 1);
}

static uint64_t get_number(struct row_cursor *c)
{
    const char *b = get_bytes(c, 8);
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | (uint8_t)b[i];
    return v;
}

static int64_t get_signed(struct row_cursor *c)
{
    return (int64_t)(get_number(c) ^ SIGN);
}

static struct row_text get_text(struct row_cursor *c)
{
    if (get_byte(c) == TEXT_DIGITS) {
        size_t length = get_byte(c);
        return (struct row_text){get_bytes(c, length), length};
    }
    const char *end = memchr(c->at, 0, (size_t)(c->end - c->at));
    check(end);
    struct row_text t = {c->at, (size_t)(end - c->at)};
    c->at = end + 1;
    return t;
}

struct row row_decode(const char *at, size_t length)
{
    struct row_cursor c = {at, at + length};
    struct row r = row_blank(ROW_JOB, get_text(&c));
    int64_t *const numbers[NUMBERS] = ROW_NUMBERS(&r);
    double *const reals[REALS] = ROW_REALS(&r);
    struct row_text *const texts[TEXTS] = ROW_TEXTS(&r);
    uint32_t mask;

    if (get_byte(&c))
        r.job_hash = get_number(&c);
    get_byte(&c);
    r.phase = get_text(&c);
    r.task = get_text(&c);
    get_signed(&c);
    r.kind = get_byte(&c);
    r.end = get_byte(&c);
    memcpy(&mask, get_bytes(&c, sizeof mask), sizeof mask);
    for (int i = 0; i < NUMBERS; i++)
        if (mask >> i & 1)
            *numbers[i] = get_signed(&c);
    for (int i = 0; i < REALS; i++)
        if (mask >> (NUMBERS + i) & 1)
            memcpy(reals[i], get_bytes(&c, sizeof *reals[i]), sizeof *reals[i]);
    for (int i = 0; i < TEXTS; i++)
        if (mask >> (NUMBERS + REALS + i) & 1)
            *texts[i] = get_text(&c);
    r.is_share = mask >> HAS_SHARE & 1;
    r.is_mem_share = mask >> HAS_MEM_SHARE & 1;
    r.is_gang = mask >> HAS_GANG & 1;
    r.tasks_are_parents = mask >> HAS_TASK_PARENTS & 1;
    r.where = get_number(&c);
    return r;
}
