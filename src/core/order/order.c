/* order.c - which job next: in order of arrival, or the one that has least of its share.
 *
 * fair: jobs share the cluster in proportion to their weights, as in Hadoop's fair scheduler
 * without pools. A job's share counts its unfinished tasks that run, not its attempts: clones are
 * free. */
#include "core/parts/parts.h"

static int64_t fifo_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    return p->job->id.v; /* each job is a rank of its own */
}

static int64_t fair_key(const struct part_ctx *s, const struct phase *p)
{
    const struct job *j = p->job;
    (void)s;
    if (j->weight == JOB_WEIGHT_ONE) /* the usual one needs no division */
        return (int64_t)j->busy * 1000;
    return (int64_t)j->busy * JOB_WEIGHT_ONE * 1000 / j->weight;
}

const struct order_ops order_fifo = {
    .part = {.name = "fifo", .help = "jobs in order of arrival"},
    .key = fifo_key,
};

const struct order_ops order_fair = {
    .part = {.name = "fair", .help = "the job with the fewest running tasks for its weight"},
    .key = fair_key,
    .follows = FOLLOWS_BUSY,
};
