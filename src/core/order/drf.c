/* drf.c - dominant resource fairness (Ghodsi et al., NSDI'11), as Hadoop does it: the job whose
 * attempts hold the least, where what counts is the resource of which they hold the greatest share
 * of the cluster.
 *
 *     u_j  what job j's attempts hold     job->held, clones and backups too
 *     C    the cluster                    world->capacity
 *     w_j  its weight                     job->weight
 *     s_j  max over resources of u_j / (C w_j); the least is next
 *
 * Ties go by the second greatest share, then by arrival. A job whose task fits nowhere is passed
 * over. Left out: Hadoop's minimum shares, which jobs have none of here. */
#include "core/order/order_key.h"
#include "core/parts/parts.h"

/* The least of what is left of 60 bits still tells shares apart that differ by a percent. */
enum { FIRST_BITS = 42, SECOND_BITS = 18 };
_Static_assert(FIRST_BITS + SECOND_BITS == ORDER_KEY_MAX, "both make a key");

static int64_t drf_key(const struct part_ctx *s, const struct phase *p)
{
    const struct res_sum *all = &s->world->capacity, *held = &p->job->held;
    double first = 0, second = 0;
    for (int i = 0; i < RES_COUNT; i++) {
        double share = all->v[i] > 0 ? (double)held->v[i] / (double)all->v[i] : 0;
        if (share > first) {
            second = first;
            first = share;
        } else if (share > second) {
            second = share;
        }
    }
    double weight = (double)p->job->weight / JOB_WEIGHT_ONE;
    return order_key(first / weight, FIRST_BITS) << SECOND_BITS |
           order_key(second / weight, SECOND_BITS);
}

const struct order_ops drf_order = {
    .part = {.name = "drf", .help = "the job that holds the least of its dominant resource"},
    .follows = FOLLOWS_HELD | FOLLOWS_CAPACITY,
    .key = drf_key,
};
