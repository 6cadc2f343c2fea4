#include "commands/watch/kept_jobs.h"

#include <inttypes.h>
#include <stdio.h>

static void drop(struct kept_job *one)
{
    if (one->used)
        explain_open_end(&one->input);
    *one = (struct kept_job){0};
}

void kept_jobs_fini(struct kept_jobs *k)
{
    for (int i = 0; i < KEPT_JOBS; i++)
        drop(&k->at[i]);
}

/* Returns the job, or where it may be put. */
static struct kept_job *place_of(struct kept_jobs *k, uint32_t job)
{
    struct kept_job *oldest = &k->at[0];

    for (int i = 0; i < KEPT_JOBS; i++) {
        if (k->at[i].used && k->at[i].job == job)
            return &k->at[i];
        if (k->at[i].asked < oldest->asked)
            oldest = &k->at[i];
    }
    return oldest;
}

static int read_job(struct kept_jobs *k, struct kept_job *one, const struct followed_run *f,
                    uint32_t job, struct err *err)
{
    char number[16];

    drop(one);
    k->reads++;
    snprintf(number, sizeof number, "%" PRIu32, job);
    one->used = true;
    one->job = job;
    if (explain_open(&one->input, f->path, number, NULL, err) == 0)
        return 0;
    drop(one);
    return -1;
}

int kept_jobs_show(struct kept_jobs *k, const struct followed_run *f, uint32_t job, void *ctx,
                   void (*see)(void *ctx, const struct explain *x), struct err *err)
{
    if (k->resets != f->resets)
        kept_jobs_fini(k);
    k->resets = f->resets;
    k->questions++;
    if (followed_run_open_job(f, job, ctx, see))
        return 0;
    if (job >= f->jobs_end) {
        see(ctx, NULL);
        return 0;
    }
    struct kept_job *one = place_of(k, job);
    if (!(one->used && one->job == job) && read_job(k, one, f, job, err) < 0)
        return -1;
    one->asked = k->questions;
    struct explain x = one->input.x;
    x.complete = f->input.x.complete;
    x.torn_bytes = f->input.x.torn_bytes;
    x.run = f->input.x.run;
    bool found = x.job && x.job->id.v == job;
    see(ctx, found ? &x : NULL);
    if (!found) /* its number is a name, or it was not measured */
        drop(one);
    return 0;
}
