#include "commands/report/read_run.h"

#include "base/mem.h"

static void see_job(void *ctx, const struct explain *x)
{
    telling_job(&((struct read_run *)ctx)->telling, x);
}

static void see_measure(void *ctx, int64_t warmup_us, uint64_t jobs_max)
{
    struct follow *f = ((struct read_run *)ctx)->gather.follow;

    f->warmup_us = warmup_us;
    f->jobs_max = jobs_max;
}

int read_run_open(struct read_run *r, const char *name, bool all, struct err *err)
{
    *r = (struct read_run){.path = explain_open_path(name, err), .label = name, .kept = true};
    if (!r->path)
        return -1;
    struct follow *follow = follow_create(0, 0);
    gather_init(&r->gather, follow, all);
    struct explain_watch watch = {
        .tap = follow_tap(follow), .ctx = r, .measure = see_measure, .job = see_job};
    int rc = explain_open(&r->source, r->path, NULL, &watch, err);
    follow_destroy(follow); /* closes what is open */
    gather_sort(&r->gather);
    gather_settle(&r->gather, r->source.x.policy);
    return rc;
}

void read_run_close(struct read_run *r)
{
    telling_fini(&r->telling);
    gather_fini(&r->gather);
    explain_open_end(&r->source);
    mem_free(r->path);
}
