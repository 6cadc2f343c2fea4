/* cluster.h - the machines of a run and how lucky they are; read from a small text file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "core/model/res.h"
#include "inputs/config/names.h"

struct cluster_node {
    char *name;
    struct res capacity;
    uint32_t rack; /* index into racks */
    double speed;  /* 1 = nominal, > 0 */
    double links;  /* its up, down and disk over those of struct wires, > 0 */
    double lose;   /* probability that it loses outputs in a window, see struct faults */
};

/* The name and the kind of a resource, if the file gives them. */
struct cluster_resource {
    char *name; /* NULL: not given; owned */
    int kind;   /* enum res_kind */
};

/* The time of a further attempt of a task: from the size of its task, with luck of its own; or that
 * of some task of the phase, which is drawn for it. */
enum luck_further { FURTHER_SIZE, FURTHER_TASK };

/* How attempts fare (docs/reference/cluster-file.md). An attempt takes
 *     startup + size / speed x exp(noise x N) x slow + stall
 * where the size belongs to the task and all else to the attempt. */
struct luck {
    int64_t startup_us;
    double noise;  /* sigma of the log-normal factor */
    double slow_p; /* probability that an attempt runs `slow_factor` times slower throughout */
    double slow_factor;
    /* Not all alike: uniform from slow_factor to slow_max, or with probability slow_tail uniform in
     * logarithms from slow_max to slow_tail_max. slow_max 0: all alike. */
    double slow_max, slow_tail, slow_tail_max;
    int64_t slow_for_us; /* how long an attempt is slow; 0: to its end */
    double pareto;       /* > 0: multiply by a Pareto(shape) factor instead of slow_p; 0: off */
    double stall_p;      /* probability of one stall ... */
    int64_t stall_us;    /* ... of stall_us x exp(stall_noise x N) ... */
    double stall_noise;
    double stall_at;    /* ... at progress U^stall_at */
    double bad_share;   /* share of (node, window) pairs in a bad mood ... */
    double bad_factor;  /* ... that multiplies stall_p and slow_p there ... */
    double good_factor; /* ... and this one everywhere else */
    int64_t window_us;
    /* Share of the time in which the whole cluster is busy, and the factor on stall_p and slow_p
     * then; at other times the factor keeps the mean. 0: never. */
    double busy_share, busy_factor;
    int64_t busy_window_us;
    int further; /* enum luck_further */
};

/* The factor on stall_p and slow_p while the cluster is not busy, which keeps their mean. */
static inline double luck_calm_factor(const struct luck *l)
{
    return (1 - l->busy_share * l->busy_factor) / (1 - l->busy_share);
}

/* The life whose tenth is the time between two progress reports of an attempt: that of a healthy
 * attempt of its phase; or the attempt's own, stall included, which gives away how it will fare. */
enum report_by { REPORT_BY_PHASE, REPORT_BY_LIFE };

/* The faults, and how late answers are. Every lag is drawn uniformly from 0..max. */
struct faults {
    int64_t node_mtbf_us;   /* mean time between failures of a node; 0: never */
    int64_t node_repair_us; /* mean time until it returns */
    double node_keep_p;     /* probability that it loses its attempts, but keeps its outputs */
    /* > 0: an end counts when its node has been up for this long after it, and a node that fails
     * has ended its attempts within this time before */
    int64_t doubt_us;
    double attempt_fail_p; /* an attempt fails by itself at a random point */
    double launch_fail_p;
    double commit_fail_p;
    double nondeterministic_p; /* a task's attempts disagree about its output */
    int64_t kill_lag_us, launch_lag_us, commit_lag_us, report_lag_us;
    /* Progress reports are sent this often, or ten per life if that is more often. */
    int64_t report_every_us;
    int report_by; /* enum report_by: whose life */
    double report_loss_p;
    double report_skew; /* sigma: a task reports (share done) ^ exp(sigma x N) */
    /* Outputs that are lost without an event, on nodes with `lose`: the length of windows, and the
     * share that is lost in a bad one, from a random moment on. */
    int64_t lose_window_us;
    double lose_share;
    double lose_parts; /* of such an output, the share of readers whose part is damaged */
};

