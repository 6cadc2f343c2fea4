/* import.c - from rows to jobs in order of arrival.
 *
 * A job must be whole when it arrives, but traces of events tell its end hours later, and traces of
 * several files tell it somewhere else. So rows are sorted by job, jobs are made of them, and jobs
 * are sorted by arrival: two passes through a spool, which overlap. Each has a quarter of the
 * memory; the rest is for the job at hand and for statistics. What was sorted can be read as often
 * as one likes, which a pipe cannot.
 *
 * Formats in which each line is a whole job in its turn need none of it: they are read a second
 * time, and jobs are made as they are asked for. They then come in the same order as from the
 * spool: those of one instant by name. */
#include "import/import.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/assemble.h"
#include "import/feed.h"
#include "import/job_pack.h"
#include "import/number.h"
#include "import/spool.h"
#include "workload/recorded.h"

struct import {
    struct import_options options;
    struct trouble trouble;
    struct survey *survey;
    struct machines machines;
    struct spool *jobs; /* NULL: the trace is read again */
    double *ratios;     /* of struct job_fill; NULL: none are wanted */
    char *formats;
};

/* ---- the rows of one job ---- */

struct bundle_row {
    uint32_t from, length, order; /* bytes of the bundle; how many of them are the order */
};

struct bundle {
    struct row_bytes bytes;
    VEC(struct bundle_row) rows;
};

static void bundle_clear(struct bundle *b)
{
    vec_clear(&b->bytes.at);
    vec_clear(&b->rows);
}

static void bundle_fini(struct bundle *b)
{
    vec_free(&b->bytes.at);
    vec_free(&b->rows);
}

static void bundle_add(struct bundle *b, const struct row *row)
{
    uint32_t from = b->bytes.at.count;
    uint32_t order = (uint32_t)row_encode(row, &b->bytes);
    vec_push(&b->rows, ((struct bundle_row){from, b->bytes.at.count - from, order}));
}

static void bundle_add_bytes(struct bundle *b, const char *at, uint32_t length)
{
    uint32_t from = b->bytes.at.count;
    row_bytes_put(&b->bytes, at, length);
    vec_push(&b->rows, ((struct bundle_row){from, length, length}));
}

