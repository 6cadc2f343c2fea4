/* feed.c - reads files, their members, the format of each, its lines.
 *
 * It reads one step at a time, because the caller takes jobs in order of arrival one by one. The
 * format is detected for each member: one trace may be made of tables of different kinds, and an
 * archive may hold them all. */
#include "inputs/trace/feed.h"

#include "base/hash.h"
#include "base/mem.h"
#include "inputs/trace/lines.h"
#include "inputs/trace/number.h"
#include "inputs/trace/unpacker.h"

struct feed_reader {
    struct trouble *trouble;
    struct machines *machines;
    feed_sink *sink;
    void *ctx;
    uint32_t member;
    uint64_t at;       /* line or byte */
    uint64_t job_hash; /* of the rows of the line at hand */
    int failed;        /* what the sink said */
    struct err *err;
};

struct feed {
    const struct import_options *options;
    struct feed_reader reader;
    uint32_t path; /* the next one */
    struct unpacker *unpacker;
    const struct import_format *format; /* of the member that is read; NULL: none is */
    void *state;
    bool is_over; /* the member is, but the next one may go on where it ended */
    struct lines lines;
    struct str names;
    bool is_whole;
};

struct feed *feed_create(const struct import_options *options, struct trouble *trouble,
                         struct machines *machines, feed_sink *sink, void *ctx)
{
    struct feed *f = mem_zalloc(1, sizeof *f);
    f->options = options;
    f->reader =
        (struct feed_reader){.trouble = trouble, .machines = machines, .sink = sink, .ctx = ctx};
    f->is_whole = true;
    return f;
}

static void drop_part(struct feed *f)
{
    if (f->format && f->format->end)
        f->format->end(&f->reader, f->state);
    mem_free(f->state);
    f->state = NULL;
    f->format = NULL;
    f->is_over = false;
}

void feed_destroy(struct feed *f)
{
    if (!f)
        return;
    struct err ignored;
    f->reader.err = &ignored;
    f->reader.failed = -1; /* what a format says at its end is not heard */
    drop_part(f);
    unpacker_close(f->unpacker);
    vec_free(&f->lines.carry.at);
    str_free(&f->names);
    mem_free(f);
}

const char *feed_formats(const struct feed *f)
{
    return f->names.text ? f->names.text : "";
}

bool feed_is_whole(const struct feed *f)
{
    return f->is_whole;
}

/* ---- rows ---- */

void feed_bad(struct feed_reader *r, enum trouble_kind kind)
{
    if (r->failed)
        return;
    r->trouble->rows++;
    trouble_add(r->trouble, kind, trouble_where(r->member, r->at), true);
}

bool feed_check(struct feed_reader *r, bool is_fine, enum trouble_kind kind)
{
    if (!is_fine)
        feed_bad(r, kind);
    return is_fine;
}

void feed_at(struct feed_reader *r, uint64_t byte)
{
    r->at = byte;
}

void feed_machine(struct feed_reader *r, struct row_text name, double cpu, double mem)
{
    if (r->machines && !r->failed)
        machines_add(r->machines, name, cpu, mem);
}

void feed_rack(struct feed_reader *r, struct row_text name)
{
    if (r->machines && !r->failed)
        machines_add_rack(r->machines, name);
}

uint64_t feed_line(const struct feed_reader *r)
{
    return r->at;
}

struct row_text feed_path(const struct feed_reader *r)
{
    const char *name = r->trouble->members.at[r->member];
    return (struct row_text){name, strlen(name)};
}

struct row_text feed_member(const struct feed_reader *r)
{
    const char *name = r->trouble->members.at[r->member], *slash = strrchr(name, '/');
    name = slash && slash[1] ? slash + 1 : name;
    return (struct row_text){name, strlen(name)};
}

static bool is_bad_text(struct row_text t, size_t most)
{
    return t.length > most || (t.length > 0 && memchr(t.at, 0, t.length));
}

static bool has_bad_text(const struct row *row)
{
    const struct row_text names[] = {row->job,   row->phase, row->task, row->user,
                                     row->queue, row->app,   row->node, row->name};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_bad_text(names[i], ROW_NAME_MAX))
            return true;
    return row->job.length == 0 || is_bad_text(row->parents, ROW_PARENTS_MAX) ||
           is_bad_text(row->hosts, ROW_PARENTS_MAX);
}

static bool has_negative(const struct row *row)
{
    const int64_t times[] = {row->submit_us, row->start_us, row->end_us, row->mean_us,
                             row->span_us};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (times[i] < 0 && times[i] != ROW_UNKNOWN)
            return true;
    return false;
}

void feed_row(struct feed_reader *r, const struct row *row)
{
    if (r->failed || !feed_check(r, !has_bad_text(row), TROUBLE_TEXT) ||
        !feed_check(r, !has_negative(row), TROUBLE_NEGATIVE))
        return;
    struct row placed = *row;
    placed.where = trouble_where(r->member, r->at);
    placed.job_hash = r->job_hash;
    r->trouble->rows++;
    r->failed = r->sink(r->ctx, &placed, r->err);
}

/* ---- fields ---- */

bool feed_time(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us)
{
    return feed_check(r, number_time(field, unit_us, us), TROUBLE_NUMBER);
}

bool feed_int(struct feed_reader *r, struct row_text field, int64_t *value)
{
    return feed_check(r, number_int(field, value), TROUBLE_NUMBER);
}

/* A number that may be missing: "" or -1. Other negative ones are wrong. */
static bool is_known(struct feed_reader *r, double value, bool *fine)
{
    *fine = feed_check(r, value >= 0 || value == -1, TROUBLE_NEGATIVE);
    return value >= 0;
}

