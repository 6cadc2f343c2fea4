#include <stdint.h>

#include "base/rng.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/scratch_test.h"
#include "tests/unit/test.h"

static struct cluster *read_text(const char *text, size_t length, struct err *err)
{
    struct scratch s = scratch_write(text, length);
    struct cluster *c = cluster_file_read(s.path, err);
    scratch_remove(&s);
    return c;
}

static const char whole[] =
    "rack left\n"
    "rack right\n"
    "node big cpu=12.5 mem=24G rack=right speed=0.5 links=0.25\r\n"
    "node tiny  # all defaults\n"
    "nodes w[08-11] cpu=2 mem=1536M racks=3\n"
    "nodes x[0-1]b cpu=0 x=2 y=3 rack=left\n"
    "luck startup=300ms noise=0.06 stall_p=0.2 stall=42s stall_noise=0.25 stall_at=0.5\n"
    "luck bad_share=0.06 bad_factor=3 good_factor=0.872 window=2h slow_p=.1 slow_factor=2.5\n"
    "faults node_mtbf=10h node_repair=4m attempt_fail_p=0.01 launch_fail_p=0.02\n"
    "faults commit_fail_p=0.001 nondeterministic_p=0.25 kill_lag=200ms launch_lag=100ms\n"
    "faults commit_lag=50ms report_lag=1s report_every=5s report_loss_p=0.125 report_skew=0.75\n"
    "faults report_by=life\n"
    "network up=10M down=20M\n"
    "network disk=30M oversubscription=2.5 background=0.25 streams=5 stream=3M input=2 "
    "read_score=0.3";

TEST(cluster_file_is_read_whole)
{
    struct err err;
    struct cluster *c = read_text(whole, sizeof whole - 1, &err);
    expect(c != NULL);
    if (!c)
        return;
    expect(c->node_count == 8 && c->rack_count == 5);
    const struct cluster_node *n = c->nodes;
    expect(!strcmp(n[0].name, "big") && n[0].capacity.v[RES_CPU] == 12500);
    expect(n[0].capacity.v[RES_MEM] == 24 * 1024 && n[0].speed == 0.5);
    expect(n[0].links == 0.25 && n[1].links == 1 && n[2].links == 1);
    expect(!strcmp(c->racks[n[0].rack], "right"));
    expect(!strcmp(n[1].name, "tiny") && n[1].capacity.v[RES_CPU] == 1000);
    expect(n[1].capacity.v[RES_MEM] == 0 && n[1].speed == 1 && !strcmp(c->racks[n[1].rack], "r0"));
    static const char *const names[] = {"w08", "w09", "w10", "w11"};
    static const char *const racks[] = {"r0", "r1", "r2", "r0"};
    for (int i = 0; i < 4; i++) {
        expect(!strcmp(n[2 + i].name, names[i]) && n[2 + i].capacity.v[RES_MEM] == 1536);
        expect(!strcmp(c->racks[n[2 + i].rack], racks[i]));
    }
    expect(!strcmp(n[7].name, "x1b") && !strcmp(c->racks[n[7].rack], "left"));
    expect(res_equal(&n[7].capacity, &(struct res){{0, 0, 2, 3}}));
    expect(n[5].capacity.v[RES_X] == 0 && n[5].capacity.v[RES_Y] == 0);
    expect(cluster_find(c, "w10") == 4);

    const struct luck *l = &c->luck;
    expect(l->startup_us == 300000 && l->noise == 0.06 && l->stall_p == 0.2);
    expect(l->stall_us == 42000000 && l->stall_noise == 0.25 && l->stall_at == 0.5);
    expect(l->bad_share == 0.06 && l->bad_factor == 3 && l->good_factor == 0.872);
    expect(l->window_us == 7200000000 && l->slow_p == 0.1 && l->slow_factor == 2.5);
    const struct faults *f = &c->faults;
    expect(f->node_mtbf_us == 36000000000 && f->node_repair_us == 240000000);
    expect(f->attempt_fail_p == 0.01 && f->launch_fail_p == 0.02 && f->commit_fail_p == 0.001);
    expect(f->nondeterministic_p == 0.25 && f->kill_lag_us == 200000);
    expect(f->launch_lag_us == 100000 && f->commit_lag_us == 50000 && f->report_lag_us == 1000000);
    expect(f->report_every_us == 5000000 && f->report_loss_p == 0.125 && f->report_skew == 0.75);
    expect(f->report_by == REPORT_BY_LIFE);
    const struct wires *w = &c->wires;
    expect(w->is_simulated && w->up == 10 << 20 && w->down == 20 << 20 && w->disk == 30 << 20);
    expect(w->oversubscription == 2.5 && w->background == 0.25);
    expect(w->streams == 5 && w->stream == 3 << 20 && w->input == 2 && w->read_score == 0.3);
    cluster_destroy(c);
}

