/* export_trace.c - the run as trace events of Chrome, which Perfetto reads too.
 *
 * Events of one track must nest or follow each other: a track is a lane, in which attempts never
 * overlap. Nodes are processes. Reads are flows, arrows from slice to slice.
 *
 * Viewers hold a file in memory. A trace that is too large for that goes into several files: the
 * jobs in order of their numbers, none of them in two, because arrows do not leave a job. The names
 * of nodes and lanes, lost nodes and the counters are in each. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "commands/report/export.h"

/* ---- what all files have ---- */

/* A string of JSON. */
static void add_text(const char *text, struct str *to)
{
    str_add(to, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            str_add(to, "\\");
        if ((unsigned char)*c < ' ')
            str_addf(to, "\\u%04x", (unsigned)*c);
        else
            str_add_bytes(to, c, 1);
    }
    str_add(to, "\"");
}

static void add_nodes(const struct explain *x, const struct gather *g, struct str *to)
{
    for (uint32_t i = 0; i < g->tracks.nodes.count; i++) {
        if (tracks_count(&g->tracks, i) == 0)
            continue;
        str_addf(to,
                 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", i + 1);
        add_text(explain_node(x, (struct node_id){i}).text, to);
        str_add(to, "}},\n");
        for (uint32_t lane = 0; lane < tracks_count(&g->tracks, i); lane++)
            str_addf(to,
                     "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{"
                     "\"name\":\"lane %u\"}},\n",
                     i + 1, lane, lane);
    }
}

/* A mark across all lanes of a node where it went down. */
static void add_downs(const struct gather *g, struct str *to)
{
    for (uint32_t i = 0; i < g->downs.count; i++)
        str_addf(to,
                 "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"node lost\",\"cat\":\"node\",\"pid\":%u,"
                 "\"tid\":0,\"ts\":%" PRId64 "},\n",
                 g->downs.at[i].node + 1, g->downs.at[i].at_us);
}

/* Where they change: a counter keeps its value until the next one. */
static void add_series(const struct gather *g, struct str *to)
{
    static const struct {
        uint32_t which;
        const char *name;
    } counters[] = {{GATHER_RUNNING, "running"},
                    {GATHER_WAITING, "waiting"},
                    {GATHER_SLOTS, "slots in use"},
                    {GATHER_CPU, "CPU seconds a second"},
                    {GATHER_EXTRA, "extra, per cent of the cluster"},
                    {GATHER_CLONES_MAX, "clone budget, per cent of the cluster"}};

    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
        char before[24] = "0", now[24];
        for (uint32_t i = 0; i < series_spans(g->series); i++) {
            snprintf(now, sizeof now, "%.6g", series_mean(g->series, counters[k].which, i));
            if (strcmp(now, before) == 0)
                continue;
            memcpy(before, now, sizeof now);
            str_addf(to,
                     "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":0,\"ts\":%" PRId64
                     ",\"args\":{\"value\":%s}},\n",
                     counters[k].name, (int64_t)i * g->series->span_us, now);
        }
    }
}

/* ---- one job ---- */

struct trace_of {
    const struct explain *x;
    const struct gather *g;
};

static int by_attempt(const void *a, const void *b)
{
    const struct attempt_row_shown *x = *(struct attempt_row_shown *const *)a,
                                   *y = *(struct attempt_row_shown *const *)b;
    return attempt_compare(x->at, y->at);
}

/* The rows of a job, in order of phase, task and attempt. */
struct job_rows {
    const struct attempt_row_shown *const *at;
    uint32_t count;
};

