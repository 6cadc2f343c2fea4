/* cluster_keys.c - the keys of the cluster format, as docs/CLUSTER.md lists them. */
#include "cluster/cluster_keys.h"

#include <stddef.h>

#define DAY_US 86400e6

#define NODE_ROW(name, type, field, min, max)                                                      \
    KEY_ROW(name, type, struct node_fields, field, min, max)
#define CPU_ROW                                                                                    \
    NODE_ROW("cpu", KEY_MILLI, node.capacity.v[RES_CPU], 0.001, KEY_CPU_MAX), .zero = true
#define MEM_ROW NODE_ROW("mem", KEY_MIB_DOWN, node.capacity.v[RES_MEM], 0, 1 << 30)
#define X_ROW NODE_ROW("x", KEY_COUNT, node.capacity.v[RES_X], 0, KEY_UNITS_MAX)
#define Y_ROW NODE_ROW("y", KEY_COUNT, node.capacity.v[RES_Y], 0, KEY_UNITS_MAX)
#define RACK_ROW NODE_ROW("rack", KEY_NAME, rack, 0, 0)
#define SPEED_ROW NODE_ROW("speed", KEY_REAL, node.speed, 0.001, 1000)
#define LINKS_ROW NODE_ROW("links", KEY_REAL, node.links, 0.001, 1000)
#define LOSE_ROW NODE_ROW("lose", KEY_REAL, node.lose, 0, 1)

static const struct key node_keys[] = {
    {CPU_ROW}, {MEM_ROW}, {X_ROW}, {Y_ROW}, {RACK_ROW}, {SPEED_ROW}, {LINKS_ROW}, {LOSE_ROW},
};
static const struct key nodes_keys[] = {
    {CPU_ROW},   {MEM_ROW},  {X_ROW},
    {Y_ROW},     {RACK_ROW}, {SPEED_ROW},
    {LINKS_ROW}, {LOSE_ROW}, {NODE_ROW("racks", KEY_COUNT, racks, 1, CLUSTER_NODES_MAX)},
};

/* A time's field has the name of its key and the unit behind it. */
#define LUCK_TIME(key, min, max) KEY_ROW(#key, KEY_TIME, struct luck, key##_us, min, max)
#define LUCK_REAL(key, min, max) KEY_ROW(#key, KEY_REAL, struct luck, key, min, max)

static const struct key luck_keys[] = {
    {LUCK_TIME(startup, 0, KEY_TIME_MAX)},
    {LUCK_REAL(noise, 0, 2)},
    {LUCK_REAL(slow_p, 0, 1), .needs = "slow_factor"},
    {LUCK_REAL(slow_factor, 1, 1000), .needs = "slow_p"},
    {LUCK_REAL(slow_max, 1, 1000), .needs = "slow_p"},
    {LUCK_REAL(slow_tail, 0, 1), .needs = "slow_tail_max"},
    {LUCK_REAL(slow_tail_max, 1, 1000), .needs = "slow_max"},
    {LUCK_TIME(slow_for, 0, KEY_TIME_MAX), .needs = "slow_p"},
    {LUCK_REAL(pareto, 0.5, 100), .zero = true},
    {LUCK_REAL(stall_p, 0, 1), .needs = "stall"},
    {LUCK_TIME(stall, 0, KEY_TIME_MAX), .needs = "stall_p"},
    {LUCK_REAL(stall_noise, 0, 2), .needs = "stall_p"},
    {LUCK_REAL(stall_at, 0, 100), .needs = "stall_p"},
    {LUCK_REAL(bad_share, 0, 1), .needs = "bad_factor"},
    {LUCK_REAL(bad_factor, 0, 1000), .needs = "bad_share"},
    {LUCK_REAL(good_factor, 0, 1000), .needs = "bad_share"},
    {LUCK_TIME(window, 1e6, KEY_TIME_MAX), .needs = "bad_share"},
    {LUCK_REAL(busy_share, 0, 0.99), .needs = "busy_factor"},
    {LUCK_REAL(busy_factor, 0, 1000), .needs = "busy_share"},
    {LUCK_TIME(busy_window, 1e6, KEY_TIME_MAX), .needs = "busy_share"},
};

#define FAULTS_TIME(key, min, max) KEY_ROW(#key, KEY_TIME, struct faults, key##_us, min, max)
#define FAULTS_P(key) KEY_ROW(#key, KEY_REAL, struct faults, key, 0, 1)

static const struct key faults_keys[] = {
    {FAULTS_TIME(node_mtbf, 1e6, KEY_TIME_MAX), .zero = true},
    {FAULTS_TIME(node_repair, 1e3, KEY_TIME_MAX), .needs = "node_mtbf"},
    {FAULTS_P(attempt_fail_p)},
    {FAULTS_P(launch_fail_p)},
    {FAULTS_P(commit_fail_p)},
    {FAULTS_P(nondeterministic_p)},
    {FAULTS_TIME(kill_lag, 0, DAY_US)},
    {FAULTS_TIME(launch_lag, 0, DAY_US)},
    {FAULTS_TIME(commit_lag, 0, DAY_US)},
    {FAULTS_TIME(report_lag, 0, DAY_US)},
    {FAULTS_TIME(report_every, 1e3, KEY_TIME_MAX)},
    {FAULTS_P(report_loss_p)},
    {KEY_ROW("report_skew", KEY_REAL, struct faults, report_skew, 0, 2)},
    {FAULTS_TIME(lose_window, 1e6, KEY_TIME_MAX)},
    {FAULTS_P(lose_share)},
};

#define SPEED_MAX (1ll << 50) /* bytes per second */
#define WIRES_ROW(key, how, min, max) KEY_ROW(#key, how, struct wires, key, min, max)

static const struct key network_keys[] = {
    {WIRES_ROW(up, KEY_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(down, KEY_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(disk, KEY_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(oversubscription, KEY_REAL, 1, 1000)},
    {WIRES_ROW(background, KEY_REAL, 0, 0.99)},
    {WIRES_ROW(streams, KEY_COUNT, 0, 1000000)},
    {WIRES_ROW(input, KEY_COUNT, 0, 64)},
    {WIRES_ROW(read_score, KEY_REAL, 0, 1)},
    {WIRES_ROW(stream, KEY_BYTES, 1000, SPEED_MAX), .zero = true},
};

const struct key_kind cluster_kinds[CLUSTER_KINDS] = {
    [CLUSTER_RACK] = {"rack", "NAME", NULL, 0},
    [CLUSTER_NODE] = {"node", "NAME", KEY_TABLE(node_keys)},
    [CLUSTER_NODES] = {"nodes", "NAME[FIRST-LAST]", KEY_TABLE(nodes_keys)},
    [CLUSTER_LUCK] = {"luck", NULL, KEY_TABLE(luck_keys)},
    [CLUSTER_FAULTS] = {"faults", NULL, KEY_TABLE(faults_keys)},
    [CLUSTER_NETWORK] = {"network", NULL, KEY_TABLE(network_keys)},
};