TEST(cluster_file_names_resources)
{
    static const char text[] = "resource x name=map kind=slots\nresource y kind=slots\n"
                               "resource mem name=ram\nnode a cpu=0 x=2 y=1 mem=1G\n";
    struct err err;
    struct cluster *c = read_text(text, sizeof text - 1, &err);
    expect(c && !strcmp(c->resources[RES_X].name, "map"));
    expect(c && !strcmp(c->resources[RES_Y].name, "y") && !c->resources[RES_CPU].name);
    struct res_kinds kinds = cluster_kinds(c);
    struct res_sum all = cluster_capacity(c);
    expect(kinds.v[RES_CPU] == RES_SLOTS && kinds.v[RES_MEM] == RES_AMOUNT);
    expect(res_sum_slots(&kinds, &all) == 3);
    cluster_destroy(c);
}

TEST(cluster_file_network_has_defaults)
{
    struct err err;
    struct cluster *c = read_text("node a\nnetwork", 14, &err);
    expect(c && c->wires.is_simulated && c->wires.up == 125000000 && c->wires.down == 125000000);
    expect(c && c->wires.disk == 100000000 && c->wires.oversubscription == 1);
    expect(c && c->wires.background == 0 && c->wires.read_score == 0.5);
    cluster_destroy(c);
}

TEST(cluster_file_without_luck_is_plain)
{
    struct err err;
    struct cluster *c = read_text("nodes n[0-2] cpu=12", 19, &err), *plain = cluster_plain(3, 12);
    expect(c != NULL);
    if (c) {
        expect(!memcmp(&c->luck, &plain->luck, sizeof c->luck));
        expect(!memcmp(&c->faults, &plain->faults, sizeof c->faults));
        expect(!c->wires.is_simulated && !plain->wires.is_simulated);
        expect(c->node_count == 3 && !strcmp(c->nodes[2].name, plain->nodes[2].name));
        expect(res_equal(&c->nodes[2].capacity, &plain->nodes[2].capacity));
        expect(c->rack_count == 1 && !strcmp(c->racks[0], "r0"));
    }
    cluster_destroy(plain);
    cluster_destroy(c);
}

