/* cluster.c - makes, searches, sums up and frees a cluster in memory.
 *
 * A cluster is plain data that both bodies read. It grows only while a reader builds it; names are
 * owned one by one, and an index by name makes looking up the replicas of a large workload cheap.
 */
#include "inputs/cluster/cluster.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"

struct cluster *cluster_create(void)
{
    struct cluster *c = mem_zalloc(1, sizeof *c);
    for (int i = 0; i < RES_COUNT; i++)
        c->resources[i].kind = RES_KINDS_PLAIN.v[i];
    c->luck = (struct luck){
        .slow_factor = 1,
        .stall_at = 1,
        .bad_factor = 1,
        .good_factor = 1,
        .window_us = 3600 * 1000000ll,
        .busy_factor = 1,
        .busy_window_us = 600 * 1000000ll,
    };
    c->faults = (struct faults){
        .node_repair_us = 300 * 1000000ll,
        .report_every_us = 10 * 1000000ll,
        .lose_window_us = 600 * 1000000ll,
        .lose_share = 0.8,
        .lose_parts = 1,
    };
    /* Off; and 1 Gbit/s and a plain disk when a file switches it on. */
    c->wires = (struct wires){
        .up = 125 * 1000 * 1000,
        .down = 125 * 1000 * 1000,
        .disk = 100 * 1000 * 1000,
        .oversubscription = 1,
        .read_score = 0.5,
    };
    return c;
}

/* Arrays grow when their count is 0 or a power of two: the open struct keeps no capacities. */
static bool is_full(uint32_t count)
{
    return (count & (count - 1)) == 0;
}

uint32_t cluster_add_node(struct cluster *c, const char *name, const struct cluster_node *node)
{
    check(c->node_count < CLUSTER_NODES_MAX);
    check(node->rack < c->rack_count);
    if (cluster_find(c, name) != UINT32_MAX)
        return UINT32_MAX;
    uint32_t i = c->node_count;
    if (is_full(i))
        c->nodes = mem_resize(c->nodes, i ? 2 * (size_t)i : 1, sizeof *c->nodes);
    c->nodes[i] = *node;
    c->nodes[i].name = mem_strdup(name);
    c->node_count++;
    names_add(&c->by_name, c->nodes[i].name, i);
    return i;
}

uint32_t cluster_add_rack(struct cluster *c, const char *name)
{
    if (names_find(&c->by_rack, name) != UINT32_MAX)
        return UINT32_MAX;
    uint32_t i = c->rack_count;
    if (is_full(i))
        c->racks = mem_resize(c->racks, i ? 2 * (size_t)i : 1, sizeof *c->racks);
    c->racks[i] = mem_strdup(name);
    c->rack_count++;
    names_add(&c->by_rack, c->racks[i], i);
    return i;
}

struct cluster *cluster_plain(uint32_t nodes, uint32_t slots)
{
    check(nodes >= 1 && nodes <= CLUSTER_NODES_MAX);
    check(slots >= 1 && slots <= CLUSTER_SLOTS_MAX);
    struct cluster *c = cluster_create();
    cluster_add_rack(c, "r0");
    struct cluster_node node = {.speed = 1, .links = 1};
    node.capacity.v[RES_CPU] = (int32_t)slots * RES_SLOT;
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        cluster_add_node(c, name, &node);
    }
    return c;
}

void cluster_share_memory(struct cluster *c)
{
    const int64_t mib_max = 1 << 30;
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t mib = pages > 0 && page > 0 ? pages / 1024 * page / 1024 / c->node_count : 0;
    for (uint32_t i = 0; i < c->node_count; i++)
        c->nodes[i].capacity.v[RES_MEM] = (int32_t)(mib < mib_max ? mib : mib_max);
}

struct cluster *cluster_parse_shape(const char *text, struct err *err)
{
    char head[16];
    const char *x = strchr(text, 'x');
    size_t length = x ? (size_t)(x - text) : strlen(text);
    int64_t nodes = 0, slots = 1;
    bool ok = length < sizeof head;
    if (ok) {
        memcpy(head, text, length);
        head[length] = 0;
        ok = text_int(head, &nodes) && (!x || text_int(x + 1, &slots));
    }
    if (!ok || nodes < 1 || nodes > CLUSTER_NODES_MAX || slots < 1 || slots > CLUSTER_SLOTS_MAX) {
        err_set(err,
                "'%.40s' is not a cluster; expected NODESxSLOTS such as 150x12, each 1 to 1000000",
                text);
        return NULL;
    }
    return cluster_plain((uint32_t)nodes, (uint32_t)slots);
}

void cluster_destroy(struct cluster *c)
{
    if (!c)
        return;
    names_fini(&c->by_name);
    names_fini(&c->by_rack);
    for (uint32_t i = 0; i < c->node_count; i++)
        mem_free(c->nodes[i].name);
    for (uint32_t i = 0; i < c->rack_count; i++)
        mem_free(c->racks[i]);
    for (int i = 0; i < RES_COUNT; i++)
        mem_free(c->resources[i].name);
    vec_free(&c->outages);
    vec_free(&c->pressures);
    mem_free(c->nodes);
    mem_free(c->racks);
    mem_free(c);
}

uint32_t cluster_find(const struct cluster *c, const char *name)
{
    return names_find(&c->by_name, name);
}

uint32_t cluster_find_rack(const struct cluster *c, const char *name)
{
    return names_find(&c->by_rack, name);
}

struct res_kinds cluster_kinds(const struct cluster *c)
{
    struct res_kinds kinds;
    for (int i = 0; i < RES_COUNT; i++)
        kinds.v[i] = (uint8_t)c->resources[i].kind;
    return kinds;
}

struct res_sum cluster_capacity(const struct cluster *c)
{
    struct res_sum sum = {{0}};
    for (uint32_t i = 0; i < c->node_count; i++)
        res_sum_add(&sum, &c->nodes[i].capacity, 1);
    return sum;
}