/* The row of a task that has won, by bisection; NULL: none. */
static const struct attempt_row_shown *winner_of(struct job_rows rows, struct attempt_ref at)
{
    uint32_t low = 0, high = rows.count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (attempt_compare_tasks(rows.at[middle]->at, at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < rows.count && attempt_compare_tasks(rows.at[low]->at, at) == 0; low++)
        if (rows.at[low]->fate == FATE_WON)
            return rows.at[low];
    return NULL;
}

static void add_arg(const char *name, const char *text, struct str *to)
{
    str_addf(to, ",\"%s\":", name);
    add_text(text, to);
}

static void add_use(const struct usage *use, struct str *to)
{
    if (!use)
        return;
    if (use->cpu_us >= 0)
        str_addf(to, ",\"cpu_s\":%.6f", (double)use->cpu_us / 1e6);
    if (use->peak_rss_kib >= 0)
        str_addf(to, ",\"peak_rss_kib\":%" PRId64, use->peak_rss_kib);
    str_addf(to, ",\"read_bytes\":%" PRId64 ",\"written_bytes\":%" PRId64, use->read_bytes,
             use->written_bytes);
}

/* "map 5", "map 5 (clone 1)", with all that is known of it. */
static void add_slice(const struct trace_of *t, const struct attempt_row_shown *r, struct str *to)
{
    const struct gather_job *j = gather_find(t->g, r->at.job);
    const char *kind = decision_kind_name(r->kind);
    uint64_t number = explain_number(t->x, r->at.task);
    struct str phase = {0}, text = {0};

    export_phase(j, r->at.phase, &phase);
    str_addf(&text, "%s %" PRIu64, phase.text, number);
    if (r->kind != LAUNCH_FIRST)
        str_addf(&text, " (%s %u)", kind, r->at.attempt);
    str_add(to, "{\"ph\":\"X\",\"name\":");
    add_text(text.text, to);
    str_addf(to,
             ",\"cat\":\"%s,%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64 ",\"dur\":%" PRId64
             ",\"args\":{\"job\":%u",
             kind, export_fate(r->fate), r->node + 1, r->lane, r->launched_us,
             r->ended_us - r->launched_us, r->at.job.v);
    if (j)
        add_arg("job_name", j->name, to);
    add_arg("phase", phase.text, to);
    str_addf(to, ",\"task\":%" PRIu64 ",\"attempt\":%u", number, r->at.attempt);
    add_arg("node", explain_node(t->x, (struct node_id){r->node}).text, to);
    str_addf(to, ",\"kind\":\"%s\",\"end\":\"%s\",\"why\":\"%s\"", kind, export_fate(r->fate),
             reason_name(r->why));
    str_cut(&text, 0);
    explain_command(t->x, r->at.task, "", "", &text);
    if (text.length > 0)
        add_arg("command", text.text, to);
    add_use(gather_use(t->g, r), to);
    str_add(to, "}},\n");
    str_free(&phase);
    str_free(&text);
}

/* An end of an arrow: inside the slice of the row, at this time. */
static void add_end(const char *end, uint64_t id, const struct attempt_row_shown *r, int64_t at_us,
                    struct str *to)
{
    str_addf(to,
             "{\"ph\":\"%s\",\"bp\":\"e\",\"name\":\"read\",\"cat\":\"read\",\"id\":%" PRIu64
             ",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64 "},\n",
             end, id, r->node + 1, r->lane, at_us);
}

/* An arrow for each of the longest reads of single outputs whose source is there and ended first:
 * arrows must not go back in time. */
static void add_reads(struct job_rows rows, const struct attempt_row_shown *r, uint64_t *arrows,
                      struct str *to)
{
    for (uint32_t k = 0; k < r->reads && k < ATTEMPT_LOG_READS; k++) {
        struct attempt_ref at = {
            .job = r->at.job, .phase = r->longest[k].phase, .task = r->longest[k].task};
        const struct attempt_row_shown *from = winner_of(rows, at);
        if (!from || from->ended_us > r->read_to_us || from->ended_us <= from->launched_us)
            continue;
        ++*arrows;
        add_end("s", *arrows, from, from->ended_us - 1, to);
        add_end("f", *arrows, r, r->read_to_us > r->ended_us ? r->ended_us - 1 : r->read_to_us, to);
    }
}

static void add_job(const struct trace_of *t, struct job_rows rows, uint64_t *arrows,
                    struct str *to)
{
    for (uint32_t i = 0; i < rows.count; i++) {
        add_slice(t, rows.at[i], to);
        add_reads(rows, rows.at[i], arrows, to);
    }
}

