/* import.c - makes jobs in order of arrival from rows.
 *
 * A job must be whole when it arrives, but traces of events have its end hours later, and traces of
 * several files in another file. So rows are sorted by job, jobs are made of them, and jobs are
 * sorted by arrival: two passes through a spool, which overlap. Each has a quarter of the memory;
 * the rest is for the job at hand and for statistics. Sorted jobs can be read several times, which
 * a pipe cannot.
 *
 * Formats in which each line is a whole job, in order, need none of it: they are read a second
 * time, and jobs are made on demand, in the same order as from the spool (streaming.h). */
#include "inputs/trace/import.h"

#include <math.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "inputs/trace/bundle.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/job_pack.h"
#include "inputs/trace/number.h"
#include "inputs/trace/spool.h"
#include "inputs/trace/streaming.h"
#include "inputs/workload/recorded.h"

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
    struct spool_record r = {.rank = hash_bytes(HASH_START, row->job.at, row->job.length) ^
                                     row->job_hash,
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
    struct row first = bundle_first(b);
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
    return row->kind >= ROW_END || row->tasks != ROW_UNKNOWN || row->job_hash;
}

static bool same_job(const struct bundle *b, uint64_t rank, const struct spool_record *r)
{
    if (rank != r->rank)
        return false;
    struct row last = bundle_first(b);
    struct row next = row_decode(r->at, r->length);
    return last.job_hash == next.job_hash && last.job.length == next.job.length &&
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
            struct row_text job = bundle_first(&b).job;
            got = err_set(err, "job %.*s: has more rows than fit into 2 GiB", (int)job.length,
                          job.at);
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

/* Forgets what was read. */
static void start_again(struct import *m)
{
    survey_destroy(m->survey);
    trouble_fini(&m->trouble);
    mem_free(m->formats);
    memset(m->options.assume.touched, 0, sizeof m->options.assume.touched);
    m->trouble = (struct trouble){.is_strict = m->options.is_strict};
    m->survey = survey_create();
    m->formats = NULL;
}

/* Where too many jobs arrive at one time for our memory, the spool helps. */
static int read_whole(struct import *m, struct err *err)
{
    struct streaming s;
    struct streaming_job job;
    int got;
    streaming_init(&s, &m->options, &m->trouble, context_of(m));
    while ((got = streaming_next(&s, &job, err)) > 0)
        mem_free(job.packed);
    m->formats = mem_strdup(feed_formats(s.feed));
    bool is_crowded = s.is_crowded;
    streaming_fini(&s);
    if (!is_crowded)
        return got;
    start_again(m);
    return read_spooled(m, err);
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

/* Says why there is nothing to run, as far as it is known. */
static int no_jobs(const struct import *m, struct err *err)
{
    const char *path = m->options.paths[0];
    if (!m->formats[0])
        return err_set(err, "%s: has no jobs: it is empty", path);
    if (m->options.format)
        return err_set(err, "%s: has no jobs of the format %s; without --format it is detected",
                       path, m->formats);
    return err_set(err, "%s: has no jobs: it looks like %s, but no task in it ran", path,
                   m->formats);
}

struct import *import_open(const struct import_options *options, struct err *err)
{
    struct import *m = mem_zalloc(1, sizeof *m);
    m->options = *options;
    m->paths = mem_zalloc(options->path_count, sizeof *m->paths);
    for (uint32_t i = 0; i < options->path_count; i++)
        m->paths[i] = mem_strdup(options->paths[i]);
    m->options.paths = (const char *const *)m->paths;
    m->trouble.is_strict = options->is_strict;
    m->survey = survey_create();
    int bad = (can_stream(options) ? read_whole : read_spooled)(m, err);
    if (bad == 0)
        bad = trouble_judge(&m->trouble, err);
    if (bad == 0 && m->survey->jobs == 0)
        bad = no_jobs(m, err);
    if (bad == 0 && options->assume.single == ASSUME_SINGLE_TRACE)
        m->ratios = survey_values(&m->survey->spread);
    m->options.assume.touched[ASSUME_HOSTS] =
        m->survey->host_hashes.count; /* until nodes are known */
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
    for (uint32_t i = 0; i < m->options.path_count; i++)
        mem_free(m->paths[i]);
    mem_free(m->paths);
    mem_free(m);
}

/* ---- jobs ---- */

struct import_stream {
    struct workload workload; /* first: the stream is cast to this */
    struct import *import;
    struct import_view view;
    struct job_fill fill;
    struct lookup names;         /* of the cluster's nodes, by hash */
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
        struct streaming_job held;
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
    lookup_fini(&s->names);
    mem_free(s);
}

/* Inputs lie on nodes of this cluster; says how many hosts it has no node of that name for. */
static void place_hosts(struct import_stream *s, const struct cluster *c)
{
    const struct survey *survey = s->import->survey;
    uint64_t unknown = 0;
    s->fill.nodes = c->node_count;
    if (survey->host_hashes.count == 0)
        return;
    for (uint32_t i = 0; i < c->node_count; i++)
        lookup_put(&s->names, hash_text(c->nodes[i].name), i);
    for (uint32_t i = 0; i < survey->host_hashes.count; i++)
        unknown += lookup_get(&s->names, survey->host_hashes.at[i]) == LOOKUP_NONE;
    s->fill.names = &s->names;
    s->import->options.assume.touched[ASSUME_HOSTS] = unknown;
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
    s->fill = (struct job_fill){.replicas = m->options.assume.replicas,
                                .are_hosts_hashed = m->options.assume.hosts == ASSUME_HOSTS_HASH};
    if (view->cluster)
        place_hosts(s, view->cluster);
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

int import_cut(struct import *m, const struct import_view *view, struct workload_cut *cut,
               struct err *err)
{
    struct import_view plain = *view;
    *cut = survey_cut(m->survey);
    if (view->from_us <= 0 && view->to_us == INT64_MAX)
        return 0;
    *cut = (struct workload_cut){0};
    plain.cluster = NULL; /* where inputs lie does not matter, and is not counted again */
    struct workload *w = import_jobs(m, &plain, err);
    if (!w)
        return -1;
    for (struct workload_job *job; (job = w->next(w));) {
        cut->work_us += job->cut.work_us;
        cut->drawn_us += job->cut.drawn_us;
        cut->drawn += job->cut.drawn;
        workload_job_free(job);
    }
    w->destroy(w);
    return 0;
}
