/* export.c - a file for each purpose, written row by row. gzopen writes plain text where asked to,
 * so there is one way of writing for both. */
#include "report/export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/check.h"
#include "model/event.h"

static const char *const fates[FATE_COUNT] = {"running", "won",  "spare",    "killed",
                                              "failed",  "lost", "withdrawn"};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static gzFile open_file(const char *path, struct err *err)
{
    gzFile f = gzopen(path, ends_with(path, ".gz") ? "wbe6" : "wbTe");
    if (!f)
        err_system(err, "cannot write %s: %s", path, strerror(errno));
    return f;
}

/* Closes the file. 0, or -1 with *err if anything of it was not written. */
static int close_file(gzFile f, const char *path, struct err *err)
{
    int broken;

    gzerror(f, &broken);
    int closed = gzclose(f);
    if (broken == Z_OK && closed == Z_OK)
        return 0;
    return err_system(err, "cannot write %s: %s", path, errno ? strerror(errno) : "it broke off");
}

/* ---- trace events ---- */

/* A string of JSON. */
static void put_text(gzFile f, const char *text)
{
    gzputc(f, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            gzputc(f, '\\');
        if ((unsigned char)*c < ' ')
            gzprintf(f, "\\u%04x", (unsigned)*c);
        else
            gzputc(f, *c);
    }
    gzputc(f, '"');
}

static void put_nodes(gzFile f, const struct explain *x, const struct gather *g)
{
    for (uint32_t i = 0; i < g->tracks.nodes.count; i++) {
        if (tracks_count(&g->tracks, i) == 0)
            continue;
        gzprintf(f,
                 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":", i + 1);
        put_text(f, explain_node(x, (struct node_id){i}).text);
        gzprintf(f, "}},\n");
    }
}

static void put_series(gzFile f, const struct gather *g)
{
    static const struct {
        uint32_t which;
        const char *name;
    } counters[] = {{GATHER_RUNNING, "running"}, {GATHER_EXTRA, "extra, per cent of the cluster"}};

    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
        for (uint32_t i = 0; i < series_spans(g->series); i++)
            gzprintf(f,
                     "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":0,\"ts\":%" PRId64
                     ",\"args\":{\"value\":%.6g}},\n",
                     counters[k].name, (int64_t)i * g->series->span_us,
                     series_mean(g->series, counters[k].which, i));
}

int export_trace(const struct explain *x, const struct gather *g, const char *path, struct err *err)
{
    gzFile f = open_file(path, err);

    if (!f)
        return -1;
    gzprintf(f, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    put_nodes(f, x, g);
    put_series(f, g);
    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        gzprintf(f,
                 "{\"ph\":\"X\",\"name\":\"%u/%u/%u.%u\",\"cat\":\"%s,%s\",\"pid\":%u,\"tid\":%u,"
                 "\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{\"kind\":\"%s\",\"end\":\"%s\","
                 "\"why\":\"%s\"}},\n",
                 r->at.job.v, r->at.phase, r->at.task, r->at.attempt, decision_kind_name(r->kind),
                 fates[r->fate], r->node + 1, r->lane, r->launched_us, r->ended_us - r->launched_us,
                 decision_kind_name(r->kind), fates[r->fate], reason_name(r->why));
    }
    gzprintf(f, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"run\"}}\n"
                "]}\n");
    return close_file(f, path, err);
}

/* ---- Nextflow ---- */

/* A name of the journal's: one word for a process, and nothing that would end a field. */
static void put_word(gzFile f, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        gzputc(f, (unsigned char)name[i] <= ' ' ? '_' : name[i]);
}

static void put_process(gzFile f, const struct gather_job *j, uint16_t phase)
{
    const char *name = j ? j->phases : NULL;

    for (uint16_t k = 0; name && k < phase; k++)
        name = strchr(name, '\n') ? strchr(name, '\n') + 1 : NULL;
    if (name && *name)
        put_word(f, name, strcspn(name, "\n"));
    else
        gzprintf(f, "phase_%u", phase);
}

static void put_ms(gzFile f, int64_t us)
{
    if (us < 0)
        gzputs(f, "\t-");
    else
        gzprintf(f, "\t%" PRId64, us / 1000);
}

int export_nextflow(const struct explain *x, const struct gather *g, const char *path,
                    struct err *err)
{
    static const char *const status[FATE_COUNT] = {"SUBMITTED", "COMPLETED", "ABORTED", "ABORTED",
                                                   "FAILED",    "FAILED",    "ABORTED"};
    gzFile f = open_file(path, err);

