#include "inputs/cluster/cluster.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(cluster_plain_has_slots_and_no_bad_luck)
{
    struct cluster *c = cluster_plain(3, 12);
    expect(c->node_count == 3 && c->rack_count == 1 && !strcmp(c->racks[0], "r0"));
    for (uint32_t i = 0; i < 3; i++) {
        expect(c->nodes[i].capacity.v[RES_CPU] == 12 * RES_SLOT);
        expect(c->nodes[i].capacity.v[RES_MEM] == 0);
        expect(c->nodes[i].rack == 0 && c->nodes[i].speed == 1);
    }
    expect(!strcmp(c->nodes[2].name, "n2"));
    expect(cluster_find(c, "n0") == 0 && cluster_find(c, "n2") == 2);
    expect(cluster_find(c, "n3") == UINT32_MAX && cluster_find_rack(c, "r1") == UINT32_MAX);
    expect(cluster_capacity(c).v[RES_CPU] == 36 * RES_SLOT);
    expect(c->luck.startup_us == 0 && c->luck.stall_p == 0 && c->luck.slow_p == 0);
    expect(c->luck.slow_factor == 1 && c->luck.bad_factor == 1 && c->luck.good_factor == 1);
    expect(c->faults.node_mtbf_us == 0 && c->faults.report_every_us == 10 * 1000000);
    expect(c->faults.report_by == REPORT_BY_PHASE);
    cluster_destroy(c);
    cluster_destroy(NULL);
}

TEST(cluster_shape_is_nodes_by_slots)
{
    static const struct {
        const char *text;
        uint32_t nodes, slots;
    } good[] = {{"150x12", 150, 12}, {"150", 150, 1}, {"1x1", 1, 1}, {"1x1000000", 1, 1000000}};
    static const char *const bad[] = {
        "",    "x",     "5x",        "x5", "0",     "0x1",  "1x0",
        "-1",  "2x-2",  "1000001x1", "5y", "5x5x5", "5 x5", "99999999999999999999x1",
        "1.5", "1x1e3", "1x1000001",
    };
    struct err err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct cluster *c = cluster_parse_shape(good[i].text, &err);
        expect(c && c->node_count == good[i].nodes);
        expect(c && c->nodes[0].capacity.v[RES_CPU] == (int32_t)good[i].slots * RES_SLOT);
        cluster_destroy(c);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.text[0] = 0;
        expect(cluster_parse_shape(bad[i], &err) == NULL);
        expect(strstr(err.text, "expected NODESxSLOTS such as 150x12") != NULL);
    }
}

TEST(cluster_names_are_taken_once)
{
    struct cluster *c = cluster_plain(5, 1);
    struct cluster_node node = {.speed = 2};
    expect(cluster_add_node(c, "n4", &node) == UINT32_MAX && c->node_count == 5);
    expect(cluster_add_node(c, "other", &node) == 5 && cluster_find(c, "other") == 5);
    expect(cluster_add_rack(c, "r0") == UINT32_MAX && cluster_add_rack(c, "r1") == 1);
    cluster_destroy(c);
}
