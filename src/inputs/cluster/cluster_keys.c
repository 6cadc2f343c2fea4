/* cluster_keys.c - the keys of the cluster format, as docs/reference/cluster-file.md lists them. */
#include "inputs/cluster/cluster_keys.h"

#include <stddef.h>

#define DAY_S 86400

#define NODE_ROW(name, type, field, min, max)                                                      \
    FIELD_ROW(name, type, struct node_fields, field, min, max)
/* A line of one node and a line of many have these in common. */
#define NODE_ROWS                                                                                  \
    {NODE_ROW("cpu", FIELD_MILLI, node.capacity.v[RES_CPU], 0.001, KEY_CPU_MAX), .zero = true},    \
    {NODE_ROW("mem", FIELD_MIB_DOWN, node.capacity.v[RES_MEM], 0, 1 << 30)},                       \
    {NODE_ROW("x", FIELD_COUNT, node.capacity.v[RES_X], 0, KEY_UNITS_MAX)},                        \
    {NODE_ROW("y", FIELD_COUNT, node.capacity.v[RES_Y], 0, KEY_UNITS_MAX)},                        \
    {NODE_ROW("rack", FIELD_NAME, rack, 0, 0)},                                                    \
    {NODE_ROW("speed", FIELD_REAL, node.speed, 0.001, 1000)},                                      \
    {NODE_ROW("links", FIELD_REAL, node.links, 0.001, 1000)},                                      \
    {NODE_ROW("lose", FIELD_REAL, node.lose, 0, 1)}

static const struct field node_keys[] = {NODE_ROWS, {0}};
static const struct field nodes_keys[] = {
    NODE_ROWS,
    {NODE_ROW("racks", FIELD_COUNT, racks, 1, CLUSTER_NODES_MAX)},
    {0},
};

static const struct field resource_keys[] = {
    {FIELD_ROW("name", FIELD_NAME, struct cluster_resource, name, 0, 0)},
    {FIELD_ROW("kind", FIELD_CHOICE, struct cluster_resource, kind, 0, 0),
     .choices = "amount|slots"},
    {0},
};

/* A time's field has the name of its key and the unit behind it. */
#define LUCK_TIME(key, min, max) FIELD_ROW(#key, FIELD_TIME, struct luck, key##_us, min, max)
#define LUCK_REAL(key, min, max) FIELD_ROW(#key, FIELD_REAL, struct luck, key, min, max)

static const struct field luck_keys[] = {
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
    {LUCK_TIME(window, 1, KEY_TIME_MAX), .needs = "bad_share"},
    {LUCK_REAL(busy_share, 0, 0.99), .needs = "busy_factor"},
    {LUCK_REAL(busy_factor, 0, 1000), .needs = "busy_share"},
    {LUCK_TIME(busy_window, 1, KEY_TIME_MAX), .needs = "busy_share"},
    {FIELD_ROW("further", FIELD_CHOICE, struct luck, further, 0, 0), .choices = "size|task"},
    {0},
};

#define FAULTS_TIME(key, min, max) FIELD_ROW(#key, FIELD_TIME, struct faults, key##_us, min, max)
#define FAULTS_P(key) FIELD_ROW(#key, FIELD_REAL, struct faults, key, 0, 1)

static const struct field faults_keys[] = {
    {FAULTS_TIME(node_mtbf, 1, KEY_TIME_MAX), .zero = true},
    {FAULTS_TIME(node_repair, 0.001, KEY_TIME_MAX), .needs = "node_mtbf"},
    {FAULTS_P(node_keep_p)},
    {FAULTS_TIME(doubt, 0, DAY_S)},
    {FAULTS_P(attempt_fail_p)},
    {FAULTS_P(launch_fail_p)},
    {FAULTS_P(commit_fail_p)},
    {FAULTS_P(nondeterministic_p)},
    {FAULTS_TIME(kill_lag, 0, DAY_S)},
    {FAULTS_TIME(launch_lag, 0, DAY_S)},
    {FAULTS_TIME(commit_lag, 0, DAY_S)},
    {FAULTS_TIME(report_lag, 0, DAY_S)},
    {FAULTS_TIME(report_every, 0.001, KEY_TIME_MAX)},
    {FIELD_ROW("report_by", FIELD_CHOICE, struct faults, report_by, 0, 0), .choices = "phase|life"},
    {FAULTS_P(report_loss_p)},
    {FIELD_ROW("report_skew", FIELD_REAL, struct faults, report_skew, 0, 2)},
    {FAULTS_TIME(lose_window, 1, KEY_TIME_MAX)},
    {FAULTS_P(lose_share)},
    {FAULTS_P(lose_parts)},
    {0},
};

#define SPEED_MAX (1ll << 50) /* bytes per second */
#define WIRES_ROW(key, how, min, max) FIELD_ROW(#key, how, struct wires, key, min, max)

static const struct field network_keys[] = {
    {WIRES_ROW(up, FIELD_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(down, FIELD_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(disk, FIELD_BYTES, 1000, SPEED_MAX)},
    {WIRES_ROW(oversubscription, FIELD_REAL, 1, 1000)},
    {WIRES_ROW(background, FIELD_REAL, 0, 0.99)},
    {WIRES_ROW(streams, FIELD_COUNT, 0, 1000000)},
    {WIRES_ROW(input, FIELD_COUNT, 0, 64)},
    {WIRES_ROW(read_score, FIELD_REAL, 0, 1)},
    {WIRES_ROW(stream, FIELD_BYTES, 1000, SPEED_MAX), .zero = true},
    {0},
};

static const struct field down_keys[] = {
    {FIELD_ROW("at", FIELD_TIME, struct cluster_outage, at_us, 0.000001, KEY_TIME_MAX)},
    {FIELD_ROW("for", FIELD_TIME, struct cluster_outage, for_us, 0.000001, KEY_TIME_MAX)},
    {0},
};

static const struct field pressure_keys[] = {
    {FIELD_ROW("at", FIELD_TIME, struct cluster_pressure, at_us, 0.000001, KEY_TIME_MAX)},
    {FIELD_ROW("for", FIELD_TIME, struct cluster_pressure, for_us, 0.000001, KEY_TIME_MAX)},
    {FIELD_ROW("disk", FIELD_REAL, struct cluster_pressure, disk, 0, 1)},
    {FIELD_ROW("memory", FIELD_REAL, struct cluster_pressure, memory, 0, 1)},
    {0},
};

const struct key_kind cluster_keys[CLUSTER_KINDS] = {
    [CLUSTER_RESOURCE] = {"resource", "cpu|mem|x|y", resource_keys},
    [CLUSTER_RACK] = {"rack", "NAME", NULL},
    [CLUSTER_NODE] = {"node", "NAME", node_keys},
    [CLUSTER_NODES] = {"nodes", "NAME[FIRST-LAST]", nodes_keys},
    [CLUSTER_LUCK] = {"luck", NULL, luck_keys},
    [CLUSTER_FAULTS] = {"faults", NULL, faults_keys},
    [CLUSTER_NETWORK] = {"network", NULL, network_keys},
    [CLUSTER_DOWN] = {"down", "NODE", down_keys},
    [CLUSTER_PRESSURE] = {"pressure", "NODE", pressure_keys},
};
