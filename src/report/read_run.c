#include "report/read_run.h"

#include "base/mem.h"

static void see_job(void *ctx, const struct explain *x)
{
    telling_job(ctx, x);
}

int read_run_open(struct read_run *r, const char *name, bool all, struct err *err)
{
    *r = (struct read_run){.path = explain_open_path(name, err), .label = name, .kept = true};
    if (!r->path)
        return -1;
    struct follow *follow = follow_create(0, 0);
    gather_init(&r->gather, follow, all);
    struct explain_watch watch = {.tap = follow_tap(follow), .ctx = &r->telling, .job = see_job};
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
