/* capacity_queues.h - queues with guaranteed and greatest shares of the cluster. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "core/model/res.h"

enum { CAPACITY_QUEUES_MAX = 64, CAPACITY_WHOLE = 100000 };

struct capacity_queue {
    char name[FIELD_NAME_BYTES_MAX + 1];
    uint32_t hash;               /* of the name, as job->queue_hash */
    int32_t guaranteed, maximum; /* thousandths of a per cent of the cluster */
};

/* The written queues come first. The queue `default` always exists: if it was not written, it is
 * added, with the share that the others leave guaranteed and no maximum. */
struct capacity_queues {
    uint32_t count, written, fallback; /* fallback: the index of `default` */
    struct capacity_queue at[CAPACITY_QUEUES_MAX + 1];
};

/* Reads "prod:60:90,dev:40:100", the name, guaranteed and maximum per cent of each, into *member, a
 * struct capacity_queues. Returns -1 with *err, and leaves *member unchanged, for anything else:
 * also for a queue twice, nothing guaranteed, a maximum below that, more than 100 % guaranteed in
 * all. */
int capacity_queues_take(void *member, const char *text, struct err *err);

/* Appends text that capacity_queues_take reads back as the same queues. */
void capacity_queues_show(const void *member, struct str *out);

/* The index of the queue whose name has this hash, or that of `default` if there is none. */
uint32_t capacity_queues_find(const struct capacity_queues *queues, uint32_t hash);

/* The share of its guarantee that the queue holds: its share of the resource that it has most of,
 * over the guaranteed one. Infinite if nothing is guaranteed. */
double capacity_queues_fill(const struct capacity_queue *q, const struct res_sum *held,
                            const struct res_sum *all);

/* The resources that the queue may still take: its maximum of each resource, less its own use.
 * Unlimited if it holds nothing: a queue whose maximum is below one task runs its tasks one at a
 * time, instead of none for ever. */
struct res capacity_queues_allowance(const struct capacity_queue *q, const struct res_sum *held,
                                     const struct res_sum *all);