    if (!f)
        return -1;
    gzputs(f, "task_id\thash\tnative_id\tname\tprocess\tstatus\texit\tsubmit\tstart\tcomplete\t"
              "duration\trealtime\t%cpu\tpeak_rss\tpeak_vmem\trchar\twchar\tattempt\thostname\n");
    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        const struct gather_job *j = gather_find(g, r->at.job);
        bool ran = r->started_us >= 0;
        gzprintf(f, "%u\t-\t-\t", i + 1);
        put_process(f, j, r->at.phase);
        gzprintf(f, " (%u/%" PRIu64 ")\t", r->at.job.v, explain_number(x, r->at.task));
        put_process(f, j, r->at.phase);
        gzprintf(f, "\t%s\t%s", status[r->fate],
                 r->fate == FATE_WON || r->fate == FATE_SPARE ? "0" : "-");
        put_ms(f, r->launched_us);
        put_ms(f, r->started_us);
        put_ms(f, r->ended_us);
        put_ms(f, r->ended_us - r->launched_us);
        put_ms(f, ran ? r->ended_us - r->started_us : -1);
        gzprintf(f, "\t-\t-\t-\t-\t-\t%u\t", r->at.attempt + 1u);
        struct explain_name node = explain_node(x, (struct node_id){r->node});
        put_word(f, node.text, strlen(node.text));
        gzputc(f, '\n');
    }
    return close_file(f, path, err);
}

/* ---- CSV ---- */

/* A field, in quotes if it has to be. */
static void put_field(gzFile f, const char *text)
{
    if (!text[strcspn(text, "\",\r\n")]) {
        gzputs(f, text);
        return;
    }
    gzputc(f, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            gzputc(f, '"');
        gzputc(f, *c);
    }
    gzputc(f, '"');
}

static void put_time(gzFile f, int64_t us)
{
    gzputc(f, ',');
    if (us >= 0)
        gzprintf(f, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

static void put_attempts(gzFile f, const struct explain *x, const struct gather *g)
{
    gzputs(f, "job,phase,task,attempt,node,lane,kind,why,end,cause,launched_s,started_s,"
              "read_from_s,read_to_s,ended_s\n");
    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        gzprintf(f, "%u,%u,%u,%u,", r->at.job.v, r->at.phase, r->at.task, r->at.attempt);
        put_field(f, explain_node(x, (struct node_id){r->node}).text);
        gzprintf(f, ",%u,%s,%s,%s,%s", r->lane, decision_kind_name(r->kind), reason_name(r->why),
                 fates[r->fate], event_cause_name(r->cause));
        put_time(f, r->launched_us);
        put_time(f, r->started_us);
        put_time(f, r->read_from_us);
        put_time(f, r->read_to_us);
        put_time(f, r->ended_us);
        gzputc(f, '\n');
    }
}

static void put_jobs(gzFile f, const struct explain *x, const struct gather *g)
{
    (void)x;
    gzputs(f, "job,name,tasks,extra,end,arrived_s,began_s,ended_s\n");
    for (uint32_t i = 0; i < g->jobs.count; i++) {
        const struct gather_job *j = &g->jobs.at[i];
        gzprintf(f, "%u,", j->id.v);
        put_field(f, j->name);
        gzprintf(f, ",%" PRIu64 ",%" PRIu64 ",%s", j->tasks, j->clones,
                 j->open     ? "open"
                 : j->failed ? "failed"
                             : "done");
        put_time(f, j->arrived_us);
        put_time(f, j->began_us);
        put_time(f, j->ended_us);
        gzputc(f, '\n');
    }
}

static void put_spans(gzFile f, const struct explain *x, const struct gather *g)
{
    (void)x;
    gzputs(f, "from_s,running,waiting,extra_percent,extra_limit_percent,nodes_down,omega_s,cpu_"
              "percent,mem_percent,"
              "x_percent,y_percent\n");
    for (uint32_t i = 0; i < series_spans(g->series); i++) {
        gzprintf(f, "%.6f", (double)i * (double)g->series->span_us / 1e6);
        for (uint32_t k = 0; k < GATHER_SERIES; k++)
            gzprintf(f, ",%.6g", series_mean(g->series, k, i));
        gzputc(f, '\n');
    }
}

int export_csv(const struct explain *x, const struct gather *g, const char *dir, struct err *err)
{
    static const struct {
        const char *name;
        void (*put)(gzFile f, const struct explain *x, const struct gather *g);
    } files[] = {{"attempts.csv", put_attempts}, {"jobs.csv", put_jobs}, {"series.csv", put_spans}};
    int rc = 0;

    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return err_system(err, "cannot make %s: %s", dir, strerror(errno));
    for (size_t i = 0; rc == 0 && i < sizeof files / sizeof *files; i++) {
        struct str path = {0};
        str_addf(&path, "%s/%s", dir, files[i].name);
        gzFile f = open_file(path.text, err);
        if (f)
            files[i].put(f, x, g);
        rc = f ? close_file(f, path.text, err) : -1;
        str_free(&path);
    }
    return rc;
}
