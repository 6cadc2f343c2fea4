#include "inputs/cluster/cluster.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static struct cluster *read_text(const char *text)
{
    struct scratch s = scratch_write(text, strlen(text));
    struct err err;
    struct cluster *c = cluster_file_read(s.path, &err);
    scratch_remove(&s);
    return c;
}

static bool is_same_text(const char *a, const char *b)
{
    return a ? b && strcmp(a, b) == 0 : !b;
}

static bool is_same(const struct cluster *a, const struct cluster *b)
{
    bool same = a->node_count == b->node_count && a->rack_count == b->rack_count &&
                memcmp(&a->luck, &b->luck, sizeof a->luck) == 0 &&
                memcmp(&a->faults, &b->faults, sizeof a->faults) == 0 &&
                memcmp(&a->wires, &b->wires, sizeof a->wires) == 0 &&
                a->outages.count == b->outages.count;
    for (int i = 0; i < RES_COUNT; i++)
        same = same && a->resources[i].kind == b->resources[i].kind &&
               is_same_text(a->resources[i].name, b->resources[i].name);
    for (uint32_t i = 0; same && i < a->rack_count; i++)
        same = strcmp(a->racks[i], b->racks[i]) == 0;
    for (uint32_t i = 0; same && i < a->node_count; i++) {
        const struct cluster_node *x = &a->nodes[i], *y = &b->nodes[i];
        same = strcmp(x->name, y->name) == 0 && res_equal(&x->capacity, &y->capacity) &&
               x->rack == y->rack && x->speed == y->speed && x->links == y->links &&
               x->lose == y->lose;
    }
    for (uint32_t i = 0; same && i < a->outages.count; i++) {
        const struct cluster_outage *x = &a->outages.at[i], *y = &b->outages.at[i];
        same = x->node == y->node && x->at_us == y->at_us && x->for_us == y->for_us;
    }
    same = same && a->pressures.count == b->pressures.count;
    for (uint32_t i = 0; same && i < a->pressures.count; i++) {
        const struct cluster_pressure *x = &a->pressures.at[i], *y = &b->pressures.at[i];
        same = x->node == y->node && x->at_us == y->at_us && x->for_us == y->for_us &&
               x->disk == y->disk && x->memory == y->memory;
    }
    return same;
}

/* Reads the text, writes it, and reads that. */
static void expect_written(const char *text, const char *want)
{
    struct cluster *c = read_text(text), *again;
    struct str to = {0};

    expect(c != NULL);
    if (!c)
        return;
    cluster_write(c, &to);
    expect(strcmp(to.text, want) == 0);
    again = read_text(to.text);
    expect(again && is_same(c, again));
    cluster_destroy(c);
    cluster_destroy(again);
    str_free(&to);
}

TEST(cluster_write_gives_what_is_not_usual)
{
    expect_written("node a cpu=1 speed=1", "rack r0\nnode a\n");
    expect_written("luck noise=0.06\nnetwork\nnodes n[0-9] cpu=2.5 mem=24G",
                   "rack r0\nnodes n[0-9] cpu=2.5 mem=24576M\nluck noise=0.06\nnetwork\n");
    expect_written("resource x name=map kind=slots\nrack b\nnode a x=2 rack=b links=0.1\n"
                   "network stream=10M up=1000",
                   "resource x name=map kind=slots\nrack b\nnode a x=2 rack=b links=0.1\n"
                   "network up=1000 stream=10485760\n");
}

/* Usual, but the other one means nothing without it. */
TEST(cluster_write_gives_the_keys_that_others_need)
{
    expect_written("node a\nluck slow_p=0.5 slow_factor=1",
                   "rack r0\nnode a\nluck slow_p=0.5 slow_factor=1\n");
    expect_written("node a\nfaults node_mtbf=0 node_repair=1s",
                   "rack r0\nnode a\nfaults node_mtbf=0us node_repair=1000000us\n");
}

