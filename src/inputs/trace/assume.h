/* assume.h - named assumptions for data that a trace lacks, with counts of the affected items, for
 * reports. */
#pragma once

#include <stdint.h>

#include "base/field.h"

enum assume_key {
    ASSUME_BLOCK,
    ASSUME_SHUFFLE_BLOCK,
    ASSUME_RATE,
    ASSUME_BASE,
    ASSUME_SPAN,
    ASSUME_CPU,
    ASSUME_MACHINE_CPU,
    ASSUME_MACHINE_MEM,
    ASSUME_FAILED,
    ASSUME_TAIL,
    ASSUME_TAIL_MAX,
    ASSUME_LOAD,
    ASSUME_NODE_CPU,
    ASSUME_STRAGGLERS,
    ASSUME_SINGLE,
    ASSUME_REPLICAS,
    ASSUME_HOSTS,
    ASSUME_GANG,
    ASSUME_KEYS,
};

enum assume_failed { ASSUME_FAILED_DROP, ASSUME_FAILED_CENSORED, ASSUME_FAILED_TIME };
enum assume_stragglers { ASSUME_STRAGGLERS_FACEBOOK, ASSUME_STRAGGLERS_NONE };
enum assume_single { ASSUME_SINGLE_SAME, ASSUME_SINGLE_TRACE };
enum assume_hosts { ASSUME_HOSTS_HASH, ASSUME_HOSTS_DRAWN };
enum assume_gang { ASSUME_GANG_TASKS, ASSUME_GANG_WHOLE };
enum { ASSUME_REPLICAS_MAX = 16 };

struct assume {
    int64_t block, shuffle_block, rate, base_us, machine_mem;
    double span, cpu, machine_cpu, tail, tail_max, load, node_cpu;
    int failed, stragglers, single, hosts, gang;
    uint32_t replicas;
    uint64_t touched[ASSUME_KEYS];
};

/* The default assumptions. */
struct assume assume_defaults(void);

/* Sets one assumption from "key=value". Returns -1 with *err, which suggests the nearest key for an
 * unknown one. */
int assume_set(struct assume *a, const char *text, struct err *err);

/* The name and the meaning of each key; ends with name NULL. */
extern const struct field assume_table[ASSUME_KEYS + 1];
/* The noun of what a key affects, for this number of them: "phase", "phases". */
const char *assume_noun(enum assume_key key, uint64_t count);
/* Appends the value of a key in the form that assume_set reads. */
void assume_value(const struct assume *a, enum assume_key key, struct str *out);
