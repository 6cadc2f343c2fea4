/* chaos.h - injects trouble, the same for the same seed.
 *
 * The trouble of an attempt depends on the seed and on its identity, never on the order of events,
 * so two policies meet the same trouble. Docs: docs/reference/chaos.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/id.h"

struct chaos {
    uint64_t seed;
    double slow_p, slow_factor; /* this share of attempts runs slower by this factor */
    int64_t slow_nodes;         /* this many nodes, the first ones, ... */
    double slow_nodes_factor;   /* ... are slower by this one */
    double kill_p;              /* this share is killed ... */
    int64_t kill_within_us;     /* ... at a time drawn evenly from 0 to here */
    int64_t node_mtbf_us;       /* mean time between failures of a node; 0: never */
    int64_t node_repair_us;     /* mean time until it returns */
    double lose_p;              /* this share of the outputs on it is lost with it */
    double fetch_p;             /* this share of fetches ... */
    int64_t fetch_us;           /* ... takes this much longer */
};

/* Parses `slow=0.2x8,slow_nodes=1x4,kill=0.05,node_mtbf=60s`. Returns 0, or -1 with *err. */
int chaos_parse(const char *text, uint64_t seed, struct chaos *c, struct err *err);

/* Returns how many times slower the attempt runs on the node, in thousandths; 1000: as usual. */
uint32_t chaos_slow_milli(const struct chaos *c, struct attempt_ref at, struct node_id node);

/* Returns how long after its start it is killed; -1: it is not. */
int64_t chaos_kill_us(const struct chaos *c, struct attempt_ref at);

/* Returns how much longer than usual the reader takes to get the output of the source. */
int64_t chaos_fetch_us(const struct chaos *c, struct attempt_ref reader, struct attempt_ref source);

/* Returns true if the attempt's output is lost with its node when that fails. */
bool chaos_loses(const struct chaos *c, struct attempt_ref at);
/* Returns true if a copy of it on the node is lost when that fails. */
bool chaos_loses_copy(const struct chaos *c, struct attempt_ref at, struct node_id node);

/* Returns how long the node is up (k even) or down (k odd) the k-th time; INT64_MAX: for ever. */
int64_t chaos_node_us(const struct chaos *c, struct node_id node, uint32_t k);
