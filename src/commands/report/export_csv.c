/* export_csv.c - tables for other programs: a file for attempts, jobs, phases, values over time and
 * verdicts. Times are seconds of the run; what is not known, or has not happened, is empty. Columns
 * are added at the end, so that programs that count them keep working. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/report/export.h"
#include "core/model/event.h"

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

static void put_next(gzFile f, const char *text)
{
    gzputc(f, ',');
    put_field(f, text);
}

static void put_time(gzFile f, int64_t us)
{
    gzputc(f, ',');
    if (us >= 0)
        gzprintf(f, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

/* ---- attempts ---- */

static void put_use(gzFile f, const struct usage *use)
{
    put_time(f, use ? use->cpu_us : -1);
    export_number(f, ',', use ? use->read_bytes : -1, "");
    export_number(f, ',', use ? use->written_bytes : -1, "");
    export_number(f, ',', use ? use->peak_rss_kib : -1, "");
}

static int64_t span_us(int64_t from_us, int64_t to_us)
{
    return from_us < 0 || to_us < from_us ? -1 : to_us - from_us;
}

/* Names, command, lengths, and hindsight. */
static void put_words(gzFile f, const struct read_run *run, const struct attempt_row_shown *r)
{
    const struct gather_job *j = gather_find(&run->gather, r->at.job);
    const struct race *race = races_find(&run->races, r->at);
    struct str text = {0};

    put_next(f, j ? j->name : "");
    export_phase(j, r->at.phase, &text);
    put_next(f, text.text);
    str_cut(&text, 0);
    explain_command(&run->input.x, r->at.task, "", "", &text);
    put_next(f, text.text);
    put_time(f, span_us(r->launched_us, r->ended_us));
    put_time(f, span_us(r->started_us, r->ended_us));
    gzprintf(f, ",%d,%d", races_straggled(&run->races, r->at), race && race->rescued);
    put_time(f, race && (race->alone == ALONE_KNOWN || race->alone == ALONE_PACE) ? race->about_us
                                                                                  : -1);
    str_free(&text);
}

static void put_attempts(gzFile f, struct read_run *run)
{
    const struct explain *x = &run->input.x;
    const struct gather *g = &run->gather;

    gzputs(f, "job,phase,task,attempt,node,lane,kind,why,end,cause,launched_s,started_s,"
              "read_from_s,read_to_s,ended_s,cpu_s,read_bytes,written_bytes,peak_rss_kib,exit,"
              "task_index,job_name,phase_name,command,duration_s,ran_s,straggled,rescued,"
              "alone_about_s\n");
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
        export_number(f, ',', export_exit(r), "");
        gzprintf(f, ",%u", r->at.task);
        put_words(f, run, r);
        gzputc(f, '\n');
    }
}

/* ---- the others ---- */

static void put_jobs(gzFile f, struct read_run *run)
{
    const struct gather *g = &run->gather;

    gzputs(f, "job,name,tasks,extra,end,arrived_s,began_s,ended_s,failed_tasks,measured,took_s,"
              "waited_s\n");
    for (uint32_t i = 0; i < g->jobs.count; i++) {
        const struct gather_job *j = &g->jobs.at[i];
        gzprintf(f, "%u", j->id.v);
        put_next(f, j->name);
        gzprintf(f, ",%" PRIu64 ",%" PRIu64 ",%s", j->tasks, j->clones,
                 j->open     ? "open"
                 : j->failed ? "failed"
                             : "done");
        put_time(f, j->arrived_us);
        put_time(f, j->began_us);
        put_time(f, j->ended_us);
        gzprintf(f, ",%" PRIu64 ",%d", j->given_up, j->measured);
        put_time(f, span_us(j->arrived_us, j->ended_us));
        put_time(f, j->began_us < 0 ? -1 : span_us(j->arrived_us, j->began_us));
        gzputc(f, '\n');
    }
}

static void put_phases(gzFile f, struct read_run *run)
{
    static const double quantiles[] = {0, 0.25, 0.5, 0.75, 1};

    gzputs(f, "phase,metric,tasks,done,rescued,failed,values,least,quarter,median,three_quarters,"
              "most\n");
    for (uint32_t i = 0; i < run->phases.v.count; i++)
        for (int m = 0; m < PHASE_METRICS; m++) {
            struct phase_sum *p = &run->phases.v.at[i];
            struct phase_values *v = &p->values[m];
            if (v->count == 0)
                continue;
            put_field(f, p->name);
            gzprintf(f, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                     phase_sums_texts[m].name, p->tasks, p->done, p->rescued, p->failed, v->count);
            for (size_t k = 0; k < sizeof quantiles / sizeof *quantiles; k++) {
                double value = phase_sums_quantile(v, quantiles[k]);
                gzprintf(f, m == PHASE_BYTES ? ",%.0f" : ",%.6f",
                         m == PHASE_BYTES ? value : value / 1e6);
            }
            gzputc(f, '\n');
        }
}

static void put_spans(gzFile f, struct read_run *run)
{
    const struct gather *g = &run->gather;

    gzputs(f, "from_s");
    for (uint32_t k = 0; k < GATHER_SERIES; k++)
        gzprintf(f, ",%s", gather_series_name((enum gather_series)k));
    gzputc(f, '\n');
    for (uint32_t i = 0; i < series_spans(g->series); i++) {
        gzprintf(f, "%.6f", (double)i * (double)g->series->span_us / 1e6);
        for (uint32_t k = 0; k < GATHER_SERIES; k++)
            gzprintf(f, ",%.6g", series_mean(g->series, k, i));
        gzputc(f, '\n');
    }
}

static void put_verdicts(gzFile f, struct read_run *run)
{
    gzputs(f, "verdict,count,meaning\n");
    for (uint16_t code = 0; code < WHY_CODE_END; code++)
        if (run->gather.verdicts[code] > 0) {
            gzprintf(f, "%s,%" PRIu64, reason_name(code), run->gather.verdicts[code]);
            put_next(f, explain_cloning_verdict(code));
            gzputc(f, '\n');
        }
}

int export_csv(struct read_run *r, const char *dir, struct err *err)
{
    static const struct {
        const char *name;
        void (*put)(gzFile f, struct read_run *r);
    } files[] = {{"attempts.csv", put_attempts},
                 {"jobs.csv", put_jobs},
                 {"phases.csv", put_phases},
                 {"series.csv", put_spans},
                 {"verdicts.csv", put_verdicts}};
    int rc = 0;

    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return err_system(err, "cannot make %s: %s", dir, strerror(errno));
    for (size_t i = 0; rc == 0 && i < sizeof files / sizeof *files; i++) {
        struct export_file e;
        rc = export_open(&e, path_of("%s/%s", dir, files[i].name).text, err);
        if (rc == 0) {
            files[i].put(e.f, r);
            rc = export_close(&e, true, err);
        }
    }
    return rc;
}