TEST(cluster_write_joins_nodes_that_are_alike)
{
    expect_written("nodes w[08-11] racks=3", "rack r0\nrack r1\nrack r2\nnodes w[08-11] racks=3\n");
    expect_written("nodes w[1-3]\nnodes w[4-5] cpu=2\nnode w6 cpu=2\nnode x7 cpu=2",
                   "rack r0\nnodes w[1-3]\nnodes w[4-6] cpu=2\nnode x7 cpu=2\n");
    /* The numbers do not go on, or are written otherwise. */
    expect_written("node w1\nnode w3\nnode w04\nnode w5",
                   "rack r0\nnode w1\nnode w3\nnode w04\nnode w5\n");
    expect_written("rack a\nrack b\nnode w1 rack=a\nnode w2 rack=b\nnode w3 rack=b\nnode 7 rack=a",
                   "rack a\nrack b\nnode w1 rack=a\nnodes w[2-3] rack=b\nnode 7 rack=a\n");
    expect_written("nodes w[1-4] racks=2\nnodes w[5-6] racks=2\nnode w7\nnode w8",
                   "rack r0\nrack r1\nnodes w[1-7] racks=2\nnode w8\n");
}

TEST(cluster_write_gives_outages)
{
    expect_written("nodes w[1-2]\ndown w2 at=1s for=2s\ndown w1 at=1h\ndown w2 at=1m",
                   "rack r0\nnodes w[1-2]\ndown w2 at=1000000us for=2000000us\n"
                   "down w1 at=3600000000us\ndown w2 at=60000000us\n");
}

TEST(cluster_write_gives_pressures)
{
    expect_written("nodes w[1-2]\npressure w2 at=1s for=2s disk=0.5\npressure w1 at=1h memory=1",
                   "rack r0\nnodes w[1-2]\npressure w2 at=1000000us for=2000000us disk=0.5\n"
                   "pressure w1 at=3600000000us memory=1\n");
}

/* Any cluster: what is written is read as the same, and is written again as it was. */
TEST(cluster_write_is_read_back)
{
    struct rng r = rng_stream(7, RNG_TEST, 1, 2, 3, 4);

    for (int round = 0; round < 300; round++) {
        struct cluster *c = cluster_create(), *again;
        struct str to = {0}, twice = {0};
        uint32_t racks = 1 + (uint32_t)rng_below(&r, 4), nodes = 1 + (uint32_t)rng_below(&r, 30);
        for (uint32_t i = 0; i < racks; i++) {
            char name[16];
            snprintf(name, sizeof name, "%c%u", "rs"[rng_below(&r, 8) == 0], i);
            cluster_add_rack(c, name);
        }
        uint64_t mood = rng_below(&r, 3), number = rng_below(&r, 12);
        for (uint32_t i = 0; i < nodes; i++) {
            char name[16];
            struct cluster_node n = {.speed = 1, .links = 1, .rack = (uint32_t)number % racks};
            n.capacity.v[RES_CPU] = rng_below(&r, 9) ? 2000 : 1 + (int32_t)rng_below(&r, 5000);
            if (mood == 0)
                n.speed = 0.1 + rng_unit(&r);
            if (mood == 1)
                n.rack = (uint32_t)rng_below(&r, racks);
            snprintf(name, sizeof name, rng_below(&r, 10) ? "n%llu" : "n%03llu",
                     (unsigned long long)number);
            number += rng_below(&r, 8) ? 1 : 2;
            cluster_add_node(c, name, &n);
        }
        c->luck.noise = 2 * rng_unit(&r);
        c->faults.commit_fail_p = rng_unit(&r);
        c->faults.node_keep_p = rng_unit(&r);
        c->faults.doubt_us = (int64_t)rng_below(&r, 1000000);
        cluster_write(c, &to);
        again = read_text(to.text);
        expect(again && is_same(c, again));
        if (again)
            cluster_write(again, &twice);
        expect(twice.text && strcmp(to.text, twice.text) == 0);
        cluster_destroy(c);
        cluster_destroy(again);
        str_free(&to);
        str_free(&twice);
    }
}
