/* export.c - a file for each purpose, written row by row. gzdopen writes plain text where asked to,
 * so there is one way of writing for both. */
#include "commands/report/export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/model/event.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

int export_open(struct export_file *e, const char *path, struct err *err)
{
    e->f = NULL;
    if (strcmp(path, "-") == 0)
        e->file = (struct fresh_file){.fd = dup(STDOUT_FILENO), .path = mem_strdup("stdout")};
    else if (fresh_file_open(&e->file, path, 0666) < 0)
        return err_system(err, "cannot write %s: %s", path, strerror(errno));
    e->f = gzdopen(e->file.fd, ends_with(path, ".gz") ? "wb6" : "wbT");
    if (e->f)
        return 0;
    fresh_file_close(&e->file, false);
    return err_system(err, "cannot write %s: %s", path, strerror(ENOMEM));
}

int export_close(struct export_file *e, bool whole, struct err *err)
{
    int broken;

    errno = 0;
    gzerror(e->f, &broken);
    int closed = gzclose(e->f); /* the descriptor as well */
    e->f = NULL;
    e->file.fd = -1;
    bool fine = broken == Z_OK && closed == Z_OK;
    if (!fine)
        err_system(err, "cannot write %s: %s", e->file.path,
                   errno ? strerror(errno) : "it broke off");
    char *path = mem_strdup(e->file.path);
    if (fresh_file_close(&e->file, fine && whole) < 0)
        fine = err_system(err, "cannot write %s: %s", path, strerror(errno)) == 0;
    mem_free(path);
    return fine && whole ? 0 : -1;
}

bool export_is_into(const struct export_file *e)
{
    return !e->file.beside;
}

const char *export_fate(uint8_t fate)
{
    static const char *const names[FATE_COUNT] = {"running", "won",  "spare",    "killed",
                                                  "failed",  "lost", "withdrawn"};
    return names[fate];
}

int export_exit(const struct attempt_row_shown *r)
{
    if (r->fate == FATE_WON || r->fate == FATE_SPARE)
        return 0;
    if (r->fate != FATE_FAILED)
        return -1;
    return r->cause == CAUSE_EXIT ? r->detail : r->cause == CAUSE_SIGNAL ? 128 + r->detail : -1;
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

static void put_amount(gzFile f, int64_t amount)
{
    gzputc(f, ',');
    if (amount >= 0)
        gzprintf(f, "%" PRId64, amount);
}

static void put_use(gzFile f, const struct usage *use)
{
    put_time(f, use ? use->cpu_us : -1);
    put_amount(f, use ? use->read_bytes : -1);
    put_amount(f, use ? use->written_bytes : -1);
    put_amount(f, use ? use->peak_rss_kib : -1);
}

static void put_attempts(gzFile f, const struct explain *x, const struct gather *g)
{
    gzputs(f, "job,phase,task,attempt,node,lane,kind,why,end,cause,launched_s,started_s,"
              "read_from_s,read_to_s,ended_s,cpu_s,read_bytes,written_bytes,peak_rss_kib,exit,"
              "task_index\n");
    for (uint32_t i = 0; i < g->log.closed.count; i++) {
        const struct attempt_row_shown *r = &g->log.closed.at[i];
        gzprintf(f, "%u,%u,%" PRIu64 ",%u,", r->at.job.v, r->at.phase,
                 explain_number(x, r->at.task), r->at.attempt);
        put_field(f, explain_node(x, (struct node_id){r->node}).text);
        gzprintf(f, ",%u,%s,%s,%s,%s", r->lane, decision_kind_name(r->kind), reason_name(r->why),
                 export_fate(r->fate), event_cause_name(r->cause));
        put_time(f, r->launched_us);
        put_time(f, r->started_us);
        put_time(f, r->read_from_us);
        put_time(f, r->read_to_us);
        put_time(f, r->ended_us);
        put_use(f, gather_use(g, r));
        gzputc(f, ',');
        if (export_exit(r) >= 0)
            gzprintf(f, "%d", export_exit(r));
        gzprintf(f, ",%u\n", r->at.task);
    }
}

static void put_jobs(gzFile f, const struct explain *x, const struct gather *g)
{
    (void)x;
    gzputs(f, "job,name,tasks,extra,end,arrived_s,began_s,ended_s,failed_tasks,measured\n");
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
        gzprintf(f, ",%" PRIu64 ",%d\n", j->given_up, j->measured);
    }
}

static void put_spans(gzFile f, const struct explain *x, const struct gather *g)
{
    (void)x;
    gzputs(f, "from_s,running,waiting,extra_percent,nodes_down,omega_s,slots,slots_all,"
              "mem_percent,x_percent,y_percent,cpu_s_per_s,clones_percent,clones_limit_percent,"
              "backups_percent,backups_limit_percent\n");
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
        struct export_file e;
        rc = export_open(&e, path.text, err);
        if (rc == 0) {
            files[i].put(e.f, x, g);
            rc = export_close(&e, true, err);
        }
        str_free(&path);
    }
    return rc;
}
