/* draft.c - the memory of a draft, which is used again for job after job. */
#include "import/draft.h"

void draft_clear(struct draft *d)
{
    vec_clear(&d->phases);
    vec_clear(&d->tasks);
    vec_clear(&d->attempts);
    vec_clear(&d->edges);
    d->job = d->name = d->user = d->queue = d->app = (struct row_text){0};
    d->submit_us = ROW_UNKNOWN;
    d->where = 0;
    d->has_task_parents = false;
}

void draft_fini(struct draft *d)
{
    vec_free(&d->phases);
    vec_free(&d->tasks);
    vec_free(&d->attempts);
    vec_free(&d->edges);
}