static const struct {
    const char *text;
    unsigned line;
    const char *what;
} refused[] = {
    {"", 1, "no nodes; expected at least one line: node NAME"},
    {"# only a comment\n\n", 2, "no nodes"},
    {"nod a\n", 1, "unknown word 'nod'; did you mean 'node'?"},
    {"zzzzzz a\n", 1,
     "unknown word 'zzzzzz'; expected one of resource, rack, node, nodes, luck, faults, network, "
     "down"},
    {"node a\ndown b at=1s\n", 2, "unknown node 'b'; expected one of a line above"},
    {"node a\ndown at=1s\n", 2, "down without NODE"},
    {"node a\ndown a for=1s\n", 2, "down without at=; expected when, such as at=1h"},
    {"node a\ndown a at=0\n", 2, "at=0 of down is wrong"},
    {"node a\ndown a at=1s for=0s\n", 2, "for=0s of down is wrong"},
    {"node a\ndown a at=1s for=1s\ndown a at=2s\n", 3, "node 'a' is still down then"},
    {"node a\npressure a at=1s for=1s disk=1\npressure a at=2s disk=1\n", 3,
     "node 'a' is still under pressure then"},
    {"node a\npressure a at=1s\n", 2, "pressure of nothing; expected disk= or memory="},
    {"node a\npressure a disk=0.5\n", 2, "pressure without at="},
    {"node a\npressure b at=1s disk=1\n", 2, "unknown node 'b'"},
    {"node a\ndown a at=9s\ndown a at=10s\n", 3, "node 'a' is still down then"},
    {"node\n", 1, "node without NAME; expected node NAME key=value ..."},
    {"node cpu=1\n", 1, "node without NAME"},
    {"nodes\n", 1, "nodes without NAME[FIRST-LAST]"},
    {"luck x noise=1\n", 1, "'x' has no value; expected luck key=value ..."},
    {"\nnode a cpus=1\n", 2, "unknown key 'cpus' of node; did you mean 'cpu'?"},
    {"node a colour=red\n", 1,
     "unknown key 'colour' of node; expected one of cpu, mem, x, y, rack, speed"},
    {"rack a cpu=1\n", 1, "unknown key 'cpu' of rack; it takes none"},
    {"node a cpu=1 cpu=2\n", 1, "key 'cpu' of node is given twice; expected it once"},
    {"node a cpu=\n", 1, "key 'cpu' of node has no value; expected cpu=..."},
    {"node a cpu=\"\"\n", 1, "key 'cpu' of node has no value"},
    {"node a cpu=0\n", 1, "node without any resource; expected one of cpu, mem, x, y above 0"},
    {"nodes w[1-2] cpu=0 x=0\n", 1, "nodes without any resource"},
    {"node a cpu=0.0009\n", 1,
     "cpu=0.0009 of node is wrong; expected 0 or a number from 0.001 to 1000000"},
    {"node a x=-1\n", 1, "x=-1 of node is wrong; expected a whole number from 0 to 1000000000"},
    {"resource z name=map\nnode a\n", 1, "no resource 'z'; expected one of cpu, mem, x, y"},
    {"resource x name=map\nresource x kind=slots\nnode a\n", 2,
     "resource 'x' is given twice; expected it once"},
    {"resource x name=map\nresource y name=map\nnode a\n", 2, "another resource is called 'map'"},
    {"resource x name=mem\nnode a\n", 1, "another resource is called 'mem'"},
    {"resource x kind=many\nnode a\n", 1,
     "kind=many of resource is wrong; expected amount or slots"},
    {"resource mem kind=slots\nnode a\n", 1, "mem cannot be slots; expected kind=amount"},
    {"node a\nresource x kind=slots\n", 2, "resource 'x' after a node"},
    {"node a\nluck further=any\n", 2, "further=any of luck is wrong; expected size or task"},
    {"node a y=1.5\n", 1, "y=1.5 of node is wrong; expected a whole number from 0 to 1000000000"},
    {"node a x=1000000001\n", 1, "expected a whole number from 0 to 1000000000"},
    {"node a\nnetwork x up=1M\n", 2, "'x' has no value; expected network key=value ..."},
    {"node a\nnetwork up=999\n", 2,
     "up=999 of network is wrong; expected a size from 1000 to 1024T"},
    {"node a\nnetwork up=1M\nnetwork up=2M\n", 3, "key 'up' of network is given twice"},
    {"node a\nnetwork oversubscription=0.9\n", 2, "expected a number from 1 to 1000"},
    {"node a\nnetwork background=1\n", 2, "expected a number from 0 to 0.99"},
    {"node a cpu=1000001\n", 1, "expected 0 or a number from 0.001 to 1000000"},
    {"node a cpu=-1\n", 1, "cpu=-1 of node is wrong"},
    {"node a cpu=1e999\n", 1, "cpu=1e999 of node is wrong"},
    {"node a mem=512\n", 1, "mem=512 of node is wrong; expected 0 or a size from 1M to 1024T"},
    {"node a mem=1025T\n", 1, "expected 0 or a size from 1M to 1024T"},
    {"node a speed=0\n", 1, "speed=0 of node is wrong; expected a number from 0.001 to 1000"},
    {"node a/b\n", 1, "'a/b' is not a valid name of a node; expected 1 to 128 letters"},
    {"node ..\n", 1, "'..' is not a valid name of a node"},
    {"rack -r\n", 1, "'-r' is not a valid name of a rack"},
    {"node a\nnode a\n", 2, "node 'a' exists already; expected another name"},
    {"node w2\nnodes w[1-3]\n", 2, "node 'w2' exists already"},
    {"rack a\nrack a\n", 2, "rack 'a' exists already; expected another name"},
    {"rack left\nnode a rack=lefd\n", 2, "unknown rack 'lefd'; did you mean 'left'?"},
    {"node a rack=r1\n", 1, "unknown rack 'r1'; expected one declared above by a line: rack NAME"},
    {"rack a\nnodes w[1-3] rack=a racks=2\n", 2, "both rack= and racks= of nodes; expected one"},
    {"nodes w[1-3] racks=4\n", 1, "racks=4 for 3 nodes; expected at most as many racks as nodes"},
    {"nodes w[1-3] racks=0\n", 1, "racks=0 of nodes is wrong; expected a whole number from 1 to"},
    {"nodes w\n", 1, "'w' is not a pattern of nodes; expected NAME[FIRST-LAST], such as w[1-150]"},
    {"nodes w[3-1]\n", 1, "'w[3-1]' is not a pattern of nodes"},
    {"nodes w[1-]\n", 1, "'w[1-]' is not a pattern of nodes"},
    {"nodes w[-1]\n", 1, "'w[-1]' is not a pattern of nodes"},
    {"nodes w[1-1000000000]\n", 1, "is not a pattern of nodes"},
    {"nodes w[a-b]\n", 1, "'w[a-b]' is not a pattern of nodes"},
    {"nodes .w[1-2]\n", 1, "'.w1' is not a valid name of a node;"},
    {"nodes w[1-1000001]\n", 1, "too many nodes; expected at most 1000000 in all"},
    {"node a\nnodes w[1-1000000]\n", 2, "too many nodes; expected at most 1000000 in all"},
    {"node a\nluck noise=-0.1\n", 2, "noise=-0.1 of luck is wrong; expected a number from 0 to 2"},
    {"node a\nluck noise=nan\n", 2, "noise=nan of luck is wrong"},
    {"node a\nluck stall_p=1.1 stall=1s\n", 2,
     "stall_p=1.1 of luck is wrong; expected a number from 0"},
    {"node a\nluck stall_p=0.1\n", 2,
     "key 'stall_p' of luck means nothing without stall=; expected both"},
    {"node a\nluck stall=1s\n", 2, "key 'stall' of luck means nothing without stall_p="},
    {"node a\nluck window=1h\n", 2, "key 'window' of luck means nothing without bad_share="},
    {"node a\nluck slow_p=0.1 slow_factor=0.5\n", 2, "slow_factor=0.5 of luck is wrong"},
    {"node a\nluck pareto=0.1\n", 2,
     "pareto=0.1 of luck is wrong; expected 0 or a number from 0.5 to"},
    {"node a\nluck slow_max=3\n", 2, "slow_p"},
    {"node a\nluck slow_p=0.1 slow_factor=3 slow_max=2\n", 2,
     "slow_max of luck is below slow_factor; expected at least 3"},
    {"node a\nluck slow_p=0.1 slow_factor=2 slow_max=3 slow_tail=0.1 slow_tail_max=2.5\n", 2,
     "slow_tail_max of luck is below slow_max; expected at least 3"},
    {"node a\nluck busy_share=0.5 busy_factor=2.5\n", 2,
     "busy_share x busy_factor of luck is 1.25; expected at most 1"},
    {"node a\nluck stall_p=0.3 stall=1s busy_share=0.2 busy_factor=4\n", 2,
     "busy_factor of luck is 1.2; expected a probability of at most 1"},
    {"node a\nluck pareto=1.5 slow_p=0.1 slow_factor=2\n", 2, "both pareto= and slow_p= of luck"},
    {"node a\nluck noise=0.1\nluck noise=0.2\n", 3, "key 'noise' of luck is given twice"},
    {"luck stall_p=0.5 stall=1s bad_share=0.1 bad_factor=3\nnode a\n", 1,
     "stall_p x bad_factor of luck is 1.5; expected a probability of at most 1"},
    {"luck slow_p=0.5 slow_factor=2 bad_share=0.1 bad_factor=1 good_factor=3\nnode a\n", 1,
     "slow_p x good_factor of luck is 1.5"},
    {"node a\nfaults node_mtbf=1ms\n", 2,
     "node_mtbf=1ms of faults is wrong; expected 0 or a time from 1s"},
    {"node a\nfaults node_repair=5m\n", 2, "means nothing without node_mtbf="},
    {"node a\nfaults kill_lag=2d\n", 2,
     "kill_lag=2d of faults is wrong; expected a time from 0s to 1d"},
    {"node a\nfaults kill_lags=2s\n", 2,
     "unknown key 'kill_lags' of faults; did you mean 'kill_lag'?"},
    {"node a\nfaults report_every=0\n", 2, "expected a time from 1ms to 36500d, such as 250ms"},
    {"node a\nluck startup=36501d\n", 2, "expected a time from 0s to 36500d"},
    {"node a\nluck startup=1e12\n", 2, "startup=1e12 of luck is wrong"},
};

