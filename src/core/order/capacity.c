/* capacity.c - queues with guaranteed shares of the cluster, in each of them jobs by arrival.
 *
 * The next queue is the one with the least of its guaranteed share: its dominant share, over the
 * guaranteed one. No queue exceeds its maximum; up to that it may use idle resources of others.
 * Nothing is preempted. This is YARN's Capacity scheduler with queues of one level, as far as
 * DollyMP (sections 2 and 6) compares itself with it; the recipe adds Hadoop's speculation, which
 * the paper's baseline has. */
#include "core/order/capacity_queues.h"
#include "core/order/order_key.h"
#include "core/parts/parts.h"

#define PARAMS struct capacity_params
struct capacity_params {
    struct capacity_queues queues;
};

static const struct field params[] = {
    {.name = "queues",
     .type = FIELD_OWN,
     .offset = offsetof(PARAMS, queues),
     .fallback = "default:100:100",
     .want = "NAME:GUARANTEED:MAXIMUM,...",
     .help = "queues with their guaranteed and maximum per cent of the cluster",
     .take = capacity_queues_take,
     .show = capacity_queues_show},
    {0},
};

static uint32_t capacity_group(const struct part_ctx *s, const struct job *j)
{
    return capacity_queues_find(&par(s)->queues, j->queue_hash);
}

static int64_t capacity_group_key(const struct part_ctx *s, uint32_t group)
{
    const struct capacity_queue *q = &par(s)->queues.at[group];
    return order_key(capacity_queues_fill(q, &s->world->groups.at[group].held, &s->world->capacity),
                     ORDER_KEY_MAX);
}

static struct res capacity_group_allowance(const struct part_ctx *s, uint32_t group,
                                           const struct res_sum *held)
{
    return capacity_queues_allowance(&par(s)->queues.at[group], held, &s->world->capacity);
}

static int64_t capacity_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    (void)p;
    return 0; /* ties are broken by id, which is the order of arrival */
}

const struct order_ops capacity_order = {
    .part = {.name = "capacity",
             .help = "the queue that has least of its guaranteed share, jobs in it as they came",
             PART_PARAMS(params)},
    .key = capacity_key,
    .group = capacity_group,
    .group_key = capacity_group_key,
    .group_allowance = capacity_group_allowance,
};
