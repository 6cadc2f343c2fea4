#include "commands/report/read_run.h"

#include "base/mem.h"

void read_run_job(void *run, const struct explain *x)
{
    struct read_run *r = run;

    telling_job(&r->telling, x);
    races_job(&r->races, x);
    phase_sums_job(&r->phases, x);
}

static void subscribe(void *ctx, struct follow *f)
{
    struct read_run *r = ctx;

    gather_init(&r->gather, f, r->gather.all);
}

void read_run_settle(struct read_run *r)
{
    gather_sort(&r->gather);
    races_sort(&r->races);
    if (!gather_limits_clones(r->input.x.policy))
        series_clear(r->gather.series, GATHER_CLONES_MAX);
}

int read_run_open(struct read_run *r, const char *name, bool all, struct err *err)
{
    struct explain_watch watch = {.ctx = r, .begin = subscribe, .job = read_run_job};

    *r = (struct read_run){.path = explain_open_path(name, err), .label = name, .kept = true};
    if (!r->path)
        return -1;
    r->gather.all = all;
    int rc = explain_open(&r->input, r->path, NULL, &watch, err);
    read_run_settle(r);
    return rc;
}

void read_run_fini(struct read_run *r)
{
    telling_fini(&r->telling);
    races_fini(&r->races);
    phase_sums_fini(&r->phases);
    mem_free(r->path);
    gather_fini(&r->gather);
}

void read_run_close(struct read_run *r)
{
    explain_open_end(&r->input); /* first: gather subscribes to its account */
    read_run_fini(r);
}

/* ---- a run whose journal another reads ---- */

void read_run_begin(struct read_run *r, const char *path, struct follow *f)
{
    r->path = mem_strdup(path);
    r->label = r->path;
    r->kept = true;
    gather_init(&r->gather, f, false);
    attempt_log_limit(&r->gather.log, READ_RUN_ROWS);
}