static int by_order(const void *a, const void *b, void *bytes)
{
    const struct bundle_row *x = a, *y = b;
    uint32_t n = x->order < y->order ? x->order : y->order;
    int c = memcmp((char *)bytes + x->from, (char *)bytes + y->from, n);
    if (c == 0)
        c = (x->order > y->order) - (x->order < y->order);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

static void bundle_sort(struct bundle *b)
{
    if (b->rows.count > 1)
        qsort_r(b->rows.at, b->rows.count, sizeof *b->rows.at, by_order, b->bytes.at.at);
}

/* Makes the job of the bundle's rows, in their order, and empties it. */
static bool bundle_job(struct bundle *b, struct assemble *a, struct row_bytes *to,
                       int64_t *arrived_us)
{
    for (uint32_t i = 0; i < b->rows.count; i++) {
        struct row row = row_decode(b->bytes.at.at + b->rows.at[i].from, b->rows.at[i].length);
        assemble_row(a, &row);
    }
    bool made = assemble_job(a, to, arrived_us);
    bundle_clear(b);
    return made;
}

/* ---- through the spool ---- */

struct sorting {
    struct import *m;
    struct spool *rows;
    struct row_bytes bytes;
};

static int spool_row(void *ctx, const struct row *row, struct err *err)
{
    struct sorting *s = ctx;
    struct survey *survey = s->m->survey;
    const int64_t times[] = {row->submit_us, row->start_us, row->end_us};
    for (int i = 0; i < 3; i++)
        if (times[i] > survey->trace_end_us)
            survey->trace_end_us = times[i];
    vec_clear(&s->bytes.at);
    uint32_t order = (uint32_t)row_encode(row, &s->bytes);
    struct spool_record r = {.rank =
                                 hash_bytes(HASH_START, row->job.at, row->job.length) ^ row->run,
                             .length = s->bytes.at.count,
                             .key = order,
                             .at = s->bytes.at.at};
    return spool_add(s->rows, &r, err);
}

/* Adds the job of a bundle to those of the trace, keyed by arrival and by what tells it from
 * others.
 */
static int spool_job(struct sorting *s, struct bundle *b, struct assemble *a, struct err *err)
{
    int64_t arrived_us;
    struct row first = row_decode(b->bytes.at.at, b->rows.at[0].length);
    vec_clear(&s->bytes.at);
    row_job_key(&first, &s->bytes);
    uint32_t key = s->bytes.at.count;
    if (!bundle_job(b, a, &s->bytes, &arrived_us))
        return 0;
    struct spool_record r = {.rank = (uint64_t)arrived_us,
                             .length = s->bytes.at.count,
                             .key = key,
                             .at = s->bytes.at.at};
    return spool_add(s->m->jobs, &r, err);
}

/* Whether the record says what the last row of the bundle says, word for word. */
static bool is_double(const struct bundle *b, const struct spool_record *r)
{
    const struct bundle_row *last = b->rows.count ? &b->rows.at[b->rows.count - 1] : NULL;
    return last && last->length == r->length && !memcmp(b->bytes.at.at + last->from, r->at, r->key);
}

/* What is said of jobs and phases may be said again, but not how many tasks there are. */
static bool is_told_once(const struct row *row)
{
    return row->kind >= ROW_END || row->tasks != ROW_UNKNOWN || row->run;
}

static bool same_job(const struct bundle *b, uint64_t rank, const struct spool_record *r)
{
    if (rank != r->rank)
        return false;
    struct row last = row_decode(b->bytes.at.at, b->rows.at[0].length);
    struct row next = row_decode(r->at, r->length);
    return last.run == next.run && last.job.length == next.job.length &&
           !memcmp(last.job.at, next.job.at, next.job.length);
}

/* All rows are in the spool: makes jobs of them. */
static int make_jobs(struct sorting *s, struct assemble *a, struct err *err)
{
    struct spool_reader *reader = spool_read(s->rows);
    struct bundle b = {0};
    struct spool_record r;
    uint64_t rank = 0;
    int got;
    while ((got = spool_next(reader, &r, err)) > 0) {
        if (b.rows.count > 0 && !same_job(&b, rank, &r) && (got = spool_job(s, &b, a, err)) < 0)
            break;
        rank = r.rank;
        if (is_double(&b, &r)) {
            struct row row = row_decode(r.at, r.length);
            if (is_told_once(&row))
                trouble_add(&s->m->trouble, TROUBLE_DUPLICATE, row.where, true);
            continue;
        }
        if (b.bytes.at.count > UINT32_MAX / 2) {
            got = err_set(err, "a job has more rows than fit into 2 GiB");
            break;
        }
        bundle_add_bytes(&b, r.at, r.length);
    }
    if (got == 0 && b.rows.count > 0)
        got = spool_job(s, &b, a, err);
    bundle_fini(&b);
    spool_reader_destroy(reader);
    return got < 0 ? -1 : spool_sort(s->m->jobs, err);
}

static struct draft_context context_of(struct import *m)
{
    return (struct draft_context){&m->options.assume, &m->trouble, m->survey};
}

static int read_all(struct import *m, feed_sink *sink, void *ctx, struct err *err)
{
    struct feed *f = feed_create(&m->options, &m->trouble, &m->machines, sink, ctx);
    int got;
    while ((got = feed_step(f, err)) > 0)
        continue;
    m->formats = mem_strdup(feed_formats(f));
    feed_destroy(f);
    return got;
}

static int read_spooled(struct import *m, struct err *err)
{
    struct sorting s = {.m = m, .rows = spool_create(m->options.memory / 4)};
    int bad = read_all(m, spool_row, &s, err);
    if (bad == 0)
        bad = spool_sort(s.rows, err);
    if (bad == 0) {
        struct assemble *a = assemble_create(context_of(m));
        m->jobs = spool_create(m->options.memory / 4);
        bad = make_jobs(&s, a, err);
        assemble_destroy(a);
    }
    spool_destroy(s.rows);
    vec_free(&s.bytes.at);
    return bad;
}

/* ---- in order already ---- */

struct held_job {
    char *packed;
    uint32_t length, key; /* bytes, and how many of them are its name, which comes first */
};

/* A trace that is read as its jobs are asked for. */
struct streaming {
    struct feed *feed;
    struct assemble *assemble;
    struct trouble *trouble;
    struct bundle bundle; /* rows of the line at hand */
    struct lookup seen;   /* hashes of the keys of jobs of one arrival ... */
    VEC(uint64_t) hashes; /* ... which are these ... */
    int64_t seen_us;      /* ... and this is when */
    struct row_bytes bytes;
    VEC(struct held_job) held; /* of one arrival, in order of their names once it is over */
    uint32_t next;             /* of them */
    struct held_job ahead;     /* the first one that arrives later; packed NULL: none */
    int64_t held_us, ahead_us;
    int64_t line_us; /* arrival of the job of the line at hand */
    bool is_over;
};

static int stream_row(void *ctx, const struct row *row, struct err *err)
{
    struct streaming *s = ctx;
    (void)err;
    if (s->bundle.rows.count == 0)
        s->line_us = INT64_MAX;
    if (row->submit_us != ROW_UNKNOWN && row->submit_us < s->line_us)
        s->line_us = row->submit_us;
    bundle_add(&s->bundle, row);
    return 0;
}

static void streaming_init(struct streaming *s, const struct import_options *options,
                           struct trouble *trouble, struct draft_context context)
{
    *s = (struct streaming){.trouble = trouble, .held_us = -1, .seen_us = -1};
    s->feed = feed_create(options, trouble, NULL, stream_row, s);
    s->assemble = assemble_create(context);
}

static void streaming_fini(struct streaming *s)
{
    feed_destroy(s->feed);
    assemble_destroy(s->assemble);
    bundle_fini(&s->bundle);
    vec_free(&s->bytes.at);
    for (uint32_t i = s->next; i < s->held.count; i++)
        mem_free(s->held.at[i].packed);
    mem_free(s->ahead.packed);
    vec_free(&s->held);
    lookup_fini(&s->seen);
    vec_free(&s->hashes);
}

static int by_name(const void *a, const void *b)
{
    const struct held_job *x = a, *y = b;
    uint32_t n = x->key < y->key ? x->key : y->key;
    int c = memcmp(x->packed, y->packed, n);
    return c ? c : (x->key > y->key) - (x->key < y->key);
}

/* Whether a job with this key has come at this time already. */
static bool is_again(struct streaming *s, int64_t at_us, const struct row_bytes *key)
{
    uint64_t hash = hash_bytes(HASH_START, key->at.at, key->at.count);
    if (at_us != s->seen_us) {
        for (uint32_t i = 0; i < s->hashes.count; i++)
            lookup_remove(&s->seen, s->hashes.at[i]);
        vec_clear(&s->hashes);
        s->seen_us = at_us;
    }
    if (lookup_get(&s->seen, hash) != LOOKUP_NONE)
        return true;
    lookup_put(&s->seen, hash, 1);
    vec_push(&s->hashes, hash);
    return false;
}

/* The line at hand is left out, with all its rows. */
static void drop_line(struct streaming *s, enum trouble_kind kind, uint64_t where)
{
    for (uint32_t i = 0; i < s->bundle.rows.count; i++)
        trouble_add(s->trouble, kind, where, true);
    bundle_clear(&s->bundle);
}

/* The job of the next line that has one, in order: 1, 0 at the end, -1 with *err. */
static int read_job(struct streaming *s, struct held_job *job, int64_t *arrived_us, struct err *err)
{
    for (int got = 1; got > 0;) {
        got = s->is_over ? 0 : feed_step(s->feed, err);
        if (got < 0)
            return -1;
        s->is_over = got == 0;
        if (s->bundle.rows.count == 0)
            continue;
        bundle_sort(&s->bundle);
        struct row first = row_decode(s->bundle.bytes.at.at + s->bundle.rows.at[0].from,
                                      s->bundle.rows.at[0].length);
        vec_clear(&s->bytes.at);
        row_job_key(&first, &s->bytes);
        uint32_t key = s->bytes.at.count;
        if (s->line_us < s->held_us) {
            drop_line(s, TROUBLE_ORDER, first.where);
            continue;
        }
        if (is_again(s, s->line_us, &s->bytes)) {
            drop_line(s, TROUBLE_DUPLICATE, first.where);
            continue;
        }
        if (!bundle_job(&s->bundle, s->assemble, &s->bytes, arrived_us))
            continue;
        *job = (struct held_job){mem_copy(s->bytes.at.at, s->bytes.at.count, 1), s->bytes.at.count,
                                 key};
        return 1;
    }
    return 0;
}

/* The next job: 1, owned by the caller; 0 at the end; -1 with *err. */
static int streaming_next(struct streaming *s, struct held_job *out, struct err *err)
{
    if (s->next == s->held.count) {
        int got = 1;
        vec_clear(&s->held);
        s->next = 0;
        if (s->ahead.packed) {
            vec_push(&s->held, s->ahead);
            s->held_us = s->ahead_us;
            s->ahead.packed = NULL;
        }
        while (!s->ahead.packed && got > 0) {
            struct held_job job;
            int64_t us;
            got = read_job(s, &job, &us, err);
            if (got <= 0)
                break;
            if (s->held.count == 0)
                s->held_us = us;
            if (us == s->held_us) {
                vec_push(&s->held, job);
            } else {
                s->ahead = job;
                s->ahead_us = us;
            }
        }
        if (got < 0)
            return -1;
        if (s->held.count > 1)
            qsort(s->held.at, s->held.count, sizeof *s->held.at, by_name);
    }
    if (s->next == s->held.count)
        return 0;
    *out = s->held.at[s->next++];
    return 1;
}

static int read_whole(struct import *m, struct err *err)
{
    struct streaming s;
    struct held_job job;
    int got;
    streaming_init(&s, &m->options, &m->trouble, context_of(m));
    while ((got = streaming_next(&s, &job, err)) > 0)
        mem_free(job.packed);
    m->formats = mem_strdup(feed_formats(s.feed));
    streaming_fini(&s);
    return got;
}

/* ---- opening ---- */

static int no_row(void *ctx, const struct row *row, struct err *err)
{
    (void)ctx;
    (void)row;
    (void)err;
    return 0;
}

/* Whether the trace may be read twice and needs no sorting; looks at its first line. */
static bool can_stream(const struct import_options *options)
{
    struct stat st;
    struct err ignored;
    struct trouble trouble = {0};
    if (options->is_sorted || options->path_count != 1 || stat(options->paths[0], &st) < 0 ||
        !S_ISREG(st.st_mode))
        return false;
    struct feed *f = feed_create(options, &trouble, NULL, no_row, NULL);
    bool whole = feed_step(f, &ignored) > 0 && feed_is_whole(f);
    feed_destroy(f);
    trouble_fini(&trouble);
    return whole;
}

struct import *import_open(const struct import_options *options, struct err *err)
{
    struct import *m = mem_zalloc(1, sizeof *m);
    m->options = *options;
    m->trouble.is_strict = options->is_strict;
    m->survey = survey_create();
    int bad = (can_stream(options) ? read_whole : read_spooled)(m, err);
    if (bad == 0)
        bad = trouble_judge(&m->trouble, err);
    if (bad == 0 && m->survey->jobs == 0)
        bad = err_set(err, "%s: has no jobs", options->paths[0]);
    if (bad == 0 && options->assume.single == ASSUME_SINGLE_TRACE)
        m->ratios = survey_values(&m->survey->spread);
    if (bad == 0)
        return m;
    import_close(m);
    return NULL;
}

void import_close(struct import *m)
{
    if (!m)
        return;
    spool_destroy(m->jobs);
    survey_destroy(m->survey);
    trouble_fini(&m->trouble);
    machines_fini(&m->machines);
    mem_free(m->ratios);
    mem_free(m->formats);
    mem_free(m);
}

const struct survey *import_survey(const struct import *m)
{
    return m->survey;
}

const struct trouble *import_trouble(const struct import *m)
{
    return &m->trouble;
}

struct assume *import_assume(struct import *m)
{
    return &m->options.assume;
}

const struct machines *import_machines(const struct import *m)
{
    return &m->machines;
}

const char *import_formats(const struct import *m)
{
    return m->formats;
}

bool import_is_spooled(const struct import *m)
{
    return m->jobs != NULL;
}

/* ---- jobs ---- */

struct import_stream {
    struct workload workload; /* first: the stream is cast to this */
    struct import *import;
    struct import_view view;
    struct job_fill fill;
    struct spool_reader *reader; /* of a spooled trace, else: */
    struct streaming streaming;
    struct assume assume; /* what the second reading counts is thrown away */
    struct trouble trouble;
    struct survey *survey;
};

static int64_t scaled(int64_t us, double factor)
{
    double to = (double)us * factor;
    return factor == 1 ? us : to < 1 ? 1 : to < (double)NUMBER_US_MAX ? llround(to) : NUMBER_US_MAX;
}

/* Changes a fresh job, which is still ours, as the view says. */
static void apply_view(const struct import_stream *s, struct workload_job *job)
{
    int64_t at = job->submit_us - s->import->survey->first_us - s->view.from_us;
    job->submit_us = job->spec.arrived_us =
        s->view.load == 1 ? at : llround((double)at / s->view.load);
    for (uint16_t k = 0; k < job->spec.phase_count; k++) {
        const struct phase_spec *p = &job->spec.phases[k];
        struct phase_truth *t = (struct phase_truth *)(uintptr_t)&job->truth[k];
        t->size_us = scaled(t->size_us, s->view.time);
        int64_t *sizes = (int64_t *)(uintptr_t)t->size_each;
        for (uint32_t i = 0; sizes && i < p->tasks; i++)
            sizes[i] = scaled(sizes[i], s->view.time);
        int64_t *times = (int64_t *)(uintptr_t)t->attempts;
        for (uint32_t i = 0; t->attempt_from && i < t->attempt_from[p->tasks]; i++)
            times[i] = scaled(times[i], s->view.time);
        t->vary = t->attempt_from ? s->view.vary : RECORDED_SIZE;
        if (t->vary == RECORDED_BYTES)
            recorded_fit(p, t);
    }
}

/* The next job as it is, or NULL. */
static struct workload_job *next_job(struct import_stream *s)
{
    struct workload_job *job = NULL;
    struct err ignored; /* the trace was read to its end once: it has changed under our hands */
    if (s->reader) {
        struct spool_record r;
        if (spool_next(s->reader, &r, &ignored) > 0)
            job = job_pack_read(r.at + r.key, r.length - r.key, &s->fill);
    } else {
        struct held_job held;
        if (streaming_next(&s->streaming, &held, &ignored) > 0) {
            job = job_pack_read(held.packed + held.key, held.length - held.key, &s->fill);
            mem_free(held.packed);
        }
    }
    return job;
}

static struct workload_job *stream_next(struct workload *w)
{
    struct import_stream *s = (struct import_stream *)w;
    struct workload_job *job = NULL;
    while (!w->closed && (job = next_job(s))) {
        int64_t at = job->submit_us - s->import->survey->first_us;
        if (at >= s->view.to_us)
            break;
        if (at >= s->view.from_us) {
            apply_view(s, job);
            return job;
        }
        workload_job_free(job);
    }
    if (!w->closed) {
        workload_job_free(job);
        workload_close(w);
    }
    return NULL;
}

static void stream_destroy(struct workload *w)
{
    struct import_stream *s = (struct import_stream *)w;
    if (s->reader) {
        spool_reader_destroy(s->reader);
    } else {
        streaming_fini(&s->streaming);
        trouble_fini(&s->trouble);
        survey_destroy(s->survey);
    }
    mem_free(s);
}

struct workload *import_jobs(struct import *m, const struct import_view *view, struct err *err)
{
    struct stat st;
    if (!m->jobs && stat(m->options.paths[0], &st) < 0) {
        err_set(err, "%s: is gone", m->options.paths[0]);
        return NULL;
    }
    struct import_stream *s = mem_zalloc(1, sizeof *s);
    s->workload = (struct workload){
        .name = m->options.paths[0], .next = stream_next, .destroy = stream_destroy};
    s->import = m;
    s->view = *view;
    s->fill = (struct job_fill){.replicas = m->options.assume.replicas, .nodes = view->nodes};
    if (m->ratios && view->vary != RECORDED_SIZE) {
        s->fill.ratios = m->ratios;
        s->fill.ratio_count = m->survey->spread.count;
    }
    if (m->jobs) {
        s->reader = spool_read(m->jobs);
        return &s->workload;
    }
    s->assume = m->options.assume;
    s->survey = survey_create();
    streaming_init(&s->streaming, &m->options, &s->trouble,
                   (struct draft_context){&s->assume, &s->trouble, s->survey});
    return &s->workload;
}