bool feed_time_maybe(struct feed_reader *r, struct row_text field, int64_t unit_us, int64_t *us)
{
    int64_t read = -unit_us;
    bool fine = field.length == 0 || feed_time(r, field, unit_us, &read);
    if (fine && is_known(r, (double)read / (double)unit_us, &fine))
        *us = read;
    return fine;
}

bool feed_int_maybe(struct feed_reader *r, struct row_text field, int64_t *value)
{
    int64_t read = -1;
    bool fine = field.length == 0 || feed_int(r, field, &read);
    if (fine && is_known(r, (double)read, &fine))
        *value = read;
    return fine;
}

bool feed_real_maybe(struct feed_reader *r, struct row_text field, double *value)
{
    double read = -1;
    bool fine = field.length == 0 || feed_check(r, number_real(field, &read), TROUBLE_NUMBER);
    if (fine && is_known(r, read, &fine))
        *value = read;
    return fine;
}

/* ---- members ---- */

static const struct import_format *detect(const struct feed *f, const char *at, size_t length)
{
    const struct import_format *best = NULL;
    int most = 0;
    if (f->options->format)
        return f->options->format;
    for (const struct import_format *const *t = f->options->formats; *t; t++) {
        int sure = (*t)->detect(at, length, length < UNPACKER_PEEK);
        if (sure > most) {
            most = sure;
            best = *t;
        }
    }
    return best;
}

static void note_format(struct feed *f, const struct import_format *format)
{
    f->is_whole &= format->is_whole;
    if (f->names.text && strstr(f->names.text, format->name))
        return;
    str_addf(&f->names, "%s%s", f->names.text ? ", " : "", format->name);
}

/* Finds the format of a member that does not go on where the last one ended. */
static int begin_part(struct feed *f, const char *name, const char *at, size_t length,
                      struct err *err)
{
    const struct import_format *format = detect(f, at, length);
    drop_part(f);
    if (!format)
        return err_set(err,
                       "%s: no known format; `dolly trace formats` lists them, --format "
                       "chooses one",
                       name);
    if (format->follows && format->follows(NULL, name, err) < 0)
        return -1;
    note_format(f, format);
    f->format = format;
    f->state = mem_zalloc(1, format->state + 1);
    return 0;
}

/* 1: a member is open; 0: there are no more in this file. */
static int open_member(struct feed *f, struct err *err)
{
    const char *name, *at;
    size_t length;
    int got;
    while ((got = unpacker_member(f->unpacker, &name, err)) > 0) {
        if (unpacker_peek(f->unpacker, &at, &length, err) < 0)
            return -1;
        if (length == 0)
            continue;
        int follows =
            f->is_over
                ? f->format->follows(f->reader.trouble->members.at[f->reader.member], name, err)
                : 0;
        if (follows < 0 || (follows == 0 && begin_part(f, name, at, length, err) < 0))
            return -1;
        if (f->reader.trouble->members.count >= TROUBLE_MEMBERS_MAX - 1)
            return err_set(err, "%s: too many files in one trace", name);
        f->reader.member = trouble_member(f->reader.trouble, name);
        f->reader.at = f->reader.job_hash = 0;
        f->lines.number = 0;
        f->is_over = false;
        return 1;
    }
    return got;
}

static int open_next(struct feed *f, struct err *err)
{
    for (;;) {
        int got = f->unpacker ? open_member(f, err) : 0;
        if (got != 0)
            return got;
        unpacker_close(f->unpacker);
        f->unpacker = NULL;
        if (f->path == f->options->path_count) {
            drop_part(f);
            return 0;
        }
        f->unpacker = unpacker_open(f->options->paths[f->path++], err);
        if (!f->unpacker)
            return -1;
    }
}

/* ---- steps ---- */

/* Hands a line on, or counts one that is too long. */
static void take_line(struct feed *f, int got, struct row_text line)
{
    f->reader.at = f->lines.number;
    f->reader.job_hash =
        f->format->is_whole && got > 0 ? hash_bytes(HASH_START, line.at, line.length) : 0;
    if (got < 0)
        feed_bad(&f->reader, TROUBLE_LONG);
    else
        f->format->line(&f->reader, f->state, line);
}

/* 1: a step was made; 0: the member is over. */
static int step_part(struct feed *f, struct err *err)
{
    const char *at;
    size_t length;
    struct row_text line;
    int got;
    if (!f->format->bytes && (got = lines_next(&f->lines, &line)) != 0) {
        take_line(f, got, line);
        return 1;
    }
    got = unpacker_read(f->unpacker, &at, &length, err);
    if (got < 0)
        return -1;
    if (got > 0 && f->format->bytes) {
        f->format->bytes(&f->reader, f->state, at, length);
    } else if (got > 0) {
        lines_feed(&f->lines, at, length);
    } else if (!f->format->bytes && (got = lines_last(&f->lines, &line)) != 0) {
        take_line(f, got, line);
        got = 0;
    }
    return got;
}

int feed_step(struct feed *f, struct err *err)
{
    int got = 1;
    f->reader.err = err;
    if (!f->format || f->is_over)
        got = open_next(f, err);
    if (got > 0 && (got = step_part(f, err)) == 0) {
        f->is_over = f->format->follows != NULL;
        if (!f->is_over)
            drop_part(f);
        got = 1;
    }
    if (got < 0 || f->reader.failed)
        return -1;
    if (f->reader.trouble->is_over)
        return trouble_judge(f->reader.trouble, err);
    return got;
}
