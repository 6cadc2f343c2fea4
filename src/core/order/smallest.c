/* smallest.c - the job of which the least is left: of its time (srpt), or of its volume (svf).
 *
 * srpt, shortest remaining processing time: how long the job would still take if it had the cluster
 * to itself, along the longest path of the phases that are left. svf, smallest volume first: how
 * much of the cluster its tasks need for how long. DollyMP's section 4.2 names them as the two
 * orders that it is between; core/estimate/left_work.h computes both.
 *
 * Changed: the paper considers a set of jobs that are all present. Here a job's rank follows its
 * finished tasks and the expected times of the others; running attempts are not interrupted. */
#include "core/brain/decider.h"
#include "core/estimate/left_work.h"
#include "core/order/order_key.h"
#include "core/parts/parts.h"

#define PARAMS struct smallest_params
struct smallest_params {
    double spread;
};

static const struct field params[] = {
    PARAM_REAL("spread", spread, "0", 0, 100,
               "deviations by which a task counts longer than its mean"),
    {0},
};

static void weigh(const struct part_ctx *s, const struct job *j)
{
    struct left_work left = left_work_of(s->world, j, par(s)->spread);
    struct standing standing = {.volume = left.volume, .time_s = left.time_s};
    decider_publish(s->brain, j, standing);
}

static int64_t srpt_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    return order_key(p->job->standing.time_s, ORDER_KEY_MAX);
}

static int64_t svf_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    return order_key(p->job->standing.volume, ORDER_KEY_MAX);
}

const struct order_ops smallest_srpt = {
    .part = {.name = "srpt",
             .help = "the job with the shortest expected time left",
             PART_PARAMS(params),
             .reads_expected = true},
    .follows = FOLLOWS_COMMITS | FOLLOWS_EXPECTED | FOLLOWS_CAPACITY, /* the volume does */
    .weigh = weigh,
    .key = srpt_key,
};

const struct order_ops smallest_svf = {
    .part = {.name = "svf",
             .help = "the job with the least left to do: expected time x share of the cluster",
             PART_PARAMS(params),
             .reads_expected = true},
    .follows = FOLLOWS_COMMITS | FOLLOWS_EXPECTED | FOLLOWS_CAPACITY,
    .weigh = weigh,
    .key = svf_key,
};