TEST(cluster_file_errors_name_their_line)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err err = {.text = "none"};
        struct scratch s = scratch_write(refused[i].text, strlen(refused[i].text));
        struct cluster *c = cluster_file_read(s.path, &err);
        expect(c == NULL && err.kind == ERR_INPUT);
        expect(scratch_blames(&s, err.text, refused[i].line, refused[i].what));
        cluster_destroy(c);
        scratch_remove(&s);
    }
}

TEST(cluster_file_bounds_hold_at_equality)
{
    static const char *const good[] = {
        "node a cpu=0.001 mem=1M speed=1000",
        "node a cpu=0 x=1",
        "node a cpu=0 y=1000000000\nnetwork up=1000 background=0.99 oversubscription=1000",
        "node a cpu=1000000 mem=1024T speed=0.001",
        "node a mem=0\nluck pareto=0.5",
        "node a\nluck pareto=0",
        "node a\nfaults node_mtbf=0 report_loss_p=1 kill_lag=1d",
        "node a\nfaults node_mtbf=1s",
        "node a\nluck startup=36500d noise=2 stall_p=1 stall=0",
        "luck stall_p=0.5 stall=1s bad_share=0.1 bad_factor=2\nnode a",
        "nodes w[1-3] racks=3",
        "nodes w[0-0]",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err err = {.text = "none"};
        struct cluster *c = read_text(good[i], strlen(good[i]), &err);
        expect(c != NULL && !strcmp(err.text, "none"));
        cluster_destroy(c);
    }
}