/* ---- files ---- */

static const char tail[] =
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"run\"}}\n]}\n";

struct trace_file {
    const char *path; /* of all of it */
    struct str head;  /* of each file */
    uint64_t max;     /* bytes of JSON of a file, if it has more than a job */
    struct export_file out;
    uint64_t bytes; /* that it has */
    uint32_t files, jobs;
};

struct path export_trace_file(const char *path, uint32_t number)
{
    static const char *const ends[] = {".json.gz", ".json", ".gz"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (length > n && strcmp(path + length - n, ends[i]) == 0)
            return path_of("%.*s.%u%s", (int)(length - n), path, number, ends[i]);
    }
    return path_of("%s.%u", path, number);
}

static void file_write(struct trace_file *t, const char *text, size_t length)
{
    t->bytes += length;
    while (length > 0) { /* zlib counts in ints; it remembers an error until the end */
        unsigned n = length < 1 << 30 ? (unsigned)length : 1 << 30;
        gzwrite(t->out.f, text, n);
        text += n;
        length -= n;
    }
}

/* The first has the name of the whole until there is a second. */
static int file_open(struct trace_file *t, struct err *err)
{
    struct path first = export_trace_file(t->path, 1);

    if (++t->files == 2 && rename(t->path, first.text) < 0)
        return err_system(err, "cannot write %s: %s", first.text, strerror(errno));
    struct path name =
        t->files == 1 ? path_of("%s", t->path) : export_trace_file(t->path, t->files);
    if (export_open(&t->out, name.text, err) < 0)
        return -1;
    t->bytes = 0;
    t->jobs = 0;
    file_write(t, t->head.text, t->head.length);
    return 0;
}

static int file_close(struct trace_file *t, bool whole, struct err *err)
{
    file_write(t, tail, sizeof tail - 1);
    return export_close(&t->out, whole, err);
}

/* A job goes where there is room, or into a new file; a pipe or a device has room for all. */
static int file_add(struct trace_file *t, const struct str *job, struct err *err)
{
    bool full = t->jobs > 0 && t->bytes + job->length + sizeof tail > t->max;

    if (full && t->out.file.beside)
        if (file_close(t, true, err) < 0 || file_open(t, err) < 0)
            return -1;
    t->jobs++;
    file_write(t, job->text, job->length);
    return 0;
}

static int write_jobs(struct trace_file *t, const struct trace_of *of, struct err *err)
{
    const struct gather *g = of->g;
    VEC(const struct attempt_row_shown *) rows = {0};
    struct str text = {0};
    uint64_t arrows = 0;
    int rc = file_open(t, err);

    for (uint32_t i = 0; i < g->log.closed.count; i++)
        vec_push(&rows, &g->log.closed.at[i]);
    vec_sort(&rows, by_attempt);
    for (uint32_t i = 0, end; rc == 0 && i < rows.count; i = end) {
        for (end = i + 1; end < rows.count && rows.at[end]->at.job.v == rows.at[i]->at.job.v;)
            end++;
        str_cut(&text, 0);
        add_job(of, (struct job_rows){rows.at + i, end - i}, &arrows, &text);
        rc = file_add(t, &text, err);
    }
    str_free(&text);
    vec_free(&rows);
    return rc;
}

int export_trace(const struct explain *x, const struct gather *g, const char *path, uint64_t max,
                 uint32_t *files, struct err *err)
{
    struct trace_file t = {.path = path, .max = max};

    str_add(&t.head, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    add_nodes(x, g, &t.head);
    add_downs(g, &t.head);
    add_series(g, &t.head);
    int rc = write_jobs(&t, &(struct trace_of){x, g}, err);
    struct err later; /* what went wrong first is told */
    if (t.out.f && file_close(&t, rc == 0, rc == 0 ? err : &later) < 0)
        rc = -1;
    *files = t.files;
    str_free(&t.head);
    return rc;
}
