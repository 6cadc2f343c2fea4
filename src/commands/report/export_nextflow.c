#include <inttypes.h>
#include <string.h>

#include "commands/report/export.h"

/* A name of the journal's: one word for a process, and nothing that would end a field. */
static void put_word(gzFile f, const char *name)
{
    for (; *name; name++)
        gzputc(f, (unsigned char)*name <= ' ' ? '_' : *name);
}

static void put_process(gzFile f, const struct gather_job *j, uint16_t phase)
{
    struct str name = {0};

    export_phase(j, phase, &name);
    put_word(f, name.text);
    str_free(&name);
}

static void put_ms(gzFile f, int64_t us)
{
    export_number(f, '\t', us < 0 ? -1 : us / 1000, "-");
}

/* %cpu, peak_rss, peak_vmem, rchar, wchar; 100 % is a core for all the time that it ran for. */
static void put_use(gzFile f, const struct usage *use)
{
    if (use && use->cpu_us >= 0 && use->wall_us > 0)
        gzprintf(f, "\t%.1f", 100 * (double)use->cpu_us / (double)use->wall_us);
    else
        gzputs(f, "\t-");
    export_number(f, '\t', use && use->peak_rss_kib >= 0 ? use->peak_rss_kib * 1024 : -1, "-");
    gzputs(f, "\t-");
    export_number(f, '\t', use ? use->read_bytes : -1, "-");
    export_number(f, '\t', use ? use->written_bytes : -1, "-");
}

int export_nextflow(const struct explain *x, const struct gather *g, const char *path,
                    struct err *err)
{
    static const char *const status[FATE_COUNT] = {"SUBMITTED", "COMPLETED", "ABORTED", "ABORTED",
                                                   "FAILED",    "FAILED",    "ABORTED"};
    struct export_file e;

    if (export_open(&e, path, err) < 0)
        return -1;
    gzFile f = e.f;
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
        gzprintf(f, "\t%s", status[r->fate]);
        export_number(f, '\t', export_exit(r), "-");
        put_ms(f, r->launched_us);
        put_ms(f, r->started_us);
        put_ms(f, r->ended_us);
        put_ms(f, r->ended_us - r->launched_us);
        put_ms(f, ran ? r->ended_us - r->started_us : -1);
        put_use(f, gather_use(g, r));
        gzprintf(f, "\t%u\t", r->at.attempt + 1u);
        put_word(f, explain_node(x, (struct node_id){r->node}).text);
        gzputc(f, '\n');
    }
    return export_close(&e, true, err);
}