TEST(cluster_file_takes_a_million_nodes)
{
    struct err err;
    struct cluster *c = read_text("nodes w[1-1000000] cpu=12 racks=1000", 36, &err);
    expect(c && c->node_count == CLUSTER_NODES_MAX && c->rack_count == 1000);
    expect(c && cluster_find(c, "w1000000") == 999999 && cluster_find(c, "w0") == UINT32_MAX);
    expect(c && cluster_capacity(c).v[RES_CPU] == 12000000000);
    cluster_destroy(c);
}

TEST(cluster_file_survives_damage)
{
    char text[sizeof whole + 8];
    uint32_t accepted = 0, rejected = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        struct rng r = rng_stream(1, RNG_TEST, i, 0, 0, 0);
        size_t length = sizeof whole - 1;
        memcpy(text, whole, length);
        if (i % 2)
            length = (size_t)rng_below(&r, length);
        for (uint64_t k = rng_below(&r, 4); k > 0 && length > 0; k--) {
            static const char odd[] = "\"\\=#[]-, \n\t\r0123456789eE.";
            uint64_t at = rng_below(&r, length);
            text[at] = rng_below(&r, 4) ? odd[rng_below(&r, sizeof odd)] : (char)rng_u64(&r);
        }
        struct err err = {.text = ""};
        struct cluster *c = read_text(text, length, &err);
        expect(c || err.text[0]);
        c ? accepted++ : rejected++;
        cluster_destroy(c);
    }
    expect(accepted > 0 && rejected > 0);
}

TEST(cluster_examples_are_read)
{
    if (access("examples", R_OK)) {
        test_skip("no folder examples here");
        return;
    }
    struct err err;
    struct cluster *c = cluster_file_read("examples/small.cluster", &err);
    expect(c && c->node_count == 20 && cluster_capacity(c).v[RES_CPU] == 40 * RES_SLOT);
    expect(c && c->luck.stall_p == 0.2);
    cluster_destroy(c);
    c = cluster_file_read("examples/faulty.cluster", &err);
    expect(c && c->node_count == 42 && c->rack_count == 5 && c->faults.node_mtbf_us > 0);
    cluster_destroy(c);
}