/* How data moves (docs/inside/network-model.md), in bytes per second. */
struct wires {
    bool is_simulated;       /* false: reading takes no time */
    int64_t up, down;        /* of each node, times its `links` */
    int64_t disk;            /* reads of a node from itself */
    double oversubscription; /* a rack's links are the sum of its nodes' divided by this */
    double background;       /* share of every link, but no disk, that other traffic uses */
    uint32_t streams;        /* outputs that a reader reads at a time; 0: all of them */
    int64_t stream;          /* maximum rate of one read on idle links; 0: no limit */
    /* jobs' input is read too; if its nodes are unknown, from one of this number of nodes; 0: input
     * takes no time */
    uint32_t input;
    double read_score; /* share of reading in a reader's score */
};

/* A node is down from at_us on, for for_us; CLUSTER_FOR_GOOD: it does not return. */
struct cluster_outage {
    uint32_t node;
    int64_t at_us, for_us;
    bool restart; /* of the coordinator: outputs stay, and attempts that end at that moment have
                   * ended. Only recorded runs have such outages */
};
#define CLUSTER_FOR_GOOD INT64_MAX

/* From at_us on, for for_us, processes on the node are stalled by its disk or by memory, in these
 * shares of the time: this is reported, and changes nothing else. */
struct cluster_pressure {
    uint32_t node;
    int64_t at_us, for_us;
    double disk, memory;
};

struct cluster {
    struct cluster_node *nodes;
    uint32_t node_count;
    char **racks;
    uint32_t rack_count;
    struct cluster_resource resources[RES_COUNT];
    struct luck luck;
    struct faults faults;
    struct wires wires;
    VEC(struct cluster_outage) outages;     /* of one node: in order, and with time between them */
    VEC(struct cluster_pressure) pressures; /* the same */
    struct names by_name, by_rack;          /* for cluster_find and cluster_find_rack */
};

enum { CLUSTER_NODES_MAX = NODES_MAX, CLUSTER_SLOTS_MAX = 1000 * 1000 /* of one node */ };

/* Creates a plain cluster of nodes `n0`..: count x slots, speed 1, one rack `r0`, no bad luck. Both
 * numbers are 1 to their maximum. Destroy with cluster_destroy. */
struct cluster *cluster_plain(uint32_t nodes, uint32_t slots);

/* Divides the memory of this machine equally among the nodes. */
void cluster_share_memory(struct cluster *c);

/* Creates a plain cluster from "150x12" (nodes x slots) or "150" (of one slot each). Returns NULL
 * with *err. */
struct cluster *cluster_parse_shape(const char *text, struct err *err);

/* Returns a plain cluster if the name has the form of one, else that of the
 * file. Returns NULL with *err. */
struct cluster *cluster_file_open(const char *name, struct err *err);

/* Reads the format of docs/reference/cluster-file.md. Returns NULL with *err as "file:line: error,
 * and the expected value". */
struct cluster *cluster_file_read(const char *path, struct err *err);

/* Reads the same format from memory; messages call it `shown`. */
struct cluster *cluster_file_read_text(const char *text, const char *shown, struct err *err);

/* Appends lines from which cluster_file_read makes the same cluster, with the same indices. */
void cluster_write(const struct cluster *c, struct str *to);

void cluster_destroy(struct cluster *c); /* NULL is fine */

/* Creates a cluster without nodes, for readers of files; every field of luck, faults and wires has
 * its default. */
struct cluster *cluster_create(void);

/* Adds a node, for readers of files. Copies the name. Returns its index, or UINT32_MAX if the name
 * is taken. At most CLUSTER_NODES_MAX nodes. */
uint32_t cluster_add_node(struct cluster *c, const char *name, const struct cluster_node *node);
/* Adds a rack in the same way. */
uint32_t cluster_add_rack(struct cluster *c, const char *name);

/* The index of the node with this name, or UINT32_MAX. */
uint32_t cluster_find(const struct cluster *c, const char *name);
/* The index of the rack with this name, or UINT32_MAX. */
uint32_t cluster_find_rack(const struct cluster *c, const char *name);

/* The sum of all capacities. */
struct res_sum cluster_capacity(const struct cluster *c);

/* The kind of each resource. */
struct res_kinds cluster_kinds(const struct cluster *c);
