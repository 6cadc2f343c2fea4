#include "commands/report/read_run.h"

#include "base/mem.h"

static void see_job(void *ctx, const struct explain *x)
{
    struct read_run *r = ctx;

    telling_job(&r->telling, x);
    races_job(&r->races, x);
    phase_sums_job(&r->phases, x);
}

static void subscribe(void *ctx, struct follow *f)
{
    struct read_run *r = ctx;

    gather_init(&r->gather, f, r->gather.all);
}

int read_run_open(struct read_run *r, const char *name, bool all, struct err *err)
{
    struct explain_watch watch = {.ctx = r, .begin = subscribe, .job = see_job};

    *r = (struct read_run){.path = explain_open_path(name, err), .label = name, .kept = true};
    if (!r->path)
        return -1;
    r->gather.all = all;
    int rc = explain_open(&r->source, r->path, NULL, &watch, err);
    gather_sort(&r->gather);
    races_sort(&r->races);
    gather_settle(&r->gather, r->source.x.policy);
    return rc;
}

void read_run_close(struct read_run *r)
{
    explain_open_end(&r->source); /* first: gather subscribes to its account */
    telling_fini(&r->telling);
    races_fini(&r->races);
    phase_sums_fini(&r->phases);
    gather_fini(&r->gather);
    mem_free(r->path);
}
