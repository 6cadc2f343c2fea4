/* capacity_queues.h - queues with guaranteed and greatest shares of the cluster. */
#ifndef CORE_ORDER_CAPACITY_QUEUES_H
#define CORE_ORDER_CAPACITY_QUEUES_H

#include <stdbool.h>
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

/* Those that were written come first. The queue `default` is always there: if it was not written,
 * it is one more, with what the others leave guaranteed and no maximum. */
struct capacity_queues {
    uint32_t count, written, fallback; /* fallback: the index of `default` */
    struct capacity_queue at[CAPACITY_QUEUES_MAX + 1];
};

/* Reads "prod:60:90,dev:40:100", the name, guaranteed and maximum per cent of each, into *member,
 * a struct capacity_queues. -1 with *err, and *member as before, for anything else: also for a
 * queue twice, nothing guaranteed, a maximum below that, more than 100 % guaranteed in all. */
int capacity_queues_take(void *member, const char *text, struct err *err);

/* Appends text that capacity_queues_take reads as the same. */
void capacity_queues_show(const void *member, struct str *out);

/* The index of the queue whose name has this hash: that of `default` for all that are not there. */
uint32_t capacity_queues_find(const struct capacity_queues *queues, uint32_t hash);

/* How much of what it is guaranteed the queue holds: the share that it has of the resource that it
 * has most of, over the guaranteed one. Infinite where nothing is guaranteed. */
double capacity_queues_fill(const struct capacity_queue *q, const struct res_sum *held,
                            const struct res_sum *all);

/* How much more the queue may hold: its maximum of each resource, less what it has. If it holds
 * nothing there is no limit: a queue whose maximum is below one task runs its tasks one at a time,
 * instead of none for ever. */
struct res capacity_queues_room(const struct capacity_queue *q, const struct res_sum *held,
                                const struct res_sum *all);

#endif
